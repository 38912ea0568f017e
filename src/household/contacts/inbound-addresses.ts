/** Where members are heard in a channel: every address, in one spelling, with whose it is. */
import type { ChannelKind } from "../../channels/channel.ts";
import { channelSchema } from "../../channels/schemas.ts";
import type { Json } from "../../mess/json.ts";
import { alertedOwner, alertWays } from "./owner-alerts.ts";
import { type Way, waysOf } from "./notify-settings.ts";
import type { Stores } from "../stores.ts";
import { fill, referencesIn, type Vault } from "../secrets/secret-vault.ts";

export interface Place {
  actor: string;
  identity: string;
  /** It is one of `dispatch.alerts`, and not the member's own. */
  alerts: boolean;
}

/** The channel's identity of an address in one spelling; undefined where nothing comes in by the channel. */
export const identityIn = (kind: ChannelKind, address: string): string | undefined =>
  channelSchema(kind).identity?.(address);

/** Members' own places first. */
export async function placesIn(stores: Stores, vault: Vault, kind: ChannelKind): Promise<Place[]> {
  const { identity } = channelSchema(kind);
  if (!identity) return [];
  const written = writtenIn(stores, kind);
  const known = await vault.openAll(referencesIn(written.map(({ address }) => address)));
  return written.flatMap(({ address, ...place }) => {
    const filled = fill(address, known);
    return filled === undefined ? [] : [{ ...place, identity: identity(filled) }];
  });
}

interface Written extends Omit<Place, "identity"> {
  address: Json;
}

function writtenIn(stores: Stores, kind: ChannelKind): Written[] {
  const of = (actor: string, ways: Way[], alerts: boolean): Written[] =>
    ways.filter((way) => way.kind === kind).map(({ address }) => ({ actor, address, alerts }));
  return [
    ...stores.members.executors().flatMap(({ id, notify }) => of(id, waysOf(notify), false)),
    ...of(alertedOwner(stores), alertWays(stores), true),
  ];
}
