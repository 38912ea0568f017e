/** Presence that members report. A member without a report counts as present. */
import { readDuration } from "../../mess/durations.ts";
import { type Outcome, refuse } from "../../mess/errors.ts";
import { ok } from "../../mess/result.ts";
import { readTime, writeTime } from "../../mess/times.ts";
import type { Presence } from "../../contracts/contacts.ts";
import type { Stores } from "../stores.ts";
import { releaseHeldNotices } from "./held-notices.ts";

interface PresenceRow extends Record<string, SqlStorageValue> {
  actor: string;
  state: Presence["state"];
  until: number | null;
}

const IS_CURRENT_SQL = "(until IS NULL OR until > ?)";

export class PresenceTable {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  set(actor: string, state: Presence["state"], until: number | undefined, now: number): void {
    this.#sql.exec("DELETE FROM presence WHERE actor = ? OR until <= ?", actor, now);
    this.#sql.exec(
      "INSERT INTO presence (actor, state, until, at) VALUES (?, ?, ?, ?)",
      actor,
      state,
      until ?? null,
      now,
    );
  }

  /** The reports that are still valid. */
  list(now: number, zone: string): Presence[] {
    return this.#sql
      .exec<PresenceRow>(
        `SELECT actor, state, until FROM presence WHERE ${IS_CURRENT_SQL} ORDER BY actor`,
        now,
      )
      .toArray()
      .map(({ actor, state, until }) => ({
        actor,
        state,
        ...(until === null ? {} : { until: writeTime(until, zone) }),
      }));
  }

  /** The member's valid report; undefined if there is none. */
  find(actor: string, now: number, zone: string): Presence | undefined {
    return this.list(now, zone).find((one) => one.actor === actor);
  }

  /** The end of the member's snooze in milliseconds since 1970; undefined if it is not snoozed. */
  getSnoozedUntil(actor: string, now: number): number | undefined {
    const [row] = this.#sql
      .exec<PresenceRow>(
        "SELECT actor, state, until FROM presence WHERE actor = ? AND state = 'snoozed' AND until > ?",
        actor,
        now,
      )
      .toArray();
    return row?.until ?? undefined;
  }

  /** Members that are away, with the instant of their return in milliseconds since 1970, or null if unknown. */
  listAway(now: number): Record<string, number | null> {
    const away = this.#sql
      .exec<PresenceRow>(`SELECT * FROM presence WHERE state = 'away' AND ${IS_CURRENT_SQL}`, now)
      .toArray();
    return Object.fromEntries(away.map(({ actor, until }) => [actor, until]));
  }
}

/** @param until ISO 8601 (in the household's time zone unless it has an offset), or a duration from now */
export function setPresence(
  stores: Stores,
  actor: string,
  state: Presence["state"],
  until: string | undefined,
  now: number,
): Outcome<Presence> {
  const { members, presence: presences, settings } = stores;
  if (!members.has(actor)) {
    return refuse("unknown_executor", "member not found", "Name a member of this household.");
  }
  const zone = settings.getZone();
  const span = until === undefined ? undefined : readDuration(until);
  const end = span === undefined ? readTime(until ?? "", zone) : now + span * 1_000;
  if (until !== undefined && (end === undefined || end <= now)) {
    const hint = "Give a future time in ISO 8601, or a duration such as 2h.";
    return refuse("bad_time", "until: not a time in the future", hint, { path: "until" });
  }
  if (state === "snoozed" && end === undefined) {
    const hint = "Give until as well: a time in ISO 8601, or a duration such as 1h.";
    return refuse("missing_field", "until: missing", hint, { path: "until" });
  }
  presences.set(actor, state, end, now);
  releaseHeldNotices(stores, actor, now);
  return ok(presences.find(actor, now, zone) ?? { actor, state });
}
