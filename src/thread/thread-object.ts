/**
 * The Durable Object of one thread: the record of a request. It decides who may see the thread. `mess/thread` applies the
 * rules to a message, `thread-log` holds the tables, and `thread-runtime` commits changes and runs their follow-ups.
 */
import { deleteFile } from "./files/delete-file.ts";
import { eraseThread, isDeleted, refuseAbsentThread, refuseDeletedThread } from "./deletion.ts";
import { DurableObject } from "cloudflare:workers";
import { getConfig } from "../config.ts";
import type { PostReply } from "../delivery/delivery-attempt.ts";
import type { Principal } from "../auth/principal.ts";
import type { AuditSource } from "../contracts/audit.ts";
import type { Status } from "../mess/status.ts";
import type { MessageDocument } from "../mess/envelope.ts";
import type { DocumentFormat } from "../mess/messe-af/write.ts";
import type { Outcome } from "../mess/errors.ts";
import { refuseThreadNotFound } from "../auth/thread-not-found.ts";
import { refuseUnauthenticated } from "../auth/unauthenticated.ts";
import { fail, ok } from "../mess/result.ts";
import type { Route } from "../mess/routing/routing.ts";
import { handleDependencyEnd, replaceDependency } from "../mess/thread/dependencies.ts";
import type { Joiner } from "../mess/thread/suggestions/join.ts";
import type { ThreadState } from "../mess/thread/state.ts";
import type { Replacement } from "../mess/thread/suggestions/supersede.ts";
import { adoptThread } from "./adopt-import.ts";
import { buildHead, buildResourceView, buildView } from "./build-view.ts";
import { describeActions } from "./describe-actions.ts";
import { findContextFile, readContextThreads } from "./context/context-threads.ts";
import { readAsContext } from "./context/read-as-context.ts";
import { acceptJoiner, postOnce, supersedeThread } from "./system-actions.ts";
import { listDeliveries, redeliver } from "./deliveries/list-deliveries.ts";
import { findFile } from "./files/find-file.ts";
import { readRoute } from "./read-route.ts";
import { readDocumentText, readPageText } from "./document-text.ts";
import { ThreadRuntime } from "./thread-runtime.ts";
import { requestLink, ThreadLinks } from "./links.ts";
import { findMessage, resolveMessageName } from "./message-names.ts";
import { ThreadLog } from "./thread-log.ts";
import { createTables, createThreadTables, type ThreadTables } from "./migrations.ts";
import { findReply, receiveReply } from "./receive-reply.ts";
import { writeMessage, writeNewThread, findCreated } from "./write-message.ts";
import type {
  AccessEnd,
  AdoptInput,
  AppendInput,
  ChatSpeaker,
  CreateInput,
  DeliveryFailure,
  InboundReply,
  ReplyResult,
  ThreadLink,
  NewThreadLink,
  Receipt,
  ThreadRpc,
  SystemMessage,
} from "../contracts/thread.ts";
import type { DocumentRange, ThreadPage } from "../contracts/thread-views.ts";
import type { NewMultipartUpload, StagedBlob, StoredPart } from "../contracts/thread-uploads.ts";
import { buildSummary } from "./summary/summary.ts";
import { MultipartUploads } from "./files/multipart-uploads.ts";
import { StagedUploads } from "./files/staged-uploads.ts";
import { isVisibleTo, refuseReader } from "./visibility.ts";
import { acceptSocket } from "./waiters.ts";

export class ThreadObject extends DurableObject<Env> implements ThreadRpc {
  readonly #tables: ThreadTables;
  readonly #log: ThreadLog;
  readonly #links: ThreadLinks;
  readonly #uploads: StagedUploads;
  readonly #runtime: ThreadRuntime;

  /** @param postReply posts a machine's reply to a delivery; injected, because threads do not import the exchange */
  constructor(ctx: DurableObjectState, env: Env, postReply: PostReply) {
    super(ctx, env);
    this.#tables = createThreadTables(ctx.storage.sql);
    this.#log = new ThreadLog(ctx.storage.sql, this.#tables);
    this.#links = new ThreadLinks(this.#tables, this.#log);
    const transfers = new MultipartUploads(this.#tables);
    this.#runtime = new ThreadRuntime(
      ctx,
      env,
      this.#tables,
      this.#log,
      this.#links,
      transfers,
      postReply,
    );
    this.#uploads = new StagedUploads(this.#log, transfers, () => this.#runtime.setAlarm());
  }

