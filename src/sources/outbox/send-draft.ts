/**
 * Sends approved drafts by their kind. The start of an attempt is stored before the provider is called: after a crash in
 * between, the message is sent again only where the provider recognizes the key, and else the draft fails with a warning.
 */
import { defined } from "../../mess/defined.ts";
import { ok } from "../../mess/result.ts";
import { cutText } from "../../mess/sources/cut-message.ts";
import {
  type AttemptEnd,
  beginAttempt,
  checkAttempt,
  endAttempt,
  voidApproval,
} from "../../mess/sources/draft.ts";
import { logDefect } from "../../log.ts";
import { exponential } from "../../object/retry.ts";
import { withTimeout } from "../../object/with-timeout.ts";
import type { SourceSendResult } from "../../source-kinds/source-kind.ts";
import { addDeletion } from "../messages/delete-bytes.ts";
import type { SourceContext } from "../source-context.ts";
import type { StoredDraft } from "../tables/draft-table.ts";
import type { SourceStore } from "../tables/source-store.ts";
import { putAskJob, putSendJob } from "./approvals.ts";
import { prepareSending, type PreparedSending } from "./prepare-sending.ts";
import { saveDraft } from "./save-draft.ts";

/** Longer attempts count as cut short. Longer than the timeout of a job, which then waits for the same attempt. */
const SEND_TIMEOUT_MS = 60_000;
/** Time between attempts, unless the provider names a longer one. */
const getRetryDelayMs = exponential(5_000, 3_600_000);
/** A message that could not be sent for so long fails. */
const MAX_SENDING_MS = 24 * 3_600_000;
const MAX_REASON_CHARS = 300;

const REDIRECTED =
  "Not sent: the settings of the source were changed after the approval, so it could go elsewhere. Check them before you approve it again.";

const MAY_BE_SENT =
  "The connection ended before the provider answered, so this may have been sent. Check whether it arrived before you send it again.";

export class DraftSender {
  readonly #context: SourceContext;
  /** Attempts of this isolate. A job that ran into its timeout joins the attempt that it began. */
  readonly #running = new Map<number, Promise<void>>();

  constructor(context: SourceContext) {
    this.#context = context;
  }

  /** Makes one attempt to send the draft at this position, if it is due. A failed one adds the job for the next. */
  async send(seq: number): Promise<void> {
    let attempt = this.#running.get(seq);
    if (!attempt) {
      attempt = this.#attempt(seq).finally(() => this.#running.delete(seq));
      this.#running.set(seq, attempt);
    }
    await attempt;
  }

  async #attempt(seq: number): Promise<void> {
    const { store, ctx } = this.#context;
    const draft = store.drafts.get(seq);
    if (!draft || !this.#isDue(draft)) return;
    const prepared = await prepareSending(this.#context, draft);
    if ("note" in prepared) return this.#end(seq, { type: "failed", note: prepared.note });
    const isRedirected = !prepared.routes.includes(draft.life.approval?.route ?? "");
    const isInterrupted = draft.life.attempt_since !== undefined;
    if (isInterrupted && (isRedirected || !prepared.kind.detectsRepeats))
      return this.#end(seq, { type: "failed", note: MAY_BE_SENT });
    if (isRedirected) return this.#askAgain(draft);
    if (!this.#begin(draft)) return;
    // The provider must not be called before the trace of the attempt is on disk.
    await ctx.storage.sync();
    const result = await callProvider(prepared);
    this.#record(seq, result, prepared);
  }

  #isDue({ seq, life }: StoredDraft): boolean {
    const check = checkAttempt(life, Date.now());
    if (check === "too_early")
      this.#context.change((store) => ok(putSendJob(store, seq, life.approval!.send_at)));
    return check === "begin" || check === "interrupted";
  }

  /** False where the approval was undone while the settings were opened. */
  #begin({ seq, life: { revision } }: StoredDraft): boolean {
    const begun = this.#context.change((store, now) => {
      const draft = store.drafts.get(seq);
      const check = draft && checkAttempt(draft.life, now);
      if (draft?.life.revision !== revision || (check !== "begin" && check !== "interrupted"))
        return ok(false);
      saveDraft(store, draft, beginAttempt(draft.life, now), now);
      return ok(true);
    });
    return begun.ok && begun.value;
  }

  /** Whoever can write settings, such as an owner's key, must not redirect what a person has approved. */
  #askAgain({ seq, life: { approval } }: StoredDraft): void {
    this.#context.change((store, now) => {
      const draft = store.drafts.get(seq);
      // The approval was taken back in the meantime, or given again.
      if (draft?.life.state !== "approved" || draft.life.approval?.at !== approval?.at)
        return ok(undefined);
      saveDraft(store, draft, voidApproval(draft.life, REDIRECTED, now), now);
      store.problems.set("sending", REDIRECTED, now);
      putAskJob(store, draft, now);
      return ok(undefined);
    });
  }

  #record(seq: number, result: SourceSendResult, { kind }: PreparedSending): void {
    if (result.ok)
      return this.#end(seq, { type: "sent", ...defined({ external_id: result.external_id }) });
    if (result.mayBeSent && !kind.detectsRepeats)
      return this.#end(seq, { type: "failed", note: MAY_BE_SENT });
    const reason = cutText(result.reason, MAX_REASON_CHARS);
    if (result.isPermanent) return this.#end(seq, { type: "failed", note: `Not sent: ${reason}.` });
    this.#retry(seq, reason, (result.retryAfterSeconds ?? 0) * 1_000);
  }

  #retry(seq: number, reason: string, providerDelayMs: number): void {
    this.#context.change((store, now) => {
      const draft = store.drafts.get(seq);
      if (draft?.life.state !== "approved") return ok(undefined);
      const delayMs = Math.max(getRetryDelayMs(draft.life.attempts + 1)!, providerDelayMs);
      if (now + delayMs > draft.life.approval!.send_at + MAX_SENDING_MS)
        return ok(endIn(store, draft, { type: "failed", note: `Not sent: ${reason}.` }, now));
      saveDraft(store, draft, endAttempt(draft.life, { type: "retry" }, now), now);
      store.problems.set("sending", `Sending failed, and is tried again: ${reason}`, now);
      putSendJob(store, seq, now + delayMs);
      return ok(undefined);
    });
  }

  #end(seq: number, end: AttemptEnd): void {
    this.#context.change((store, now) => {
      const draft = store.drafts.get(seq);
      return ok(draft && endIn(store, draft, end, now));
    });
  }
}

function endIn(store: SourceStore, draft: StoredDraft, end: AttemptEnd, now: number): void {
  saveDraft(store, draft, endAttempt(draft.life, end, now), now);
  if (end.type === "failed") store.problems.set("sending", end.note, now);
  if (end.type === "sent") store.problems.clear("sending");
  const isOrphan = draft.message !== null && store.messages.get(draft.message) === undefined;
  if (!isOrphan) return;
  // The message was deleted in the meantime and left its files to the draft.
  const { content } = store.drafts.getRevision(draft.seq, draft.life.revision);
  addDeletion(
    store,
    content.attachments.map(({ key }) => key),
    now,
  );
}

/** A provider that answers in no way may have the message. */
async function callProvider({
  kind,
  context,
  message,
}: PreparedSending): Promise<SourceSendResult> {
  try {
    return await withTimeout(SEND_TIMEOUT_MS, kind.send!(context, message));
  } catch (error) {
    logDefect(error, { object: "source" });
    return { ok: false, reason: "the provider did not answer", mayBeSent: true };
  }
}
