/** Who belongs to the household, and what those that can be asked are capable of. */
import type { Executor } from "../../mess/routing/routing.ts";

export class Members {
  readonly #sql: SqlStorage;
  #executors: Executor[] | undefined;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  add(id: string, now: number): void {
    this.#sql.exec("INSERT OR IGNORE INTO members (id, created) VALUES (?, ?)", id, now);
  }

  has(id: string): boolean {
    return this.#sql.exec("SELECT 1 FROM members WHERE id = ?", id).toArray().length > 0;
  }

  /** Makes the member an executor, or replaces what is known of it. */
  putExecutor(executor: Executor, now: number): void {
    this.add(executor.id, now);
    this.#sql.exec(
      "UPDATE members SET executor = ? WHERE id = ?",
      JSON.stringify(executor),
      executor.id,
    );
    this.clearCache();
  }

  /** The member stays, and is asked no more. Should it be added again, that is another membership. */
  removeExecutor(id: string): void {
    this.#sql.exec(
      "UPDATE members SET executor = NULL, membership = membership + 1 WHERE id = ?",
      id,
    );
    this.clearCache();
  }

  /** Counts how often the member was taken out: links of an earlier membership stay ended. */
  membership(id: string): number {
    const [row] = this.#sql
      .exec<{ membership: number }>("SELECT membership FROM members WHERE id = ?", id)
      .toArray();
    return row?.membership ?? 0;
  }

  /** All executors by id. The list is remembered; treat it as read-only. */
  listExecutors(): readonly Executor[] {
    this.#executors ??= this.#sql
      .exec<{ executor: string }>(
        "SELECT executor FROM members WHERE executor IS NOT NULL ORDER BY id",
      )
      .toArray()
      .map(({ executor }) => JSON.parse(executor) as Executor);
    return this.#executors;
  }

  findExecutor(id: string): Executor | undefined {
    return this.listExecutors().find((executor) => executor.id === id);
  }

  /** Call it when a transaction that changed members is rolled back. */
  clearCache(): void {
    this.#executors = undefined;
  }
}
