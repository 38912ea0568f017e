/** The counters of a source, and the state of its kind. */
import type { Json } from "../../mess/json.ts";

/** Counters of the source's status. They change together with the rows that they count. */
export type SourceCounter = "messages" | "unseen" | "unclassified" | "drafts" | "bytes";

export interface SourceState extends Record<SourceCounter, number> {
  /** Position of the newest message that was ever stored; 0 before the first. */
  newest: number;
  /** Its arrival. */
  newest_at: number;
  /** Position up to which a rebuild of the index came; null without one. */
  reindexed: number | null;
}

const COLUMNS = "newest, newest_at, messages, unseen, unclassified, drafts, bytes, reindexed";

export class StateRow {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  get(): SourceState {
    return this.#sql
      .exec<SourceState & Record<string, SqlStorageValue>>(`SELECT ${COLUMNS} FROM state`)
      .one();
  }

  /** Changes counters by these amounts. */
  count(changes: Partial<Record<SourceCounter, number>>): void {
    const changed = Object.entries(changes).filter(([, amount]) => amount !== 0);
    if (changed.length === 0) return;
    this.#sql.exec(
      `UPDATE state SET ${changed.map(([name]) => `${name} = ${name} + ?`).join(", ")}`,
      ...changed.map(([, amount]) => amount),
    );
  }

  /** Counts a new message, which waits for its tier. */
  countNew(seq: number, at: number, bytes: number): void {
    this.#sql.exec(
      `UPDATE state SET newest = ?, newest_at = ?, messages = messages + 1, unseen = unseen + 1,
         unclassified = unclassified + 1, bytes = bytes + ?`,
      seq,
      at,
      bytes,
    );
  }

  setReindexed(seq: number | null): void {
    this.#sql.exec("UPDATE state SET reindexed = ?", seq);
  }

  /** The state of the kind from its last poll or request; undefined before the first. */
  getKindState(): Json | undefined {
    const { kind_state: json } = this.#sql
      .exec<{ kind_state: string | null }>("SELECT kind_state FROM state")
      .one();
    return json === null ? undefined : (JSON.parse(json) as Json);
  }

  /** Call it in the transaction that stores the messages. */
  setKindState(state: Json): void {
    this.#sql.exec("UPDATE state SET kind_state = ?", JSON.stringify(state));
  }
}
