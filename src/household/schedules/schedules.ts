/** Stored schedules, each with its next firing and the result of the last one. */
import type { Schedule } from "./schedule.ts";

export interface LastFiring {
  /** The instant for which it fired, in milliseconds since 1970. */
  at: number;
  ref: string;
  /** The member whose turn it was. */
  member?: string;
}

export interface StoredSchedule {
  schedule: Schedule;
  next: number | null;
  last?: LastFiring;
}

type ScheduleRow = { schedule: string; next: number | null; last: string | null };

const toStoredSchedule = ({ schedule, next, last }: ScheduleRow): StoredSchedule => ({
  schedule: JSON.parse(schedule) as Schedule,
  next,
  ...(last === null ? {} : { last: JSON.parse(last) as LastFiring }),
});

export class Schedules {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  get(id: string): StoredSchedule | undefined {
    return this.#select("WHERE id = ?", id)[0];
  }

  /** All schedules, by id. */
  list(): StoredSchedule[] {
    return this.#select("ORDER BY id");
  }

  countByActor(): { actor: string; count: number }[] {
    return this.#sql
      .exec<{ actor: string; count: number }>(
        "SELECT json_extract(schedule, '$.by') AS actor, count(*) AS count FROM schedules GROUP BY actor",
      )
      .toArray();
  }

  /** Schedules that are due, the earliest first. */
  listDue(now: number, limit: number): StoredSchedule[] {
    return this.#select("WHERE next <= ? ORDER BY next LIMIT ?", now, limit);
  }

  getNextDue(): number | undefined {
    const { next } = this.#sql
      .exec<{ next: number | null }>("SELECT min(next) AS next FROM schedules")
      .one();
    return next ?? undefined;
  }

  /** Adds or replaces the schedule; the result of its last firing is kept. */
  put(schedule: Schedule, next: number | undefined, now: number): void {
    this.#sql.exec(
      `INSERT INTO schedules (id, schedule, made, next) VALUES (?, ?, ?, ?)
       ON CONFLICT (id) DO UPDATE SET schedule = excluded.schedule, next = excluded.next`,
      schedule.id,
      JSON.stringify(schedule),
      now,
      next ?? null,
    );
  }

  setNext(id: string, next: number | undefined): void {
    this.#sql.exec("UPDATE schedules SET next = ? WHERE id = ?", next ?? null, id);
  }

  recordFiring(id: string, last: LastFiring): void {
    this.#sql.exec("UPDATE schedules SET last = ? WHERE id = ?", JSON.stringify(last), id);
  }

  remove(id: string): void {
    this.#sql.exec("DELETE FROM schedules WHERE id = ?", id);
  }

  #select(where: string, ...values: (string | number)[]): StoredSchedule[] {
    return this.#sql
      .exec<ScheduleRow>(`SELECT schedule, next, last FROM schedules ${where}`, ...values)
      .toArray()
      .map(toStoredSchedule);
  }
}
