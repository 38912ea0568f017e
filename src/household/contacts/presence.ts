/** Members that say whether they are there. Who says nothing is. */
import { readDuration } from "../../mess/durations.ts";
import { type Outcome, refuse } from "../../mess/errors.ts";
import { ok } from "../../mess/result.ts";
import { readTime, writeTime } from "../../mess/times.ts";
import type { Presence } from "../../contracts/member-settings.ts";
import type { Stores } from "../stores.ts";

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

  /** What was said and still holds. */
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

  /** Who is away, with the instant of their return, or null where none was told. */
  listAway(now: number): Record<string, number | null> {
    const away = this.#sql
      .exec<PresenceRow>(`SELECT * FROM presence WHERE state = 'away' AND ${IS_CURRENT_SQL}`, now)
      .toArray();
    return Object.fromEntries(away.map(({ actor, until }) => [actor, until]));
  }
}

/** @param until ISO 8601, in the household's zone where it has none, or a duration from now on */
export function setPresence(
  { members, presence: presences, settings }: Stores,
  actor: string,
  state: Presence["state"],
  until: string | undefined,
  now: number,
): Outcome<Presence> {
  if (!members.has(actor)) {
    return refuse("unknown_executor", "no such member", "Name a member of this household.");
  }
  const zone = settings.getZone();
  const span = until === undefined ? undefined : readDuration(until);
  const end = span === undefined ? readTime(until ?? "", zone) : now + span * 1_000;
  if (until !== undefined && (end === undefined || end <= now)) {
    const hint = "Give a time that is to come, in ISO 8601, or a duration such as 2h.";
    return refuse("bad_time", "until: no time that is to come", hint, { path: "until" });
  }
  presences.set(actor, state, end, now);
  return ok(presences.list(now, zone).find((one) => one.actor === actor) ?? { actor, state });
}
