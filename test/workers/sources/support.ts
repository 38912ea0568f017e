/** A source's object, without the household that would send its record. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import type { ParsedBytes } from "../../../src/attachments/receive-parsed.ts";
import { hashSha256 } from "../../../src/auth/hash.ts";
import type { ApprovalChat } from "../../../src/contracts/contacts.ts";
import type {
  IncomingSourceMessage,
  MessageQuery,
  SourceMessageSummary,
  SourceRecord,
  SourceRpc,
} from "../../../src/contracts/sources.ts";
import { SourceStore } from "../../../src/sources/tables/source-store.ts";
import { getHouseholdStub, getSourceStub } from "../../../src/stubs.ts";
import { unwrap } from "../outcomes.ts";

export const buildIncoming = (
  n: number,
  change: Partial<IncomingSourceMessage> = {},
): IncomingSourceMessage => ({
  external_id: `<${n}@elsewhere.test>`,
  sender: "ann@elsewhere.test",
  sender_name: "Ann",
  recipient: "mail.home@exchange.test",
  subject: `Message ${n}`,
  body: `The body of message ${n}.`,
  timestamp: 1_700_000_000_000 + n,
  headers: [["Message-ID", `<${n}@elsewhere.test>`]],
  channel: "ann@elsewhere.test",
  attachments: [],
  ...change,
});

/** Confirms, as the owner in a verified session, that taps in this chat approve. */
export async function confirmChat(
  { id, actor = "owner" }: { id: string; actor?: string },
  chat: Pick<ApprovalChat, "channel" | "address">,
): Promise<void> {
  const { identity, contacts } = getHouseholdStub(env, id);
  const hash = await hashSha256(`${id} ${actor} confirms`);
  unwrap(await identity.invite({ actor, role: "owner", hash, by_operator: true }));
  unwrap(await identity.acceptInvitation(hash, hash));
  unwrap(await contacts.setApprovalChat(hash, { ...chat, confirmed: true }));
  unwrap(await identity.endSession(hash));
}

/** A message before its bytes are stored. */
export const buildParsed = (n: number): ParsedBytes => {
  const { attachments: _none, raw: _raw, ...texts } = buildIncoming(n);
  return { ...texts, attachments: [] };
};

export class TestSource {
  readonly household = `h-${crypto.randomUUID().slice(0, 13)}`;
  readonly name = "mail";
  readonly rpc: SourceRpc = getSourceStub(env, this.household, this.name);
  record: SourceRecord = {
    household: this.household,
    name: this.name,
    kind: "email",
    title: "Mail of the house",
    status: "connected",
    revision: 1,
    created: 1_000,
  };

  getObject = (): DurableObjectStub => env.SOURCES.getByName(`${this.household}/${this.name}`);

  async change(change: Partial<SourceRecord>): Promise<void> {
    this.record = { ...this.record, revision: this.record.revision + 1, ...change };
    await this.rpc.sync(this.record);
  }

  /** @returns the ids */
  async receive(...messages: IncomingSourceMessage[]): Promise<string[]> {
    return unwrap(await this.rpc.messages.receive(messages)).map(({ id }) => id);
  }

  async list(query: Partial<MessageQuery> = {}): Promise<SourceMessageSummary[]> {
    return unwrap(await this.rpc.messages.list({ limit: 100, ...query })).messages;
  }

  read = async (id: string) => unwrap(await this.rpc.messages.read(id));
  status = async () => unwrap(await this.rpc.messages.status());

  /** Runs SQL on the object's tables. */
  async query<T extends Record<string, SqlStorageValue>>(
    sql: string,
    ...values: SqlStorageValue[]
  ): Promise<T[]> {
    return await runInDurableObject(this.getObject(), (_object, { storage }) =>
      storage.sql.exec<T>(sql, ...values).toArray(),
    );
  }

  /** Runs a change as the watcher and the outbox make them, inside the object. */
  async changeInside<T>(work: (store: SourceStore) => T): Promise<T> {
    return await runInDurableObject(this.getObject(), (_object, { storage }) =>
      storage.transactionSync(() => work(new SourceStore(storage.sql))),
    );
  }
}

/** A source without a household: its messages stay unclassified, unless the test classifies them. */
export async function createSource(): Promise<TestSource> {
  const source = new TestSource();
  await source.rpc.sync(source.record);
  return source;
}
