/** RPC surface of the household for its audit trail: changes of access, secrets and settings, and who made them. */
import type { JsonMap } from "../mess/json.ts";

/** The actor of a change, and the kind of credential that was used. */
export interface AuditSource {
  /** Member id; `operator` for the deployment's operator, `exchange` for the exchange itself. */
  actor: string;
  credential: "key" | "grant" | "session" | "sign_in_link" | "passkey" | "operator" | "exchange";
  /** Id under which owners list the key or grant. */
  credential_id?: string;
}

export type AuditAction =
  | "household_created"
  | "household_exported"
  | "household_suspended"
  | "household_resumed"
  | "config_changed"
  | "key_created"
  | "key_revoked"
  | "key_expired"
  | "secret_set"
  | "secret_removed"
  | "secrets_resealed"
  | "sign_in_link_created"
  | "signed_in"
  | "signed_out"
  | "passkey_added"
  | "person_removed"
  | "grant_created"
  | "grant_revoked"
  | "thread_deleted"
  | "file_deleted"
  | "link_created"
  | "link_revoked"
  | "reservation_released"
  | "group_closed"
  | "groups_wiped"
  | "source_registered"
  | "source_status_changed"
  | "source_removed"
  | "policy_changed"
  | "rules_changed"
  | "approval_chat_confirmed"
  | "approval_chat_ended";

/** A change as it is recorded. It never holds a key, a token, a link or the value of a secret. */
export interface AuditRecord {
  action: AuditAction;
  source: AuditSource;
  /** Id of the changed thing: a key, a secret's name, a member, a grant, a thread's ref. */
  target?: string;
  detail?: JsonMap;
}

/** A change of a thread, which its object reports at least once; `once` identifies it. */
export interface ThreadAuditRecord extends AuditRecord {
  once: string;
}

/** An entry as owners read it. */
export interface AuditEntry extends AuditSource {
  cursor: number;
  /** ISO 8601, UTC. */
  at: string;
  action: AuditAction;
  target?: string;
  detail?: JsonMap;
}

export interface AuditRpc {
  /** Entries before the cursor, or the newest ones; newest first. `next` is present while older ones follow. */
  listEntries(
    before: number | undefined,
    limit: number,
  ): Promise<{ entries: AuditEntry[]; next?: number }>;
  /** Records that an owner exports the household; call it before the first byte. */
  recordExport(source: AuditSource, detail: JsonMap): Promise<void>;
  /** Records what a thread's object reports. Idempotent. */
  recordReport(record: ThreadAuditRecord): Promise<void>;
}
