/** The entries of the two pools. Each is also a member of the group `agents` or `ops`, under the same key. */
import type { PoolId } from "../../../mess/groups/vocabulary.ts";

export interface PoolClaim {
  /** The pool itself where the agent carries out a request. */
  group: string;
  /** Key of the ops in that group, or the ref of the request. */
  by: string;
  at: number;
  /** The agent has joined the group. */
  joined: boolean;
}

export interface PoolEntry {
  key: string;
  pool: PoolId;
  capabilities: string[];
  terminal_info?: string;
  registered: number;
  /** The last sign of life that the household itself saw; the objects of the pool and the group know later ones. */
  seen: number;
  /** Rises with every claim. */
  epoch: number;
  claim?: PoolClaim;
}

interface PoolRow extends Record<string, SqlStorageValue> {
  key: string;
  pool: PoolId;
  capabilities: string;
  terminal_info: string | null;
  registered: number;
  seen: number;
  epoch: number;
  claimed_group: string | null;
  claimed_by: string | null;
  claimed_at: number | null;
  claim_joined: number;
}

const toEntry = (row: PoolRow): PoolEntry => ({
  key: row.key,
  pool: row.pool,
  capabilities: JSON.parse(row.capabilities) as string[],
  ...(row.terminal_info === null ? {} : { terminal_info: row.terminal_info }),
  registered: row.registered,
  seen: row.seen,
  epoch: row.epoch,
  ...(row.claimed_group === null
    ? {}
    : {
        claim: {
          group: row.claimed_group,
          by: row.claimed_by ?? "",
          at: row.claimed_at ?? 0,
          joined: row.claim_joined === 1,
        },
      }),
});

/** Part of a released migration: change the table by a new migration only. */
export const POOL_ENTRIES_TABLE = `
  CREATE TABLE pool_entries (
    key TEXT PRIMARY KEY,
    pool TEXT NOT NULL,
    capabilities TEXT NOT NULL,
    terminal_info TEXT,
    registered INTEGER NOT NULL,
    queued INTEGER NOT NULL,
    seen INTEGER NOT NULL,
    epoch INTEGER NOT NULL DEFAULT 0,
    claimed_group TEXT,
    claimed_by TEXT,
    claimed_at INTEGER,
    claim_joined INTEGER NOT NULL DEFAULT 0,
    check_due INTEGER
  ) WITHOUT ROWID;
  CREATE INDEX pool_entries_by_queue ON pool_entries (pool, queued);
  CREATE INDEX pool_entries_by_claim ON pool_entries (claimed_group) WHERE claimed_group IS NOT NULL;
  CREATE INDEX pool_entries_by_check ON pool_entries (check_due) WHERE check_due IS NOT NULL;`;

const NEXT_PLACE_SQL = "(SELECT coalesce(max(queued), 0) + 1 FROM pool_entries)";

export class PoolStore {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Adds an entry at the end of its pool's queue. */
  add(key: string, pool: PoolId, now: number): void {
    this.#sql.exec(
      `INSERT INTO pool_entries (key, pool, capabilities, registered, queued, seen)
       VALUES (?1, ?2, '[]', ?3, ${NEXT_PLACE_SQL}, ?3)`,
      key,
      pool,
      now,
    );
  }

  describe(key: string, fields: { capabilities?: string[]; terminal_info?: string }): void {
    this.#sql.exec(
      `UPDATE pool_entries SET capabilities = coalesce(?, capabilities),
         terminal_info = coalesce(?, terminal_info) WHERE key = ?`,
      fields.capabilities ? JSON.stringify(fields.capabilities) : null,
      fields.terminal_info ?? null,
      key,
    );
  }

  find(key: string): PoolEntry | undefined {
    return this.#list("key = ?", key)[0];
  }

  /** The entries of the pool, the longest waiting first. */
  list(pool: PoolId): PoolEntry[] {
    return this.#list("pool = ? ORDER BY queued", pool);
  }

  listClaimedFor(group: string): PoolEntry[] {
    return this.#list("claimed_group = ? ORDER BY queued", group);
  }

  count(): number {
    return this.#sql.exec<{ count: number }>("SELECT count(*) AS count FROM pool_entries").one()
      .count;
  }

  /** Entries that belong to this member of the household. */
  countOf(actor: string): number {
    return this.#sql
      .exec<{ count: number }>(
        `SELECT count(*) AS count FROM pool_entries p
         JOIN group_members m ON m.group_id = p.pool AND m.key = p.key
         WHERE m.actor = ? AND m.left_at IS NULL`,
        actor,
      )
      .one().count;
  }

  setSeen(key: string, seen: number): void {
    this.#sql.exec("UPDATE pool_entries SET seen = max(seen, ?) WHERE key = ?", seen, key);
  }

  /** @param checkDue when the agent is checked for signs of life @returns the epoch of the claim */
  claim(key: string, claim: Omit<PoolClaim, "joined">, checkDue: number): number {
    return this.#sql
      .exec<{ epoch: number }>(
        `UPDATE pool_entries SET epoch = epoch + 1, claimed_group = ?, claimed_by = ?, claimed_at = ?,
           claim_joined = 0, check_due = ? WHERE key = ? RETURNING epoch`,
        claim.group,
        claim.by,
        claim.at,
        checkDue,
        key,
      )
      .one().epoch;
  }

  setJoined(key: string): void {
    this.#sql.exec("UPDATE pool_entries SET claim_joined = 1 WHERE key = ?", key);
  }

  /** Ends the claim; the entry goes to the end of the queue. */
  endClaim(key: string): void {
    this.#sql.exec(
      `UPDATE pool_entries SET claimed_group = NULL, claimed_by = NULL, claimed_at = NULL,
         claim_joined = 0, check_due = NULL, queued = ${NEXT_PLACE_SQL} WHERE key = ?`,
      key,
    );
  }

  remove(key: string): void {
    this.#sql.exec("DELETE FROM pool_entries WHERE key = ?", key);
  }

  /** The claimed entries whose agents must be checked for signs of life. */
  listDueChecks(now: number): PoolEntry[] {
    return this.#list("check_due <= ? ORDER BY check_due", now);
  }

  setCheckDue(key: string, due: number): void {
    this.#sql.exec(
      "UPDATE pool_entries SET check_due = ? WHERE key = ? AND check_due IS NOT NULL",
      due,
      key,
    );
  }

  /** When the next claimed agent must be checked, in milliseconds since 1970; undefined while none is claimed. */
  getNextCheck(): number | undefined {
    return this.#sql
      .exec<{ due: number }>(
        `SELECT check_due AS due FROM pool_entries WHERE check_due IS NOT NULL
         ORDER BY check_due LIMIT 1`,
      )
      .toArray()[0]?.due;
  }

  #list(condition: string, ...values: SqlStorageValue[]): PoolEntry[] {
    return this.#sql
      .exec<PoolRow>(`SELECT * FROM pool_entries WHERE ${condition}`, ...values)
      .toArray()
      .map(toEntry);
  }
}
