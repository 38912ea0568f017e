/**
 * The thread's object: one per thread, the record of what was said. Who may see it is decided here; what the
 * rules make of a message is in `mess/thread`, the tables are in `log`, and how a change is committed and told
 * is in `keeper`.
 */
import { DurableObject } from "cloudflare:workers";
import type { Principal } from "../auth/principal.ts";
import type { Status } from "../mess/status.ts";
import type { Attachment, MessageDocument } from "../mess/envelope.ts";
import { type Outcome, refuse } from "../mess/errors.ts";
import { ok } from "../mess/result.ts";
import type { Route } from "../mess/routing.ts";
import { dependencyEnded } from "../mess/thread/dependencies.ts";
import { envelopeOf } from "../mess/thread/envelope.ts";
import { maySee } from "../mess/thread/policy.ts";
import { openItems, type ThreadState } from "../mess/thread/state.ts";
import { adopt } from "./adopt.ts";
import { Keeper } from "./keeper.ts";
import { ThreadLog } from "./log.ts";
import { migrate } from "./migrations.ts";
import { append, create, createdBefore } from "./record.ts";
import type {
  AdoptInput,
  AppendInput,
  CreateInput,
  Receipt,
  StagedBlob,
  ThreadRpc,
  ThreadSummary,
  ThreadView,
} from "./stub.ts";
import { summaryOf } from "./summary.ts";
import { acceptWaiter } from "./waiters.ts";

const notFound = (): Outcome<never> =>
  refuse(
    "not_found",
    "no such thread",
    "Use the ref from an ack, or list your threads with GET /mess.",
  );

export class ThreadObject extends DurableObject<Env> implements ThreadRpc {
  readonly #log: ThreadLog;
  readonly #keeper: Keeper;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#log = new ThreadLog(ctx.storage.sql);
    this.#keeper = new Keeper(ctx, env, this.#log);
  }

  /** Makes the thread; repeating it returns the first receipt (decision 9). */
  async create(input: CreateInput): Promise<Outcome<Receipt>> {
    return await this.#keeper.settle(() => {
      if (this.#keeper.exists()) return createdBefore(this.#log, input);
      migrate(this.ctx.storage.sql);
      return create(this.#log, input, Date.now());
    });
  }

  /** Appends one message, whole or not at all. */
  async append(input: AppendInput): Promise<Outcome<Receipt>> {
    return await this.#keeper.settle(() => {
      const state = this.#visibleState(input.actor);
      if (!state) return notFound();
      const about = this.#messageName(input.about);
      return about.ok ? append(this.#log, state, input, about.value, Date.now()) : about;
    });
  }

  /** The whole thread, or what came after a cursor. */
  async read(viewer: Principal, after = 0): Promise<Outcome<ThreadView>> {
    const state = this.#visibleState(viewer);
    if (!state) return notFound();
    const extra = this.#log.fact("extra");
    return ok({
      envelope: envelopeOf(state, this.#log.history(), extra),
      messages: this.#log.documentsAfter(after),
      attachments: this.#log.attachments(),
      cursor: this.#log.marks().seq,
      open: openItems(state),
    });
  }

  async message(viewer: Principal, name: string): Promise<Outcome<MessageDocument[]>> {
    if (!this.#visibleState(viewer)) return notFound();
    const whole = this.#messageName(name);
    if (!whole.ok) return whole;
    return ok(this.#log.message(serialOf(name))?.documents ?? []);
  }

  async attachment(viewer: Principal, name: string): Promise<Outcome<Attachment>> {
    const found = this.#visibleState(viewer) && this.#log.attachment(name);
    return found ? ok(found) : notFound();
  }

  /** Why these candidates were asked, and others were not. */
  async route(viewer: Principal): Promise<Outcome<Route>> {
    if (!this.#visibleState(viewer)) return notFound();
    const route = this.#log.fact("route");
    return route === undefined
      ? refuse(
          "not_found",
          "this thread was imported and has no route",
          "Only threads asked for here are routed.",
        )
      : ok(JSON.parse(route) as Route);
  }

  /** Checks that the viewer may add files, before a byte of one is stored. */
  async mayUpload(viewer: Principal): Promise<Outcome<true>> {
    return this.#visibleState(viewer) ? ok(true) : notFound();
  }

  /** Keeps an upload until a message names its token, or a day has passed; the first under a token stays. */
  async stage(viewer: Principal, blob: StagedBlob): Promise<Outcome<StagedBlob>> {
    if (!this.#visibleState(viewer)) return notFound();
    const kept = this.#log.upload(blob.token);
    if (kept) return ok(kept);
    this.#log.stageUpload(blob, Date.now());
    await this.#keeper.arm();
    return ok(blob);
  }

  /** Takes over a thread that was read from a file (decision 63). */
  async adopt(input: AdoptInput): Promise<Outcome<{ fresh: boolean }>> {
    return await this.#keeper.settle(() =>
      adopt(this.ctx.storage.sql, this.#log, input, Date.now()),
    );
  }

  /** A thread on which this one depends has ended (decision 42). */
  async unblock(ref: string, status: Status): Promise<void> {
    if (this.#keeper.exists())
      await this.#keeper.advance((draft) => dependencyEnded(draft, ref, status));
  }

  async summary(): Promise<ThreadSummary | null> {
    return this.#keeper.exists() ? summaryOf(this.#log) : null;
  }

  async blobKeys(): Promise<string[]> {
    return this.#keeper.exists() ? this.#log.blobKeys() : [];
  }

  /** A waiter's WebSocket; who may wait is checked by the read that precedes it. */
  override async fetch(request: Request): Promise<Response> {
    const after = Number(new URL(request.url).searchParams.get("after"));
    if (!this.#keeper.exists()) return new Response(null, { status: 404 });
    return acceptWaiter(this.ctx, after, this.#log.marks().seq);
  }

  override webSocketClose(socket: WebSocket): void {
    socket.close();
  }

  override async alarm(): Promise<void> {
    await this.#keeper.alarm();
  }

  #visibleState(viewer: Principal): ThreadState | undefined {
    if (!this.#keeper.exists()) return undefined;
    const state = this.#log.state();
    if (viewer.scope && viewer.scope.ref !== state.ref) return undefined;
    const sender = { actor: viewer.actor, owner: viewer.role === "owner" };
    return maySee(state, sender) ? state : undefined;
  }

  /** The whole name of the message that a `re` points at; its slug may be left out (decision 4). */
  #messageName(given: string | undefined): Outcome<string | undefined> {
    if (given === undefined) return ok(undefined);
    const { name } = this.#log.message(serialOf(given)) ?? { name: null };
    if (name !== null && (name === given || name.startsWith(`${given}-`))) return ok(name);
    return refuse(
      "not_found",
      "no such message in this thread",
      "Use the ref from the message's ack.",
    );
  }
}

/** The serial in a message name, or -1. */
const serialOf = (name: string): number => Number(/^[a-z]+-(\d{3,})(?:-|$)/.exec(name)?.[1] ?? -1);
