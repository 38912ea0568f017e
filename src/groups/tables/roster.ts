/**
 * The household's record of the group: its members, their present and former ids, and who is the primary ops. Beside
 * them, the people and robots to whom tasks were sent, and owners who wrote to all members.
 */
import { type CredentialId, isBrowserSession } from "../../auth/principal.ts";
import type { GroupExecutor, GroupMember, GroupRecord } from "../../contracts/groups.ts";
import type { GroupExecutorRole, GroupRole } from "../../mess/groups/vocabulary.ts";
import { EXCHANGE_SENDER } from "../../mess/groups/ids.ts";
import { createTables, type GroupTables, isCreated } from "./schema.ts";

/** A member, or a person or robot to whom a task was sent. These have no credential, so nobody can act as one. */
export type RosterMember = Omit<GroupMember, "role" | "credential"> & {
  role: GroupRole | GroupExecutorRole;
  credential: CredentialId | "none";
};

export class Roster {
  readonly #sql: SqlStorage;
  readonly #tables: GroupTables;
  #record: GroupRecord | undefined;
  #executors: RosterMember[] | undefined;

  constructor(sql: SqlStorage, tables: GroupTables) {
    this.#sql = sql;
    this.#tables = tables;
  }

  /** Call this when a transaction that wrote here was rolled back. */
  clearCache(): void {
    this.#record = undefined;
    this.#executors = undefined;
  }

  /** Undefined before the household sent the record. */
  read(): GroupRecord | undefined {
    if (this.#record === undefined && isCreated(this.#tables)) {
      const [row] = this.#sql.exec<{ record: string }>("SELECT record FROM record").toArray();
      if (row) this.#record = JSON.parse(row.record) as GroupRecord;
    }
    return this.#record;
  }

  /** The record of a group that is known to exist. */
  get(): GroupRecord {
    const record = this.read();
    if (!record) throw new Error("the household has not sent the record of this group: sync first");
    return record;
  }

  /** Stores the record; an older one than the stored is ignored. @returns whether it was stored */
  save(record: GroupRecord): boolean {
    const stored = this.read();
    if (stored && record.revision <= stored.revision) return false;
    if (!stored) createTables(this.#tables);
    this.#sql.exec(
      "INSERT INTO record (one, record) VALUES (1, ?) ON CONFLICT DO UPDATE SET record = excluded.record",
      JSON.stringify(record),
    );
    this.#record = record;
    return true;
  }

  /** Position of the last message that the index in D1 has. */
  getIndexedSeq(): number {
    return this.#sql.exec<{ indexed: number }>("SELECT indexed FROM record").one().indexed;
  }

  setIndexedSeq(seq: number): void {
    this.#sql.exec("UPDATE record SET indexed = ?", seq);
  }

  /** The member with the present or a former id, also one that has left. */
  find(id: string): RosterMember | undefined {
    const { members } = this.get();
    return (
      members.find((member) => member.id === id) ??
      members.find(({ key, aliases }) => key === id || aliases.includes(id)) ??
      this.listExecutors().find(({ key }) => key === id)
    );
  }

  /** The members with a credential. */
  listActive(): GroupMember[] {
    return this.get().members.filter(({ active }) => active);
  }

  /** Ids of all others that have a channel with the member. */
  listReceivers({ key }: RosterMember): string[] {
    return [...this.listActive(), ...this.listExecutors()].flatMap((member) =>
      member.key === key ? [] : [member.id],
    );
  }

  listExecutors(): RosterMember[] {
    return (this.#executors ??= this.#tables
      .run<ExecutorRow>("executors", "SELECT * FROM executors ORDER BY joined, id")
      .map(({ joined, ...executor }) => toExecutorMember(executor, joined)));
  }

  /** Adds the executor, or its new name. */
  addExecutor({ id, role, name }: GroupExecutor, now: number): void {
    const known = this.listExecutors().find(({ key }) => key === id);
    if (known?.name === name && known.role === role) return;
    this.#tables.insert(
      "executors",
      `INSERT INTO executors (id, role, name, joined) VALUES (?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET role = excluded.role, name = excluded.name`,
      id,
      role,
      name,
      now,
    );
    this.#executors = undefined;
  }

  /** The present id and the name to show for a stored key: the exchange's, or that of ops outside a pool, is itself. */
  show(key: string): { id: string; name: string } {
    const member = key === EXCHANGE_SENDER ? undefined : this.find(key);
    return member ? { id: member.id, name: member.name } : { id: key, name: key };
  }

  isPerson(key: string): boolean {
    const member = key === EXCHANGE_SENDER ? undefined : this.find(key);
    return member !== undefined && isPerson(member);
  }
}

type ExecutorRow = Record<string, SqlStorageValue> & GroupExecutor & { joined: number };

export const toExecutorMember = (
  { id, role, name }: GroupExecutor,
  joined: number,
): RosterMember => ({
  key: id,
  id,
  aliases: [],
  name,
  role,
  actor: id,
  credential: "none",
  active: true,
  joined,
  ...(role === "person" ? { person: true } : {}),
});

export const isExecutor = ({ role }: Pick<RosterMember, "role">): boolean =>
  role === "person" || role === "robot";

export const isPerson = ({ person, credential }: RosterMember): boolean =>
  person === true || isBrowserSession(credential);
