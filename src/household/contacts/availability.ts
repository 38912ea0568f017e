/** A member's own settings for when to be contacted: presence, snooze and quiet hours. */
import type { Availability, AvailabilityChange } from "../../contracts/contacts.ts";
import { type Outcome, refuse } from "../../mess/errors.ts";
import { ok } from "../../mess/result.ts";
import { readSpan } from "../../mess/routing/availability.ts";
import type { Stores } from "../stores.ts";
import { releaseHeldNotices } from "./held-notices.ts";
import { setPresence } from "./presence.ts";

export function getAvailability(stores: Stores, actor: string, now: number): Availability {
  const { members, presence, settings } = stores;
  const found = presence.find(actor, now, settings.getZone());
  const executor = members.findExecutor(actor);
  return {
    state: found?.state ?? "here",
    ...(found?.until === undefined ? {} : { until: found.until }),
    ...(executor ? { quiet_hours: executor.quiet_hours ?? null } : {}),
  };
}

/** Run it in a transaction: a refusal leaves everything as it was. */
export function setAvailability(
  stores: Stores,
  actor: string,
  { state, until, quiet_hours }: AvailabilityChange,
  now: number,
): Outcome<Availability> {
  if (quiet_hours !== undefined) {
    const set = setQuietHours(stores, actor, quiet_hours, now);
    if (!set.ok) return set;
  }
  if (state !== undefined) {
    const set = setPresence(stores, actor, state, until, now);
    if (!set.ok) return set;
  }
  return ok(getAvailability(stores, actor, now));
}

function setQuietHours(
  stores: Stores,
  actor: string,
  hours: string | null,
  now: number,
): Outcome<true> {
  const { members } = stores;
  const executor = members.findExecutor(actor);
  if (!executor) {
    const hint = "Ask an owner to add you as an executor first.";
    return refuse("unknown_executor", "quiet hours are for executors only", hint);
  }
  if (hours !== null && readSpan(hours) === undefined) {
    const hint = 'Give hours such as "22:00-07:00", or null.';
    return refuse("bad_field", "quiet_hours: not a span of hours", hint, { path: "quiet_hours" });
  }
  const { quiet_hours: _before, ...others } = executor;
  members.putExecutor(hours === null ? others : { ...others, quiet_hours: hours }, now);
  releaseHeldNotices(stores, actor, now);
  return ok(true);
}
