/** Who says something in a channel, and about which thread. */
import { channelSchema } from "../dispatch/channels/schemas.ts";
import type { ChannelKind } from "../dispatch/channel.ts";
import { type Outcome, refuse } from "../mess/errors.ts";
import type { Json } from "../mess/json.ts";
import { ok } from "../mess/result.ts";
import type { CatalogueRow } from "./catalogue.ts";
import type { DeadAddress, DeliveryReport, HeardQuery } from "./contacts-stub.ts";
import { alertedOwner, alertWays, reachOf } from "./alerts.ts";
import { type Way, waysOf } from "./notify.ts";
import type { Stores } from "./stores.ts";
import { fill, referencesIn, type Vault } from "./vault.ts";

interface Place {
  actor: string;
  address: Json;
}

/** Every address in the channel, with whose it is. */
function placesIn(stores: Stores, kind: ChannelKind): Place[] {
  const of = (actor: string, ways: Way[]): Place[] =>
    ways.filter((way) => way.kind === kind).map(({ address }) => ({ actor, address }));
  return [
    ...stores.members.executors().flatMap(({ id, notify }) => of(id, waysOf(notify))),
    ...of(alertedOwner(stores), alertWays(stores)),
  ];
}

/** The members at this address: several may share one. */
async function membersAt(
  stores: Stores,
  vault: Vault,
  kind: ChannelKind,
  from: string,
): Promise<{ members: string[]; identity: string }> {
  const { identity } = channelSchema(kind);
  if (!identity) return { members: [], identity: from };
  const wanted = identity(from);
  const places = placesIn(stores, kind);
  const known = await vault.openAll(referencesIn(places.map(({ address }) => address)));
  const members = places
    .filter(({ address }) => {
      const filled = fill(address, known);
      return filled !== undefined && identity(filled) === wanted;
    })
    .map(({ actor }) => actor);
  return { members: [...new Set(members)], identity: wanted };
}

/** Of those who share an address, the first who takes part in the thread, else the first. */
function among(members: readonly string[], thread: CatalogueRow | undefined): string {
  const participants = JSON.parse(thread?.participants ?? "[]") as string[];
  return members.find((one) => participants.includes(one)) ?? members[0]!;
}

/**
 * Refused with `unknown_executor` for a stranger, and with `not_found` where no thread is meant. An event that comes
 * again gets the same answer; a thread that has ended is still found by ref and by handle.
 */
export async function hear(
  stores: Stores,
  vault: Vault,
  { channel, id, from, ref, handle, exact }: HeardQuery,
): Promise<Outcome<{ actor: string; ref: string }>> {
  const { members, identity } = await membersAt(stores, vault, channel, from);
  if (members.length === 0) {
    return refuse("unknown_executor", "nobody of this household", "Ask an owner to add you.");
  }
  const before = stores.sendings.understood(channel, id);
  if (before && members.includes(before.actor)) return ok({ ...before });
  const sent =
    ref !== undefined
      ? stores.sendings.last(channel, identity, ref)
      : handle === undefined
        ? undefined
        : stores.sendings.byHandle(channel, identity, handle);
  const thread = ref === undefined ? undefined : stores.catalogue.get(ref);
  const named = thread && { actor: among(members, thread), ref: thread.ref };
  const meant =
    sent ?? named ?? (ref || exact ? undefined : stores.sendings.last(channel, identity));
  if (!meant) {
    return refuse("not_found", "no such thread", "Answer the message that you were sent.");
  }
  // An alert to an owner may have been the last word to an address that is a candidate's too.
  const known = members.includes(meant.actor) ? [meant.actor, ...members] : members;
  const actor = among(known, stores.catalogue.get(meant.ref));
  stores.sendings.understand(channel, id, { actor, ref: meant.ref }, Date.now());
  return ok({ actor, ref: meant.ref });
}

/** What one attempt says about the member's channel, and about answers that are to come. */
export function reported(stores: Stores, report: DeliveryReport, now: number): void {
  const { executor, channel, ref, ok: taken, gone, identity, handle, alert = false } = report;
  const { breakers, sendings, events } = stores;
  const { breaker } = reachOf(stores, executor, alert);
  if (taken) breakers.succeeded(breaker, channel);
  else breakers.failed(breaker, channel, now);
  if (gone && breakers.gone(breaker, channel)) events.channelGone(executor, channel, ref, now);
  const known = channelSchema(channel).identity;
  if (taken && identity !== undefined && known) {
    sendings.sent(channel, known(identity), { actor: executor, ref }, { handle, alert }, now);
  }
}

/** The message that did not arrive told an owner of a thread that needs one. */
export const wasAlert = (
  { sendings }: Pick<Stores, "sendings">,
  { channel, identity, handles }: DeadAddress,
): boolean => {
  const known = channelSchema(channel).identity;
  return known !== undefined && sendings.wasAlert(channel, known(identity), handles);
};
