/**
 * Numbers of threads of each requestor. A new thread is checked against them, so they are counted once and then kept up
 * to date in memory: counting reads every open thread and every thread of the day.
 */
type Counts = Map<string, number>;

export interface RequestorCount {
  actor: string;
  count: number;
}

const change = (counts: Counts, actor: string, by: number): void =>
  void counts.set(actor, (counts.get(actor) ?? 0) + by);

const listCounts = (counts: Counts): RequestorCount[] =>
  [...counts].map(([actor, count]) => ({ actor, count })).filter(({ count }) => count > 0);

export class ThreadCounts {
  readonly #sql: SqlStorage;
  #open: Counts | undefined;
  #ofDay: { day: string; counts: Counts } | undefined;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Call this when threads were deleted or expired, or a transaction that wrote threads is rolled back. */
  clearCache(): void {
    this.#open = undefined;
    this.#ofDay = undefined;
  }

  /** A thread was added, which is open. */
  add(ref: string, requestor: string): void {
    if (this.#open) change(this.#open, requestor, 1);
    if (this.#ofDay && ref.startsWith(`${this.#ofDay.day}-`))
      change(this.#ofDay.counts, requestor, 1);
  }

  /** An open thread has ended, or one that had ended is open again. */
  setOpen(requestor: string, isOpen: boolean): void {
    if (this.#open) change(this.#open, requestor, isOpen ? 1 : -1);
  }

  /** The open threads of each requestor. */
  countOpen(): RequestorCount[] {
    this.#open ??= this.#count(
      "SELECT requestor AS actor, count(*) AS count FROM threads WHERE open = 1 GROUP BY requestor",
    );
    return listCounts(this.#open);
  }

  /** The threads of each requestor whose ref has the day, such as `2026-02-01`. */
  countOfDay(day: string): RequestorCount[] {
    if (this.#ofDay?.day !== day)
      this.#ofDay = {
        day,
        counts: this.#count(
          `SELECT requestor AS actor, count(*) AS count FROM threads
           WHERE ref >= ?1 || '-' AND ref < ?1 || '.' GROUP BY requestor`,
          day,
        ),
      };
    return listCounts(this.#ofDay.counts);
  }

  #count(query: string, ...values: string[]): Counts {
    return new Map(
      this.#sql
        .exec<{ actor: string; count: number }>(query, ...values)
        .toArray()
        .map(({ actor, count }) => [actor, count]),
    );
  }
}
