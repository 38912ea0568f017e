/** Counts deleted messages, so that the others can be counted without reading them. */
import type { GroupTables } from "./schema.ts";

export class DeletionCount {
  readonly #tables: GroupTables;

  constructor(tables: GroupTables) {
    this.#tables = tables;
  }

  get(): number {
    const query = "SELECT count FROM deletions";
    return this.#tables.run<{ count: number }>("deletions", query)[0]?.count ?? 0;
  }

  add(count: number): void {
    this.#tables.insert(
      "deletions",
      `INSERT INTO deletions (one, count) VALUES (1, ?1)
       ON CONFLICT DO UPDATE SET count = count + ?1`,
      count,
    );
  }
}
