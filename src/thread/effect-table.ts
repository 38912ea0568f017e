/** Work of a thread that follows a commit, in order: on other threads, in the household, in R2. */
import type { ThreadAuditRecord } from "../contracts/audit.ts";
import type { AuditReport, BlobDeletion } from "../contracts/thread.ts";
import type { Effect } from "../mess/thread/suggestions/effects.ts";
import type { ThreadTables } from "./migrations.ts";

type ThreadEffect = Effect | AuditReport | BlobDeletion;

export interface StoredEffect {
  n: number;
  effect: ThreadEffect;
}

export class EffectTable {
  readonly #tables: ThreadTables;
  #hasAny: boolean | undefined;

  constructor(tables: ThreadTables) {
    this.#tables = tables;
  }

  clearCache(): void {
    this.#hasAny = undefined;
  }

  add(effect: ThreadEffect): void {
    const query = "INSERT INTO effects (effect) VALUES (?)";
    this.#tables.insert("effects", query, JSON.stringify(effect));
    this.#hasAny = true;
  }

  /** Adds an entry for the household's audit trail. */
  addReport(record: ThreadAuditRecord): void {
    this.add({ type: "audit", record });
  }

  /** Effects that are not carried out yet, in order. */
  list(): StoredEffect[] {
    if (this.#hasAny === false) return [];
    const rows = this.#tables.run<{ n: number; effect: string }>(
      "effects",
      "SELECT n, effect FROM effects ORDER BY n",
    );
    this.#hasAny = rows.length > 0;
    return rows.map(({ n, effect }) => ({ n, effect: JSON.parse(effect) as ThreadEffect }));
  }

  delete(n: number): void {
    this.#tables.run("effects", "DELETE FROM effects WHERE n = ?", n);
  }
}
