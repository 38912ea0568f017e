/**
 * The Durable Object of one AI group or pool: the record of its messages, read cursors, tasks and signs of life. The
 * household decides who is a member, and sends the whole list after each change.
 */
import { DurableObject } from "cloudflare:workers";
import type { Principal } from "../auth/principal.ts";
import type {
  Announcement,
  AssignmentEnd,
  GroupCaller,
  GroupNotice,
  GroupRecord,
  GroupRpc,
  NewGroupMessage,
  PostForMember,
  ReadQuery,
  ReceiverLookup,
  RequestChange,
} from "../contracts/groups.ts";
import { defined } from "../mess/defined.ts";
import type { Outcome } from "../mess/errors.ts";
import { EXCHANGE_SENDER } from "../mess/groups/ids.ts";
import { logDefect } from "../log.ts";
import { ok } from "../mess/result.ts";
import { Alarm } from "../object/alarm.ts";
import { Jobs } from "../object/jobs.ts";
import { transact } from "../object/transaction.ts";
import { withTimeout } from "../object/with-timeout.ts";
import { deleteGroupRows } from "../partitions/group-messages.ts";
import { deleteMessages, listDeletable } from "./delete-old-messages.ts";
import { endAssignment } from "./end-assignment.ts";
import { GroupStore } from "./tables/group-store.ts";
import { createIndexJobs } from "./index-messages.ts";
import { markAllFrom, markRead } from "./reading/mark-read.ts";
import type { StoredMessage } from "./tables/message-table.ts";
import { postNotice } from "./sending/post-notice.ts";
import { readMessages } from "./reading/read-messages.ts";
import { cancelWait, receiveMessages } from "./reading/receive-messages.ts";
import type { GroupJobs } from "./tables/group-job-table.ts";
import { createRequestJobs } from "./requests/request-jobs.ts";
import { takeRequestChange } from "./requests/take-request-change.ts";
import { resolveCaller } from "./resolve-caller.ts";
import { sendAnnouncement } from "./sending/send-announcement.ts";
import { sendMessage } from "./sending/send-message.ts";
import { showMessage, showRequest } from "./reading/show-message.ts";
import { acceptGroupSocket, announceMessage, applyRecord } from "./sockets/group-sockets.ts";
import { isWaiting } from "./sockets/wait-sockets.ts";
import { readPending, readStatus } from "./reading/status-view.ts";
import { syncRecord } from "./sync-record.ts";
import { viewGroup } from "./reading/view-group.ts";

const MAX_DELETED_PER_CALL = 500;
/** A call waits this long for the request that it opens, so that it returns the ref. */
const REQUEST_WAIT_MS = 2_000;

export class GroupObject extends DurableObject<Env> implements GroupRpc {
  readonly #store: GroupStore;
  readonly #jobs: Jobs<"indexed" | keyof GroupJobs>;
  readonly #alarm: Alarm;

  /** @param postForMember sends a member's message to the exchange; injected, because groups do not import it */
  constructor(ctx: DurableObjectState, env: Env, postForMember: PostForMember) {
    super(ctx, env);
    this.#store = new GroupStore(ctx.storage.sql, (member) => isWaiting(ctx, member));
    this.#alarm = new Alarm(ctx.storage, {
      listDueTimes: (now) => [this.#jobs.getNextDue(now)],
      onError: (error) => logDefect(error, { during: "alarm" }),
    });
    const requestJobs = createRequestJobs(ctx.storage, this.#store, postForMember, (change) =>
      this.#announce(this.#commit(() => ok(change())).value),
    );
    this.#jobs = new Jobs<"indexed" | keyof GroupJobs>(
      [createIndexJobs(env, this.#store), requestJobs],
      () => this.#alarm.set(),
    );
  }

