/** A group's object with members, without the household that would send its record. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import type { CredentialId, Principal, Role } from "../../../src/auth/principal.ts";
import type {
  GroupCaller,
  GroupMember,
  GroupMessage,
  GroupRecord,
  GroupRpc,
  NewGroupMessage,
  ReadQuery,
} from "../../../src/contracts/groups.ts";
import { getGroupStub } from "../../../src/stubs.ts";
import { getCode, unwrap } from "../outcomes.ts";

export { getCode, unwrap };

/** The primary ops, second ops, and three agents; each has a key of its own. */
export const MEMBERS = ["boss", "deputy", "indy", "rocky", "short"] as const;
export type Name = (typeof MEMBERS)[number];

export const buildId = (name: string): string =>
  `${name === "boss" || name === "deputy" ? "o" : "a"}_${name}0000`;

/** An id as the household chooses it for a notice. */
export const buildNoticeId = (n: number): string => `msg_${n.toString(36).padStart(12, "0")}`;

export const buildMember = (name: string, change: Partial<GroupMember> = {}): GroupMember => ({
  key: buildId(name),
  id: buildId(name),
  aliases: [],
  name,
  role: name === "boss" || name === "deputy" ? "ops" : "agent",
  actor: `actor-${name}`,
  credential: `key:${name}`,
  active: true,
  joined: 1_000,
  ...change,
});

export class TestGroup {
  readonly household = `h-${crypto.randomUUID().slice(0, 13)}`;
  readonly id = `g_${crypto.randomUUID().slice(0, 8)}`;
  readonly rpc: GroupRpc = getGroupStub(env, this.household, this.id);
  record: GroupRecord = {
    household: this.household,
    id: this.id,
    topic: "Project X",
    status: "open",
    revision: 1,
    created: 1_000,
    members: MEMBERS.map((name) => buildMember(name)),
    primary: buildId("boss"),
  };

  getObject = (): DurableObjectStub => env.GROUPS.getByName(`${this.household}/${this.id}`);

  /** Sends a changed record, as the household does after each change. */
  async change(change: Partial<GroupRecord>): Promise<void> {
    this.record = { ...this.record, revision: this.record.revision + 1, ...change };
    await this.rpc.sync(this.record);
  }

  async changeMember(name: string, change: Partial<GroupMember>): Promise<void> {
    const members = this.record.members.map((member) =>
      member.name === name ? { ...member, ...change } : member,
    );
    await this.change({ members });
  }

  buildPrincipal(name: string, role: Role = "agent"): Principal {
    const credential: CredentialId = `key:${name}`;
    return { household: this.household, actor: `actor-${name}`, role, credential };
  }

  as = (name: string, id?: string): GroupCaller => ({
    principal: this.buildPrincipal(name),
    ...(id === undefined ? {} : { as: id }),
  });

  asOwner = (): GroupCaller => ({ principal: this.buildPrincipal("mum", "owner") });

  trySend = (from: string, to: string, message: string | Partial<NewGroupMessage>) =>
    this.rpc.send(this.as(from), {
      to: buildId(to),
      content: typeof message === "string" ? message : "hello",
      type: "message",
      ...(typeof message === "string" ? {} : message),
    });

  send = async (from: string, to: string, message: string | Partial<NewGroupMessage>) =>
    unwrap(await this.trySend(from, to, message));

  read = async (name: string, query: ReadQuery = {}) =>
    unwrap(await this.rpc.read(this.as(name), query));

  receive = async (name: string, cursor?: number) =>
    unwrap(await this.rpc.receive(this.as(name), cursor));

  pending = async (name: string) => unwrap(await this.rpc.pending(this.as(name)));

  status = async (name: string) => unwrap(await this.rpc.status(this.as(name)));

  mark = async (name: string, which: { other?: string; message?: string } = {}) =>
    unwrap(await this.rpc.markRead(this.as(name), which));

  /** All messages of the group, as an owner exports them. */
  listAll = async (): Promise<GroupMessage[]> => (await this.rpc.listMessages(0, 10_000)).messages;

  /** Rows read and written by the object's statements while `work` runs. */
  async countRows(work: () => Promise<unknown>): Promise<{ read: number; written: number }> {
    const cursors: SqlStorageCursor<Record<string, SqlStorageValue>>[] = [];
    let restore = (): void => undefined;
    await runInDurableObject(this.getObject(), (_object, { storage: { sql } }) => {
      const exec = sql.exec.bind(sql);
      sql.exec = ((query: string, ...values: SqlStorageValue[]) => {
        const cursor = exec(query, ...values);
        cursors.push(cursor);
        return cursor;
      }) as typeof sql.exec;
      restore = () => (sql.exec = exec);
    });
    await work();
    await runInDurableObject(this.getObject(), () => restore());
    const sum = (count: (cursor: (typeof cursors)[number]) => number): number =>
      cursors.reduce((total, cursor) => total + count(cursor), 0);
    return { read: sum((cursor) => cursor.rowsRead), written: sum((cursor) => cursor.rowsWritten) };
  }
}

export async function createGroup(change: Partial<GroupRecord> = {}): Promise<TestGroup> {
  const group = new TestGroup();
  group.record = { ...group.record, ...change };
  await group.rpc.sync(group.record);
  return group;
}

export const getContents = ({ messages }: { messages: readonly GroupMessage[] }): string[] =>
  messages.map(({ content }) => content);
