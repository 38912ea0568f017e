/**
 * The `Idempotency-Key`s of calls to this thread that are no messages, in the table of the messages' keys: a key that
 * was used for a message, a file or a link is refused for a call of another kind.
 */
import { type Outcome, refuse } from "../mess/errors.ts";
import type { ThreadTables } from "./migrations.ts";

/** The kind of call for which a key was used; a message has its digest in its place. */
export type CallKind = "file" | "link";

export class CallKeys {
  readonly #tables: ThreadTables;

  constructor(tables: ThreadTables) {
    this.#tables = tables;
  }

  /** Refuses a key that was used for a call of another kind. */
  check(key: string | undefined, kind: CallKind): Outcome<never> | undefined {
    const used = key === undefined ? undefined : this.#findKind(key);
    return used === undefined || used === kind
      ? undefined
      : refuse(
          "idempotency_conflict",
          "this Idempotency-Key was used for another call to this thread",
          "Use a new key for each call.",
        );
  }

  save(key: string | undefined, kind: CallKind): void {
    if (key === undefined || this.#findKind(key) !== undefined) return;
    this.#tables.insert(
      "idempotency",
      "INSERT INTO idempotency (key, digest, receipt) VALUES (?, ?, 'null')",
      key,
      kind,
    );
  }

  #findKind(key: string): string | undefined {
    const [row] = this.#tables.run<{ digest: string }>(
      "idempotency",
      "SELECT digest FROM idempotency WHERE key = ?",
      key,
    );
    return row?.digest;
  }
}
