/** Members of the household, and the settings of those that are executors. */
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

  /** Makes the member an executor, or replaces its settings. */
  putExecutor(executor: Executor, now: number): void {
    this.add(executor.id, now);
    this.#sql.exec(
      "UPDATE members SET executor = ? WHERE id = ?",
      JSON.stringify(executor),
      executor.id,
    );
    this.clearCache();
  }

  /**
   * Removes the executor but keeps the member. Adding it again begins a new membership, so that old links stay ended.
   */
  removeExecutor(id: string): void {
    this.#sql.exec(
      "UPDATE members SET executor = NULL, membership = membership + 1 WHERE id = ?",
      id,
    );
    this.clearCache();
  }

  /** Counts how often the member was removed as an executor. A link is valid for the membership it was made in only. */
  getMembership(id: string): number {
    const [row] = this.#sql
      .exec<{ membership: number }>("SELECT membership FROM members WHERE id = ?", id)
      .toArray();
    return row?.membership ?? 0;
  }

  /** All executors, ordered by id. The list is cached: treat it as read-only. */
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

  /** Call this when a transaction that changed members is rolled back. */
  clearCache(): void {
    this.#executors = undefined;
  }
}
