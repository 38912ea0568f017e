/** The AI groups of a household, and its two pools, which have a row here from their first registration on. */
import type { CredentialId } from "../../auth/principal.ts";
import { isPoolId, POOL_IDS } from "../../mess/groups/vocabulary.ts";

/** The last handoff of the primary role. Members are named by their key. */
export interface Handoff {
  from: string;
  to: string;
  state: "offered" | "accepted";
  /** Milliseconds since 1970. */
  at: number;
}

/** An offer that was not accepted by then ends. */
export const OFFER_LIFETIME_MS = 24 * 3_600_000;

export interface StoredGroup {
  id: string;
  topic: string;
  description?: string;
  status: "open" | "closed";
  created: number;
  revision: number;
  /** Key of the primary ops; absent in a pool. */
  primary?: string;
  handoff?: Handoff;
}

interface GroupRow extends Record<string, SqlStorageValue> {
  id: string;
  topic: string;
  description: string | null;
  status: "open" | "closed";
  created: number;
  revision: number;
  primary_key: string | null;
  handoff: string | null;
}

const toGroup = ({ description, primary_key, handoff, ...row }: GroupRow): StoredGroup => ({
  ...row,
  ...(description === null ? {} : { description }),
  ...(primary_key === null ? {} : { primary: primary_key }),
  ...(handoff === null ? {} : { handoff: JSON.parse(handoff) as Handoff }),
});

/** Part of a released migration: change the table by a new migration only. */
export const GROUPS_TABLE = `
  CREATE TABLE agent_groups (
    id TEXT PRIMARY KEY,
    topic TEXT NOT NULL,
    description TEXT,
    status TEXT NOT NULL,
    created INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    primary_key TEXT,
    handoff TEXT
  ) WITHOUT ROWID;`;

export class GroupCatalog {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  add({ id, topic, description, created, primary }: Omit<StoredGroup, "status" | "revision">) {
    this.#sql.exec(
      `INSERT INTO agent_groups (id, topic, description, status, created, revision, primary_key)
       VALUES (?, ?, ?, 'open', ?, 0, ?)`,
      id,
      topic,
      description ?? null,
      created,
      primary ?? null,
    );
  }

  find(id: string): StoredGroup | undefined {
    return this.#list("id = ?", id)[0];
  }

  /** With the pools. */
  listAll(): StoredGroup[] {
    return this.#list("TRUE");
  }

  /** All groups and pools. */
  listIds(): string[] {
    return this.#list("TRUE ORDER BY id").map(({ id }) => id);
  }

  listOpen(): StoredGroup[] {
    return this.#list("status = 'open' ORDER BY id").filter(({ id }) => !isPoolId(id));
  }

  countOpen(): number {
    return this.#sql
      .exec<{ count: number }>(
        "SELECT count(*) AS count FROM agent_groups WHERE status = 'open' AND id NOT IN (?, ?)",
        ...POOL_IDS,
      )
      .one().count;
  }

  /** Open groups whose primary ops is this member of the household. */
  countOpenOf(actor: string): number {
    return this.#sql
      .exec<{ count: number }>(
        `SELECT count(*) AS count FROM agent_groups g
         JOIN group_members m ON m.group_id = g.id AND m.key = g.primary_key
         WHERE g.status = 'open' AND m.actor = ?`,
        actor,
      )
      .one().count;
  }

  /** The open group that was created with this credential, name and topic after the instant: for repeated calls. */
  findRecent(
    { credential, name, topic }: { credential: CredentialId; name: string; topic: string },
    after: number,
  ): StoredGroup | undefined {
    return this.#list(
      `status = 'open' AND topic = ? AND created > ? AND EXISTS (
         SELECT 1 FROM group_members m WHERE m.group_id = agent_groups.id
           AND m.key = agent_groups.primary_key AND m.credential = ? AND m.name = ?)`,
      topic,
      after,
      credential,
      name,
    )[0];
  }

  close(id: string): void {
    this.#sql.exec("UPDATE agent_groups SET status = 'closed' WHERE id = ?", id);
  }

  setHandoff(id: string, handoff: Handoff | undefined): void {
    this.#sql.exec(
      "UPDATE agent_groups SET handoff = ? WHERE id = ?",
      handoff ? JSON.stringify(handoff) : null,
      id,
    );
  }

  setPrimary(id: string, key: string): void {
    this.#sql.exec("UPDATE agent_groups SET primary_key = ? WHERE id = ?", key, id);
  }

  /** Counts a change of the group or its members. */
  raiseRevision(id: string): void {
    this.#sql.exec("UPDATE agent_groups SET revision = revision + 1 WHERE id = ?", id);
  }

  #list(condition: string, ...values: SqlStorageValue[]): StoredGroup[] {
    return this.#sql
      .exec<GroupRow>(`SELECT * FROM agent_groups WHERE ${condition}`, ...values)
      .toArray()
      .map(toGroup);
  }
}
