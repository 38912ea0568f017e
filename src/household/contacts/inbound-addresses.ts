/** Where members are heard in a channel: every address, in one spelling, with whose it is. */
import type { ChannelKind } from "../../channels/channel.ts";
import { getChannelSchema } from "../../channels/schemas.ts";
import type { Json } from "../../mess/json.ts";
import { getAlertedOwner, listAlertChannels } from "./owner-alerts.ts";
import { type NotifyChannel, readNotifyChannels } from "./notify-settings.ts";
import type { Stores } from "../stores.ts";
import { fill, findReferences } from "../secrets/secret-references.ts";
import type { SecretVault } from "../secrets/secret-vault.ts";

export interface InboundAddress {
  actor: string;
  identity: string;
  /** It is one of `dispatch.alerts`, and not the member's own. */
  isAlertAddress: boolean;
}

/** The channel's identity of an address in one spelling; undefined where nothing comes in by the channel. */
export const normalizeIdentity = (kind: ChannelKind, address: string): string | undefined =>
  getChannelSchema(kind).identity?.(address);

/** Members' own places first. */
export async function listInboundAddresses(
  stores: Stores,
  vault: SecretVault,
  kind: ChannelKind,
): Promise<InboundAddress[]> {
  const { identity } = getChannelSchema(kind);
  if (!identity) return [];
  const written = listWrittenAddresses(stores, kind);
  const known = await vault.openAll(findReferences(written.map(({ address }) => address)));
  return written.flatMap(({ address, ...owner }) => {
    const filled = fill(address, known);
    return filled === undefined ? [] : [{ ...owner, identity: identity(filled) }];
  });
}

interface WrittenAddress extends Omit<InboundAddress, "identity"> {
  address: Json;
}

function listWrittenAddresses(stores: Stores, kind: ChannelKind): WrittenAddress[] {
  const of = (
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
      .flatMap(({ id, notify }) => of(id, readNotifyChannels(notify), false)),
    ...of(getAlertedOwner(stores), listAlertChannels(stores), true),
  ];
}
