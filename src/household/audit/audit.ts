/**
 * The audit trail in SQLite. Each entry is written in the transaction of the change that it records, so that neither
 * exists without the other. Requests that change nothing of these, such as appends, write no entry.
 */
import type {
  AuditAction,
  AuditEntry,
  AuditRecord,
  AuditSource,
  ThreadAuditRecord,
} from "../../contracts/audit.ts";
import { defined } from "../../mess/defined.ts";
import type { JsonMap } from "../../mess/json.ts";
import { writeTime } from "../../mess/times.ts";

interface AuditRow extends Record<string, SqlStorageValue> {
  n: number;
  at: number;
  action: AuditAction;
  actor: string;
  credential: AuditSource["credential"];
  credential_id: string | null;
  target: string | null;
  detail: string | null;
}

/** Newest entries that are kept, of links and of everything else: agents create links, and must not displace the rest. */
const MAX_ENTRIES_PER_CLASS = 10_000;
const RETENTION_MS = 730 * 86_400_000;
const CLASS_CONDITIONS = ["action GLOB 'link_*'", "action NOT GLOB 'link_*'"];

/** A change that the exchange makes automatically, such as the expiry of a key. */
export const EXCHANGE_SOURCE: AuditSource = { actor: "exchange", credential: "exchange" };

const toEntry = (row: AuditRow): AuditEntry => ({
  cursor: row.n,
  at: writeTime(row.at, "UTC"),
  action: row.action,
  actor: row.actor,
  credential: row.credential,
  ...defined({
    credential_id: row.credential_id ?? undefined,
    target: row.target ?? undefined,
    detail: row.detail === null ? undefined : (JSON.parse(row.detail) as JsonMap),
  }),
});

export class Audit {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** The time of the oldest entry of this action that is kept, in milliseconds since 1970. */
  findFirst(action: AuditAction): number | undefined {
    const [row] = this.#sql
      .exec<{ at: number }>("SELECT at FROM audit WHERE action = ? ORDER BY n LIMIT 1", action)
      .toArray();
    return row?.at;
  }

  /** Adds an entry. With `once`, a repeated record adds nothing. */
  append(record: AuditRecord | ThreadAuditRecord, now: number): void {
    const { action, source, target, detail } = record;
    this.#sql.exec(
      `INSERT OR IGNORE INTO audit (at, action, actor, credential, credential_id, target, detail, once)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
      now,
      action,
      source.actor,
      source.credential,
      source.credential_id ?? null,
      target ?? null,
      detail === undefined ? null : JSON.stringify(detail),
      "once" in record ? record.once : null,
    );
  }

  listBefore(before: number | undefined, limit: number): { entries: AuditEntry[]; next?: number } {
    const rows = this.#sql
      .exec<AuditRow>(
        "SELECT * FROM audit WHERE n < ? ORDER BY n DESC LIMIT ?",
        before ?? Number.MAX_SAFE_INTEGER,
        limit + 1,
      )
      .toArray();
    const entries = rows.slice(0, limit).map(toEntry);
    return { entries, ...defined({ next: rows.length > limit ? rows[limit - 1]!.n : undefined }) };
  }

  /** Deletes entries beyond the limits of age and number. */
  prune(now: number): void {
    this.#sql.exec("DELETE FROM audit WHERE at < ?", now - RETENTION_MS);
    for (const condition of CLASS_CONDITIONS)
      this.#sql.exec(
        `DELETE FROM audit WHERE ${condition} AND n <=
           (SELECT n FROM audit WHERE ${condition} ORDER BY n DESC LIMIT 1 OFFSET ?)`,
        MAX_ENTRIES_PER_CLASS,
      );
  }
}
