/** Messages of the exchange to holders who named their id in an AI group. Others see `wanted_by` in their lists. */
import { isPoolId } from "../../mess/groups/vocabulary.ts";
import { writeTime } from "../../mess/times.ts";
import { createId, postToGroup } from "../memberships/group-jobs.ts";
import type { Stores } from "../stores.ts";
import { getShownId, type Holder } from "./holder.ts";
import type { StoredReservation } from "./reservations.ts";

/** Names in one message. */
const MAX_LISTED_NAMES = 10;

/** @param wanted reservations that somebody else was refused for, of any holders */
export function notifyOfWanter(
  stores: Stores,
  wanted: readonly StoredReservation[],
  wanter: Holder,
  reason: string | undefined,
  now: number,
): void {
  const id = getShownId(stores, wanter.member);
  const who = id === undefined ? wanter.actor : `${wanter.actor} (${id})`;
  const why = reason === undefined ? "" : ` Reason: ${quote(reason)}.`;
  for (const [member, own] of Map.groupBy(wanted, (one) => one.member))
    if (member !== null)
      post(stores, member, own, `wanted by ${wanter.actor} ${wanter.member}`, now, {
        before: `${who} wants what you have reserved: `,
        after: `.${why} Release it when you no longer need it, or write to ${who}.`,
      });
}

/** @param released reservations that the owner ended by force, of any holders */
export function notifyOfForce(
  stores: Stores,
  released: readonly StoredReservation[],
  owner: string,
  now: number,
): void {
  for (const [member, own] of Map.groupBy(released, (one) => one.member))
    if (member !== null)
      post(stores, member, own, "released", now, {
        before: `${owner} has ended your reservation: `,
        after: ". Stop using it.",
      });
}

function post(
  stores: Stores,
  member: string,
  reservations: readonly StoredReservation[],
  event: string,
  now: number,
  { before, after }: { before: string; after: string },
): void {
  const group = findGroup(stores, member);
  const [first] = reservations;
  if (group === undefined || !first) return;
  const zone = stores.settings.getZone();
  const names = reservations
    .slice(0, MAX_LISTED_NAMES)
    .map(({ name, expires }) => `${quote(name)} until ${writeTime(expires, zone)}`);
  const others = reservations.length - names.length;
  const notice = {
    key: `reservation ${first.n} ${first.created} ${event}`,
    id: createId("msg"),
    to: member,
    type: "message" as const,
    content: `${before}${names.join(", ")}${others > 0 ? ` and ${others} more` : ""}${after}`,
  };
  postToGroup(stores, group, notice, now);
}

/** The open group that the member joined last, in which it works; else the pool in which it waits. */
function findGroup({ groupMembers, groups }: Stores, member: string): string | undefined {
  const places = groupMembers.listById(member).map(({ group }) => group);
  return (
    places.findLast((id) => !isPoolId(id) && groups.find(id)?.status === "open") ??
    places.find(isPoolId)
  );
}

const quote = (text: string): string => `"${text.replaceAll('"', "'")}"`;