  async create(input: CreateInput): Promise<Outcome<Receipt>> {
    return await this.#runtime.commit(() => {
      if (this.#runtime.isCreated()) return findCreated(this.#log, input);
      if (isDeleted(this.#tables)) return refuseDeletedThread();
      createTables(this.#tables);
      return writeNewThread(this.#log, input, Date.now());
    });
  }

  async append(input: AppendInput): Promise<Outcome<Receipt>> {
    return await this.#runtime.commit(() => {
      const state = this.#getVisibleState(input.actor);
      if (!state) return refuseAbsentThread(this.ctx.storage.sql, input.actor);
      const linkError = this.#links.checkBearer(input.actor, state, Date.now());
      // A credential that ended gets no receipts of its earlier messages either.
      if (linkError?.code === "unauthenticated") return fail(linkError);
      const about = resolveMessageName(this.#log, input.about);
      if (!about.ok) return linkError ? fail(linkError) : about;
      return writeMessage(
        this.#log,
        state,
        input,
        { about: about.value, dead: linkError, linkLimits: getConfig(this.env).limits },
        Date.now(),
      );
    });
  }

  async receiveReply(speaker: ChatSpeaker, reply: InboundReply): Promise<Outcome<ReplyResult>> {
    return await this.#runtime.commit(() =>
      this.#runtime.isCreated()
        ? receiveReply(this.#log, speaker, reply, Date.now())
        : refuseThreadNotFound(),
    );
  }

  async findReply(
    speaker: ChatSpeaker,
    reply: Pick<InboundReply, "key" | "action" | "text">,
  ): Promise<Outcome<ReplyResult | null>> {
    return this.#runtime.isCreated()
      ? findReply(this.#log, speaker, reply)
      : refuseThreadNotFound();
  }

  async readThread(viewer: Principal, after = 0): ReturnType<ThreadRpc["readThread"]> {
    return await this.#runAsViewer(viewer, (state) => ok(buildView(this.#log, state, after)));
  }

  async readResources(viewer: Principal, after = 0): ReturnType<ThreadRpc["readResources"]> {
    return await this.#runAsViewer(viewer, (state) =>
      ok(buildResourceView(this.#log, state, after)),
    );
  }

  async readThreadText(
    viewer: Principal,
    format: DocumentFormat,
    page: ThreadPage,
  ): ReturnType<ThreadRpc["readThreadText"]> {
    return await this.#runAsViewer(viewer, (state) =>
      ok({
        ...buildHead(this.#log, state),
        ...readPageText(this.ctx.storage.sql, format, page),
      }),
    );
  }

  async readDocumentText(
    viewer: Principal,
    format: DocumentFormat,
    rest: DocumentRange,
  ): ReturnType<ThreadRpc["readDocumentText"]> {
    return await this.#runAsViewer(viewer, () =>
      ok(readDocumentText(this.ctx.storage.sql, format, rest)),
    );
  }

  async findReceipt(viewer: Principal, key: string): Promise<Outcome<Receipt | null>> {
    return await this.#runAsViewer(viewer, () => ok(this.#log.findReceipt(key)?.receipt ?? null));
  }

  async readWithActions(viewer: Principal): ReturnType<ThreadRpc["readWithActions"]> {
    return await this.#runAsViewer(viewer, (state) =>
      ok({ ...buildView(this.#log, state, 0), ...describeActions(state, viewer, Date.now()) }),
    );
  }

  async readMessage(viewer: Principal, name: string): Promise<Outcome<MessageDocument[]>> {
    return await this.#runAsViewer(viewer, () => {
      const found = findMessage(this.#log, name);
      return found.ok ? ok(found.value.documents) : found;
    });
  }

  async findAttachment(viewer: Principal, name: string): ReturnType<ThreadRpc["findAttachment"]> {
    return await this.#runAsViewer(viewer, () => findFile(this.#log, name));
  }

  async deleteFile(viewer: Principal, name: string, by: AuditSource) {
    return await this.#runAsViewer(viewer, () =>
      this.#runtime.commit(() => deleteFile(this.ctx.storage.sql, this.#log, viewer, name, by)),
    );
  }

  async readContext(viewer: Principal): ReturnType<ThreadRpc["readContext"]> {
    return await this.#runAsViewer(viewer, () => readContextThreads(this.env, this.#log));
  }

  async findContextFile(
    viewer: Principal,
    thread: string,
    name: string,
  ): ReturnType<ThreadRpc["findAttachment"]> {
    return await this.#runAsViewer(viewer, () =>
      findContextFile(this.env, this.#log, thread, name),
    );
  }

  async readAsContext(part?: string): ReturnType<ThreadRpc["readAsContext"]> {
    return (this.#runtime.isCreated() && readAsContext(this.#log, part)) || null;
  }

  async getRoute(viewer: Principal): Promise<Outcome<Route>> {
    return await this.#runAsViewer(viewer, () => readRoute(this.#log));
  }

  async checkUpload(viewer: Principal, token = ""): Promise<Outcome<boolean>> {
    return await this.#runAsParticipant(viewer, () => ok(this.#uploads.isStaged(token)));
  }

  async stageUpload(viewer: Principal, blob: StagedBlob): Promise<Outcome<StagedBlob>> {
    return await this.#runAsParticipant(viewer, () => this.#uploads.stage(blob));
  }

  async beginUpload(
    viewer: Principal,
    upload: NewMultipartUpload,
  ): ReturnType<ThreadRpc["beginUpload"]> {
    return await this.#runAsParticipant(viewer, () => this.#uploads.begin(upload));
  }

  async findUpload(viewer: Principal, id: string): ReturnType<ThreadRpc["findUpload"]> {
    return await this.#runAsViewer(viewer, () => this.#uploads.find(viewer.actor, id));
  }

  async recordPart(
    viewer: Principal,
    id: string,
    part: StoredPart,
  ): ReturnType<ThreadRpc["recordPart"]> {
    return await this.#runAsViewer(viewer, () => this.#uploads.addPart(viewer.actor, id, part));
  }

  async finishUpload(
    viewer: Principal,
    id: string,
    blob?: StagedBlob,
  ): Promise<Outcome<StagedBlob>> {
    return await this.#runAsViewer(viewer, () => this.#uploads.finish(viewer.actor, id, blob));
  }

  async abortUpload(viewer: Principal, id: string): Promise<void> {
    await this.#runAsViewer(viewer, () => this.#uploads.abort(viewer.actor, id));
  }

  async adoptThread(input: AdoptInput): Promise<Outcome<{ fresh: boolean }>> {
    const adopt = () => adoptThread(this.#tables, this.#log, input, Date.now());
    return input.dryRun ? adopt() : await this.#runtime.commit(adopt);
  }

  async resolveDependency(ref: string, status: Status): Promise<void> {
    await this.#runtime.advance((draft) => handleDependencyEnd(draft, ref, status));
  }

  async acceptJoiner(joiner: Joiner, maxAgeSeconds: number): Promise<Outcome<true>> {
    return this.#runtime.isCreated()
      ? await this.#runtime.commit(() => acceptJoiner(this.#log, joiner, maxAgeSeconds, Date.now()))
      : refuseThreadNotFound();
  }

  async supersede(by: Replacement): Promise<boolean> {
    return await this.#runIfCreated(() => supersedeThread(this.#log, by, Date.now()));
  }

  async postSystemMessage(message: SystemMessage): Promise<boolean> {
    return await this.#runIfCreated(() => postOnce(this.#log, message, Date.now()));
  }

  async replaceDependency(replacedRef: string, refs: string[]): Promise<void> {
    await this.#runtime.advance((draft) => replaceDependency(draft, replacedRef, refs));
  }

  async #runIfCreated(work: () => Outcome<true>): Promise<boolean> {
    return this.#runtime.isCreated() && (await this.#runtime.commit(work)).ok;
  }

  async getSummary(): ReturnType<ThreadRpc["getSummary"]> {
    return this.#runtime.isCreated() ? buildSummary(this.#log) : null;
  }

  async erase(thread: { household: string; ref: string }): Promise<void> {
    await eraseThread(this.env, this.ctx.storage, this.#tables, this.#log, thread, this.#runtime);
  }

  async listBlobKeys(): Promise<string[]> {
    return this.#runtime.isCreated() ? this.#log.listBlobKeys() : [];
  }

  async addLink(link: NewThreadLink): Promise<Outcome<ThreadLink>> {
    return this.#runtime.isCreated()
      ? await this.#runtime.commitApart(() => this.#links.add(link, Date.now()))
      : refuseThreadNotFound();
  }

  async findLinkByNumber(number: number): Promise<ThreadLink | null> {
    return (this.#runtime.isCreated() && this.#links.findByNumber(number)) || null;
  }

  async listLinks(viewer: Principal): Promise<Outcome<ThreadLink[]>> {
    return await this.#runAsViewer(viewer, (state) => ok(this.#links.listVisible(state, viewer)));
  }

  async revokeLinks(
    viewer: Principal,
    links: { jti?: string; executor?: string },
    by?: AuditSource,
  ): Promise<Outcome<ThreadLink[]>> {
    return await this.#runAsViewer(viewer, async (state) => {
      const revoked = await this.#runtime.commitApart(() =>
        this.#links.revoke(state, viewer, links, by),
      );
      if (revoked.ok) this.#runtime.notifyWatchers();
      return revoked;
    });
  }

  async endAccess(end: AccessEnd): Promise<void> {
    if (!this.#runtime.isCreated()) return;
    this.#links.endAccess(end, Date.now());
    this.#runtime.notifyWatchers();
  }

  async listDeliveries(viewer: Principal): ReturnType<ThreadRpc["listDeliveries"]> {
    return await this.#runAsViewer(viewer, (state) => listDeliveries(this.#log, state, viewer));
  }

  async redeliver(viewer: Principal, id: string): ReturnType<ThreadRpc["redeliver"]> {
    return await this.#runAsViewer(viewer, async (state) => {
      const sent = redeliver(this.#log, state, viewer, id, Date.now());
      if (sent.ok) await this.#runtime.startDelivery();
      return sent;
    });
  }

  async recordDeliveryFailure(failure: DeliveryFailure): Promise<boolean> {
    return this.#runtime.isCreated() && (await this.#runtime.recordDeliveryFailure(failure));
  }

  async releaseHeld(executor: string): Promise<boolean> {
    return await this.#runtime.releaseHeld(executor);
  }

  async requestLink(executor: string, jti: string): ReturnType<ThreadRpc["requestLink"]> {
    return await this.#runtime.commit(() => {
      if (this.#runtime.isCreated() && this.#links.isEnded(jti)) return refuseUnauthenticated();
      const state = this.#getVisibleState({ household: "", actor: executor, role: "executor" });
      if (!state) return refuseThreadNotFound();
      return requestLink(this.#log, this.#tables, state, executor, this.#links.isRenewable(jti));
    });
  }

  /** The WebSocket of a waiting caller or page. A read has checked its access before. */
  override async fetch(request: Request): Promise<Response> {
    if (!this.#runtime.isCreated()) return new Response(null, { status: 404 });
    return acceptSocket(this.ctx, request, this.#log.getSyncState().seq, (watcher) =>
      this.#links.checkBearer(watcher, this.#log.readState(), Date.now()),
    );
  }

  override webSocketClose(socket: WebSocket): void {
    socket.close();
  }

  override async alarm(): Promise<void> {
    await this.#runtime.alarm();
  }

  /** Runs `work` if the viewer may see the thread; for links, only while they are valid (decision 65). */
  async #runAsViewer<T>(
    viewer: Principal,
    work: (state: ThreadState) => Outcome<T> | Promise<Outcome<T>>,
  ): Promise<Outcome<T>> {
    const state = this.#getVisibleState(viewer);
    if (!state) return refuseAbsentThread(this.ctx.storage.sql, viewer);
    const linkError = this.#links.checkBearer(viewer, state, Date.now());
    return linkError ? fail(linkError) : await work(state);
  }

  /** Like `#runAsViewer`, for work that adds to the thread: refused for viewers who only read it. */
  async #runAsParticipant<T>(
    viewer: Principal,
    work: () => Outcome<T> | Promise<Outcome<T>>,
  ): Promise<Outcome<T>> {
    return await this.#runAsViewer(viewer, (state) => refuseReader(state, viewer) ?? work());
  }

  #getVisibleState(viewer: Principal): Readonly<ThreadState> | undefined {
    const state = this.#runtime.isCreated() ? this.#log.readState() : undefined;
    return state && isVisibleTo(state, viewer) ? state : undefined;
  }
}
