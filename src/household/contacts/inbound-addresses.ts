/** The inbound addresses of a channel: every address that messages can come from, normalized, with its member. */
import { type ChannelKind, CHANNELS } from "../../channels/registry.ts";
import type { Json } from "../../mess/json.ts";
import { getAlertedOwner, listAlertChannels } from "./owner-alerts.ts";
import { type NotifyChannel, readNotifyChannels } from "./notify-settings.ts";
import type { Stores } from "../stores.ts";
import { fillReferences, findReferences } from "../secrets/secret-references.ts";
import type { SecretVault } from "../secrets/secret-vault.ts";

export interface InboundAddress {
  actor: string;
  identity: string;
  /** True for an address in `dispatch.alerts`, false for a member's own address. */
  isAlertAddress: boolean;
}

/** The address in the normalized form of the channel; undefined if the channel receives no messages. */
export const normalizeIdentity = (kind: ChannelKind, address: string): string | undefined =>
  CHANNELS[kind].identity?.(address);

/** The inbound addresses of a channel; members' own addresses come first. */
export async function listInboundAddresses(
  stores: Stores,
  vault: SecretVault,
  kind: ChannelKind,
): Promise<InboundAddress[]> {
  const { identity } = CHANNELS[kind];
  if (!identity) return [];
  const written = listWrittenAddresses(stores, kind);
  const secretValues = await vault.openAll(findReferences(written.map(({ address }) => address)));
  return written.flatMap(({ address, ...owner }) => {
    const filled = fillReferences(address, secretValues);
    return filled === undefined ? [] : [{ ...owner, identity: identity(filled) }];
  });
}

interface WrittenAddress extends Omit<InboundAddress, "identity"> {
  address: Json;
}

function listWrittenAddresses(stores: Stores, kind: ChannelKind): WrittenAddress[] {
  const toAddresses = (
    actor: string,
    channels: NotifyChannel[],
    isAlertAddress: boolean,
  ): WrittenAddress[] =>
    channels
      .filter((channel) => channel.kind === kind)
      .map(({ address }) => ({ actor, address, isAlertAddress }));
  return [
    ...stores.members
      .listExecutors()
      .flatMap(({ id, notify }) => toAddresses(id, readNotifyChannels(notify), false)),
    ...toAddresses(getAlertedOwner(stores), listAlertChannels(stores), true),
  ];
}
