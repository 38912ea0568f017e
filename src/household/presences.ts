/** Members that say whether they are there. Who says nothing is. */
import { writeTime } from "../mess/times.ts";
import type { Presence } from "./reach-stub.ts";

interface Row extends Record<string, SqlStorageValue> {
  actor: string;
  state: Presence["state"];
  until: number | null;
}

const AT = "(until IS NULL OR until > ?)";

export class Presences {
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
      .exec<Row>(`SELECT actor, state, until FROM presence WHERE ${AT} ORDER BY actor`, now)
      .toArray()
      .map(({ actor, state, until }) => ({
        actor,
        state,
        ...(until === null ? {} : { until: writeTime(until, zone) }),
      }));
  }

  /** Who is away, with the instant of their return, or null where none was told. */
  away(now: number): Record<string, number | null> {
    const away = this.#sql
      .exec<Row>(`SELECT * FROM presence WHERE state = 'away' AND ${AT}`, now)
      .toArray();
    return Object.fromEntries(away.map(({ actor, until }) => [actor, until]));
  }
}
