/** The changes of the primary ops. A task follows those that came after it, so that a handoff changes no task. */
import type { GroupTables } from "./schema.ts";

interface HandoffRow extends Record<string, SqlStorageValue> {
  /** Keys of the members. */
  former: string;
  successor: string;
  /** Position of the last message before the handoff. */
  seq: number;
}

export class Handoffs {
  readonly #tables: GroupTables;
  #rows: HandoffRow[] | undefined;

  constructor(tables: GroupTables) {
    this.#tables = tables;
  }

  /** Call this when a transaction that wrote here was rolled back. */
  clearCache(): void {
    this.#rows = undefined;
  }

  add({ former, successor, seq }: HandoffRow): void {
    this.#tables.insert(
      "handoffs",
      "INSERT INTO handoffs (former, successor, seq) VALUES (?, ?, ?)",
      former,
      successor,
      seq,
    );
    this.clearCache();
  }

  /** Everybody to whom reports about a task went: the one that assigned it first, the present one last. */
  follow(assigner: string, seq: number): [string, ...string[]] {
    this.#rows ??= this.#tables.run(
      "handoffs",
      "SELECT former, successor, seq FROM handoffs ORDER BY n",
    );
    const assigners: [string, ...string[]] = [assigner];
    for (const handoff of this.#rows)
      if (handoff.former === assigners.at(-1) && handoff.seq >= seq)
        assigners.push(handoff.successor);
    return assigners;
  }
}
