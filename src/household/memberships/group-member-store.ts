/** The members of AI groups and pools: which id belongs to which credential. */
import type { CredentialId } from "../../auth/principal.ts";
import type { GroupMember } from "../../contracts/groups.ts";
import { findNamed } from "../../mess/groups/names.ts";

export interface StoredGroupMember extends Omit<GroupMember, "ended"> {
  group: string;
  ended: boolean;
}

interface GroupMemberRow extends Record<string, SqlStorageValue> {
  group_id: string;
  key: string;
  id: string;
  aliases: string;
  name: string;
  role: GroupMember["role"];
  actor: string;
  credential: CredentialId;
  left_at: number | null;
  ended: number;
  joined: number;
}

const toMember = (row: GroupMemberRow): StoredGroupMember => ({
  group: row.group_id,
  key: row.key,
  id: row.id,
  aliases: JSON.parse(row.aliases) as string[],
  name: row.name,
  role: row.role,
  actor: row.actor,
  credential: row.credential,
  active: row.left_at === null,
  ended: row.ended === 1,
  joined: row.joined,
});

/** Whether the member has the id, now or formerly. */
export const hasMemberId = ({ id, aliases }: StoredGroupMember, given: string): boolean =>
  id === given || aliases.includes(given);

/** Part of a released migration: change the table by a new migration only. */
export const GROUP_MEMBERS_TABLE = `
  CREATE TABLE group_members (
    group_id TEXT NOT NULL,
    key TEXT NOT NULL,
    id TEXT NOT NULL,
    aliases TEXT NOT NULL,
    name TEXT NOT NULL,
    role TEXT NOT NULL,
    actor TEXT NOT NULL,
    credential TEXT NOT NULL,
    left_at INTEGER,
    ended INTEGER NOT NULL,
    joined INTEGER NOT NULL,
    PRIMARY KEY (group_id, key)
  ) WITHOUT ROWID;
  CREATE INDEX group_members_by_credential ON group_members (credential);
  CREATE INDEX group_members_by_name ON group_members (name);
  CREATE INDEX group_members_by_key ON group_members (key);
  CREATE INDEX group_members_by_id ON group_members (id);`;

/** Members of one group or pool that have left. Names in pools may be new in every session. */
const MAX_LEFT_MEMBERS = 500;

export class GroupMemberStore {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Adds a member, or makes a removed one active again with these values. */
  put(member: Omit<StoredGroupMember, "id" | "aliases" | "active" | "ended">): void {
    this.#sql.exec(
      `INSERT INTO group_members (group_id, key, id, aliases, name, role, actor, credential, ended, joined)
       VALUES (?1, ?2, ?2, '[]', ?3, ?4, ?5, ?6, 0, ?7)
       ON CONFLICT (group_id, key) DO UPDATE SET credential = ?6, left_at = NULL, ended = 0`,
      member.group,
      member.key,
      member.name,
      member.role,
      member.actor,
      member.credential,
      member.joined,
    );
  }

  find(group: string, key: string): StoredGroupMember | undefined {
    return this.#list("group_id = ? AND key = ?", group, key)[0];
  }

  /** The member with the name, in any spelling of it. */
  findByName(group: string, name: string): StoredGroupMember | undefined {
    const active = this.#list("group_id = ? AND left_at IS NULL ORDER BY joined, key", group);
    return findNamed(active, name);
  }

  /** The members of a group in the order in which they joined, with removed ones. */
  list(group: string): StoredGroupMember[] {
    return this.#list("group_id = ? ORDER BY joined, key", group);
  }

  /** @param actor counts only the memberships of this member of the household */
  countActive(group: string, actor: string | null = null): number {
    return this.#sql
      .exec<{ count: number }>(
        "SELECT count(*) AS count FROM group_members WHERE group_id = ? AND left_at IS NULL AND actor = coalesce(?, actor)",
        group,
        actor,
      )
      .one().count;
  }

  listOfCredential(credential: CredentialId): StoredGroupMember[] {
    return this.#list("credential = ? AND left_at IS NULL ORDER BY joined, key", credential);
  }

  listOfActor(actor: string): StoredGroupMember[] {
    return this.#list("actor = ? AND left_at IS NULL ORDER BY joined, key", actor);
  }

  listOwn(group: string, credential: CredentialId): StoredGroupMember[] {
    return this.#list(
      "group_id = ? AND credential = ? AND left_at IS NULL ORDER BY joined, key",
      group,
      credential,
    );
  }

  /** The memberships of a member of the household in open groups and the pools. */
  listOpenOfActor(actor: string): StoredGroupMember[] {
    return this.#list(
      `actor = ? AND left_at IS NULL AND group_id IN (
         SELECT id FROM agent_groups WHERE status = 'open') ORDER BY joined, key`,
      actor,
    );
  }

  /** The memberships that have the id, now or formerly. */
  listById(id: string): StoredGroupMember[] {
    return this.#list("(key = ?1 OR id = ?1) AND left_at IS NULL ORDER BY joined, group_id", id);
  }

  setCredential(group: string, key: string, credential: CredentialId): void {
    this.#sql.exec(
      "UPDATE group_members SET credential = ?, ended = 0 WHERE group_id = ? AND key = ?",
      credential,
      group,
      key,
    );
  }

  rename(group: string, key: string, name: string): void {
    this.#sql.exec(
      "UPDATE group_members SET name = ? WHERE group_id = ? AND key = ?",
      name,
      group,
      key,
    );
  }

  /** Makes the agent ops under a new id. The old one stays an alias. */
  promote(group: string, key: string, id: string): void {
    this.#sql.exec(
      `UPDATE group_members SET role = 'ops', aliases = json_insert(aliases, '$[#]', id), id = ?
       WHERE group_id = ? AND key = ?`,
      id,
      group,
      key,
    );
  }

  /** The newest of those who left are kept, so that their waits end. */
  remove(group: string, key: string, now: number): void {
    this.#sql.exec(
      "UPDATE group_members SET left_at = ? WHERE group_id = ? AND key = ?",
      now,
      group,
      key,
    );
    this.#sql.exec(
      `DELETE FROM group_members WHERE group_id = ?1 AND left_at IS NOT NULL AND key NOT IN (
         SELECT key FROM group_members WHERE group_id = ?1 AND left_at IS NOT NULL
         ORDER BY left_at DESC, key LIMIT ?2)`,
      group,
      MAX_LEFT_MEMBERS,
    );
  }

  /** Marks the members whose credential has ended; returns their groups. */
  endCredential(credential: CredentialId): string[] {
    const ended = this.#sql
      .exec<{ group_id: string }>(
        `UPDATE group_members SET ended = 1 WHERE credential = ? AND ended = 0 AND left_at IS NULL
         RETURNING group_id`,
        credential,
      )
      .toArray();
    return [...new Set(ended.map(({ group_id }) => group_id))];
  }

  #list(condition: string, ...values: SqlStorageValue[]): StoredGroupMember[] {
    return this.#sql
      .exec<GroupMemberRow>(`SELECT * FROM group_members WHERE ${condition}`, ...values)
      .toArray()
      .map(toMember);
  }
}
