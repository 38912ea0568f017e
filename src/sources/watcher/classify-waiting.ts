/**
 * Classifies the messages that wait: new ones first, then provisional ones in the order of their arrival. A run makes one
 * round of calls, each of which stores its verdict when it arrives; the job is put again while messages are left.
 */
import { ok } from "../../mess/result.ts";
import type { JobOutcome } from "../../object/stored-jobs.ts";
import { getHouseholdStub } from "../../stubs.ts";
import type { SourceContext } from "../source-context.ts";
import type { StoredSourceMessage } from "../tables/message-rows.ts";
import type { SourceStore } from "../tables/source-store.ts";
import { getPauseMs, getStuckRetryMs, getUnreadableRetryMs } from "./classifier-pause.ts";
import type { Classifier, ClassifierFailure } from "./classifiers/classifier.ts";
import { createClassifier } from "./classifiers/create-classifier.ts";
import {
  buildFallback,
  judgeByClassifier,
  judgeByRules,
  type JudgingContext,
  NO_CLASSIFIER_REASON,
} from "./judge-message.ts";
import { isUnclassified, storeVerdict } from "./store-verdict.ts";

/** Calls of the classifier at a time. */
export const MAX_PARALLEL_CALLS = 4;
/** New messages of which a run reads the texts. */
const MAX_NEW_MESSAGES = 20;

export async function classifyWaiting(context: SourceContext): Promise<JobOutcome> {
  const { store, env } = context;
  const { household } = store.get();
  const { classifier: config, ...judging } = await getHouseholdStub(
    env,
    household,
  ).sources.getClassification();
  const classifier = createClassifier(env, config);
  const run = new ClassifierRun(context, judging, classifier);
  if (!(await run.classifyNew()) && classifier) await run.classifyBacklog();
  context.change((changed, now) => ok(putNextRun(changed, classifier !== undefined, now)));
  return "done";
}

/** In the transaction that ends a run, so that no message is left without a job. */
function putNextRun(store: SourceStore, hasClassifier: boolean, now: number): void {
  const { tried_to, paused_until } = store.classifier.get();
  const hasNew = store.messages.listWaiting(tried_to, 1).length > 0;
  const due = hasNew ? 0 : hasClassifier ? store.classifier.getNextDue() : undefined;
  if (due === undefined) return;
  store.jobs.put("classify", "classify", {}, hasNew ? now : Math.max(now, due, paused_until));
}

class ClassifierRun {
  readonly #context: SourceContext;
  readonly #judging: JudgingContext;
  readonly #classifier: Classifier | undefined;

  constructor(context: SourceContext, judging: JudgingContext, classifier: Classifier | undefined) {
    this.#context = context;
    this.#judging = judging;
    this.#classifier = classifier;
  }

  get #store(): SourceStore {
    return this.#context.store;
  }

  /** @returns false where there are no new messages */
  async classifyNew(): Promise<boolean> {
    const { messages, classifier } = this.#store;
    const seqs = messages.listWaiting(classifier.get().tried_to, MAX_NEW_MESSAGES);
    if (seqs.length === 0) return false;
    const others = this.#applyRules(this.#load(seqs));
    const called = others.slice(0, this.#countPossibleCalls());
    const failure = await this.#callClassifier(called);
    const left = others.slice(called.length);
    // With a classifier that works, the rest stays new for the next run.
    const isWaiting = left.length > 0 && called.length > 0 && failure === undefined;
    const last = isWaiting ? called.at(-1)!.seq : seqs.at(-1)!;
    this.#change(() => {
      if (!isWaiting) this.#storeFallbacks(left, failure);
      this.#store.classifier.setTriedTo(last);
    });
    return true;
  }

  async classifyBacklog(): Promise<void> {
    const limit = this.#countPossibleCalls();
    if (limit === 0) return;
    const seqs = this.#store.classifier.listBacklog(Date.now(), limit);
    await this.#callClassifier(this.#applyRules(this.#load(seqs)));
  }

  /** One call after a failure shows whether the classifier is back, before all messages are sent to it. */
  #countPossibleCalls(): number {
    const { failures, paused_until } = this.#store.classifier.get();
    if (!this.#classifier || paused_until > Date.now()) return 0;
    return failures > 0 ? 1 : MAX_PARALLEL_CALLS;
  }

  #load(seqs: readonly number[]): StoredSourceMessage[] {
    return seqs.flatMap((seq) => this.#store.messages.load(seq) ?? []);
  }

  /** @returns the messages about which no rule decides */
  #applyRules(messages: readonly StoredSourceMessage[]): StoredSourceMessage[] {
    const { name } = this.#store.get();
    return messages.filter((message) => {
      const verdict = judgeByRules(this.#judging, name, message);
      if (verdict) this.#change((now) => storeVerdict(this.#store, message.seq, verdict, now));
      return verdict === undefined;
    });
  }

  /** @returns one of the failures of the service, if there was one */
  async #callClassifier(
    messages: readonly StoredSourceMessage[],
  ): Promise<ClassifierFailure | undefined> {
    const classifier = this.#classifier;
    if (!classifier || messages.length === 0) return undefined;
    const record = this.#store.get();
    const failures = await Promise.all(
      messages.map(async (message) => {
        const now = Date.now();
        const judged = await judgeByClassifier(classifier, this.#judging, record, message, now);
        this.#change((at) => {
          if (judged.ok) storeVerdict(this.#store, message.seq, judged.verdict, at);
          else this.#keepBack(message.seq, judged, at);
          if (judged.ok || judged.problem === "unreadable") this.#store.classifier.resume();
        });
        return judged.ok ? undefined : judged;
      }),
    );
    const outages = failures.filter((failure) => failure && failure.problem !== "unreadable");
    if (outages.length > 0) this.#change((now) => this.#pause(outages as ClassifierFailure[], now));
    return outages[0];
  }

  #keepBack(seq: number, { problem, reason }: ClassifierFailure, now: number): void {
    const message = this.#store.messages.get(seq);
    if (!message || !isUnclassified(message)) return;
    storeVerdict(this.#store, seq, buildFallback(reason), now);
    if (problem === "down") return;
    const attempts = this.#store.classifier.getAttempts(seq) + 1;
    const delayMs =
      problem === "stuck" ? getStuckRetryMs(attempts) : getUnreadableRetryMs(attempts);
    this.#store.classifier.keepBack(
      seq,
      attempts,
      delayMs === undefined || delayMs === 0 ? delayMs : now + delayMs,
    );
  }

  /** Calls of one round that fail together are one failure. */
  #pause(outages: readonly ClassifierFailure[], now: number): void {
    const failures = this.#store.classifier.get().failures + 1;
    const asked = outages.flatMap(({ retryAfterSeconds }) => retryAfterSeconds ?? []);
    const longest = asked.length > 0 ? Math.max(...asked) : undefined;
    this.#store.classifier.pause(failures, now + getPauseMs(failures, longest, Math.random()));
  }

  #storeFallbacks(
    messages: readonly StoredSourceMessage[],
    failure: ClassifierFailure | undefined,
  ): void {
    const reason = !this.#classifier
      ? NO_CLASSIFIER_REASON
      : (failure?.reason ?? "Not classified yet: the classifier does not answer at present.");
    const now = Date.now();
    for (const { seq } of messages) storeVerdict(this.#store, seq, buildFallback(reason), now);
  }

  /** Runs a change in one transaction. */
  #change(change: (now: number) => void): void {
    this.#context.change((_store, now) => ok(change(now)));
  }
}