  async sync(record: GroupRecord): Promise<void> {
    const { value: handedOver } = this.#commit(() =>
      ok(syncRecord(this.#store, record, Date.now())),
    );
    if (handedOver === false) return;
    applyRecord(this.ctx, this.#store);
    if (handedOver) this.#announce([handedOver]);
  }

  async post(notices: GroupNotice[]): Promise<string[]> {
    const { value: posted } = this.#commit(() =>
      ok(notices.map((notice) => postNotice(this.#store, notice, Date.now()))),
    );
    this.#announce(posted.flatMap(({ message, repeated }) => (repeated ? [] : [message])));
    return posted.map(({ message }) => message.id);
  }

  async endAssignment(end: AssignmentEnd): Promise<void> {
    const { value: messages } = this.#commit(() => ok(endAssignment(this.#store, end, Date.now())));
    this.#announce(messages);
    // Requests are given back by a job, also where no member gets a message.
    this.#startJobs();
  }

  async markNotices(member: string): Promise<void> {
    this.#commit(() => ok(markAllFrom(this.#store, member, EXCHANGE_SENDER)));
  }

  async send(
    caller: GroupCaller,
    message: NewGroupMessage,
    lookup: ReceiverLookup = {},
  ): ReturnType<GroupRpc["send"]> {
    const sent = this.#commit(() => sendMessage(this.#store, caller, message, lookup, Date.now()));
    if (!sent.ok) return sent;
    const stored = this.#store.messages.get(sent.value.seq)!;
    if (!sent.value.repeated) this.#announce([stored]);
    if (!lookup.executor) return sent;
    await withTimeout(REQUEST_WAIT_MS, this.#jobs.run("post")).catch(() => undefined);
    const { ref } = showRequest(this.#store, stored);
    return ok({ ...sent.value, ...defined({ ref }) });
  }

  async takeRequestChange(change: RequestChange): Promise<void> {
    const { value: messages } = this.#commit(() =>
      ok(takeRequestChange(this.#store, change, Date.now())),
    );
    this.#announce(messages);
  }

  async read(caller: GroupCaller, query: ReadQuery): ReturnType<GroupRpc["read"]> {
    return this.#commit(() => readMessages(this.#store, caller, query, Date.now()));
  }

  async markRead(
    caller: GroupCaller,
    which: { other?: string; message?: string },
  ): ReturnType<GroupRpc["markRead"]> {
    return this.#commit(() => markRead(this.#store, caller, which));
  }

  async pending(caller: GroupCaller): ReturnType<GroupRpc["pending"]> {
    return this.#commit(() => readPending(this.#store, caller, Date.now()));
  }

  async status(caller: GroupCaller): ReturnType<GroupRpc["status"]> {
    return readStatus(this.#store, caller, Date.now());
  }

  async view(viewer: Principal, query: { before?: number }): ReturnType<GroupRpc["view"]> {
    return viewGroup(this.#store, viewer, query, Date.now());
  }

  async announce(owner: Principal, announcement: Announcement): ReturnType<GroupRpc["announce"]> {
    const sent = this.#commit(() => sendAnnouncement(this.#store, owner, announcement, Date.now()));
    if (!sent.ok) return sent;
    this.#announce(sent.value.posted);
    return ok({ members: sent.value.members });
  }

  async receive(
    caller: GroupCaller,
    cursor?: number,
    wait?: string,
  ): ReturnType<GroupRpc["receive"]> {
    return this.#commit(() => receiveMessages(this.#store, caller, cursor, Date.now(), wait));
  }

  async cancelWait(caller: GroupCaller, wait: string): ReturnType<GroupRpc["cancelWait"]> {
    return this.#commit(() => cancelWait(this.#store, caller, wait, Date.now()));
  }

  async heartbeat(caller: GroupCaller): ReturnType<GroupRpc["heartbeat"]> {
    return this.#commit(() => {
      const member = resolveCaller(this.#store.roster, caller);
      if (!member.ok) return member;
      const now = Date.now();
      this.#store.life.record(member.value.key, now);
      return ok({ at: new Date(now).toISOString() });
    });
  }

  async listSeen(): ReturnType<GroupRpc["listSeen"]> {
    const { roster, life } = this.#store;
    const now = Date.now();
    const seen = (roster.read()?.members ?? []).map(
      ({ key }) => [key, life.getSeen(key, now)] as const,
    );
    return Object.fromEntries(
      seen.filter((entry): entry is [string, number] => entry[1] !== undefined),
    );
  }

  async listMessages(after: number, limit: number): ReturnType<GroupRpc["listMessages"]> {
    if (!this.#store.roster.read()) return { messages: [], more: false };
    const found = this.#store.messages.list(after, limit + 1);
    const messages = found.slice(0, limit).map((message) => showMessage(this.#store, message));
    return { messages, more: found.length > limit };
  }

  async estimateExportBytes(): Promise<number> {
    return this.#store.roster.read() ? this.#store.messages.estimateExportBytes() : 0;
  }

  async deleteOlder(before: number): ReturnType<GroupRpc["deleteOlder"]> {
    const record = this.#store.roster.read();
    const chosen = record ? listDeletable(this.#store, before, MAX_DELETED_PER_CALL) : [];
    if (!record || chosen.length === 0) return { deleted: 0, more: false };
    const seqs = chosen.map(({ seq }) => seq);
    // The index first: after a failure of D1, the messages are still here to be found again.
    await deleteGroupRows(this.env.INDEX, record.household, record.id, seqs);
    const { value: deleted } = this.#commit(() => ok(deleteMessages(this.#store, chosen)));
    return { deleted, more: chosen.length === MAX_DELETED_PER_CALL };
  }

  async reindex(): Promise<void> {
    if (!this.#store.roster.read()) return;
    this.#store.roster.setIndexedSeq(0);
    this.#startJobs();
  }

  override async alarm(): Promise<void> {
    await this.#alarm.run(() => this.#jobs.run());
  }

  /** The WebSocket of a member that waits, or of a dashboard. */
  override async fetch(request: Request): Promise<Response> {
    return acceptGroupSocket(this.ctx, this.#store, request);
  }

  override webSocketClose(socket: WebSocket): void {
    socket.close();
  }

  /** Runs a change in one transaction. A refusal leaves nothing. */
  #commit<Result extends Outcome<unknown>>(change: () => Result): Result {
    return transact(this.ctx.storage, change, () => this.#store.clearCache());
  }

  #startJobs(): void {
    this.ctx.waitUntil(Promise.all([this.#alarm.set(), this.#jobs.start()]));
  }

  #announce(messages: readonly StoredMessage[]): void {
    for (const message of messages) announceMessage(this.ctx, this.#store, message);
    if (messages.length > 0) this.#startJobs();
  }
}
