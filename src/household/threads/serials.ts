/** Serial numbers of threads, one counter per day (decision 6): no scan, no random numbers. */
export class Serials {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Takes `count` consecutive serials of the day and returns the first. Serials begin at 1. */
  take(day: string, count: number): number {
    const { last } = this.#sql
      .exec<{ last: number }>(
        `INSERT INTO serials (day, last) VALUES (?, ?)
         ON CONFLICT (day) DO UPDATE SET last = last + excluded.last RETURNING last`,
        day,
        count,
      )
      .one();
    return last - count + 1;
  }

  /** The serial that `take` would return next. */
  getNext(day: string): number {
    const [row] = this.#sql
      .exec<{ last: number }>("SELECT last FROM serials WHERE day = ?", day)
      .toArray();
    return (row?.last ?? 0) + 1;
  }

  /** Makes the day's counter continue above the serial. */
  raise(day: string, serial: number): void {
    this.#sql.exec(
      `INSERT INTO serials (day, last) VALUES (?, ?)
       ON CONFLICT (day) DO UPDATE SET last = max(last, excluded.last)`,
      day,
      serial,
    );
  }
}
