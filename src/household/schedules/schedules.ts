/** Recurring requests as they are kept: the schedule, when it fires next, and what its last firing made. */
import type { Schedule } from "./schedule.ts";

export interface LastFiring {
  /** The instant for which it fired, in milliseconds. */
  at: number;
  ref: string;
  /** Whose turn it was. */
  member?: string;
}

export interface KeptSchedule {
  schedule: Schedule;
  next: number | null;
  last?: LastFiring;
}

type Row = { schedule: string; next: number | null; last: string | null };

const keptOf = ({ schedule, next, last }: Row): KeptSchedule => ({
  schedule: JSON.parse(schedule) as Schedule,
  next,
  ...(last === null ? {} : { last: JSON.parse(last) as LastFiring }),
});

export class Schedules {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  get(id: string): KeptSchedule | undefined {
    return this.#select("WHERE id = ?", id)[0];
  }

  /** All, by id. */
  list(): KeptSchedule[] {
    return this.#select("ORDER BY id");
  }

  /** What should have fired by now, the earliest first. */
  due(now: number, limit: number): KeptSchedule[] {
    return this.#select("WHERE next <= ? ORDER BY next LIMIT ?", now, limit);
  }

  nextDue(): number | undefined {
    const { next } = this.#sql
      .exec<{ next: number | null }>("SELECT min(next) AS next FROM schedules")
      .one();
    return next ?? undefined;
  }

  /** Adds the schedule, or changes it; what it fired last stays. */
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

  moveOn(id: string, next: number | undefined): void {
    this.#sql.exec("UPDATE schedules SET next = ? WHERE id = ?", next ?? null, id);
  }

  fired(id: string, last: LastFiring): void {
    this.#sql.exec("UPDATE schedules SET last = ? WHERE id = ?", JSON.stringify(last), id);
  }

  remove(id: string): void {
    this.#sql.exec("DELETE FROM schedules WHERE id = ?", id);
  }

  #select(where: string, ...values: (string | number)[]): KeptSchedule[] {
    return this.#sql
      .exec<Row>(`SELECT schedule, next, last FROM schedules ${where}`, ...values)
      .toArray()
      .map(keptOf);
  }
}
