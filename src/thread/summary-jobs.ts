/**
 * What others must learn of a thread after it has changed: the index and the household. Each has a mark with the
 * latest `seq` that it knows, so a burst of changes costs one call, and nothing is lost with a crash: the marks
 * lag, and the alarm comes back to them. To be told again does no harm.
 */
import { householdStub } from "../stubs.ts";
import { upsertThread } from "../partitions/upsert.ts";
import { within } from "../object/with-timeout.ts";
import type { Target, ThreadLog } from "./thread-log.ts";
import type { ThreadSummary } from "../contracts/thread.ts";

const TIMEOUT = 10_000;
/** Milliseconds between two calls to the same target: the first goes out at once, a burst behind it costs one. */
const SPACING = { indexed: 500, told: 250 } as const;
/** In a burst of mere words, which changes nothing that is listed but the time, each pause is twice the last, up to this. */
const LONGEST_SPACING = 2_000;
const FIRST_RETRY = 2_000;
const LAST_RETRY = 5 * 60_000;

/** The last call to a target. */
interface Sent {
  at: number;
  /** Milliseconds to the next. */
  pause: number;
  standing: string;
}

/** What of a thread is listed, but for how far it has got. */
const standingOf = (summary: ThreadSummary): string =>
  JSON.stringify({ ...summary, seq: 0, updated: 0, text: "" });

export class Outbox {
  readonly #log: ThreadLog;
  readonly #summary: () => ThreadSummary;
  readonly #send: Readonly<Record<Target, (summary: ThreadSummary) => Promise<void>>>;
  readonly #running = new Map<Target, Promise<void>>();
  readonly #sent = new Map<Target, Sent>();
  /** Failures in a row, for the time of the next try; forgotten with the isolate, which only tries sooner. */
  readonly #failures = new Map<Target, number>();

  constructor(
    env: Pick<Env, "INDEX" | "HOUSEHOLDS">,
    log: ThreadLog,
    summary: () => ThreadSummary,
  ) {
    this.#log = log;
    this.#summary = summary;
    this.#send = {
      indexed: (summary) => upsertThread(env.INDEX, summary),
      // The household searches nothing.
      told: (summary) => householdStub(env, summary.household).changed({ ...summary, text: "" }),
    };
  }

  /** Brings both targets up to date; never rejects. */
  async drain(): Promise<void> {
    await Promise.all([this.#drainOnce("indexed"), this.#drainOnce("told")]);
  }

  /** Milliseconds until a lagging target should be tried again, or marks be stored; undefined when all is well. */
  retryIn(): number | undefined {
    const marks = this.#log.marks();
    const unkept = this.#log.hasNewMarks ? [FIRST_RETRY] : [];
    const pauses = (["indexed", "told"] as const)
      .filter((target) => marks[target] < marks.seq)
      .map((target) => FIRST_RETRY * 2 ** (this.#failures.get(target) ?? 0))
      .concat(unkept);
    return pauses.length === 0 ? undefined : Math.min(...pauses, LAST_RETRY);
  }

  #drainOnce(target: Target): Promise<void> {
    const running =
      this.#running.get(target) ?? this.#drain(target).finally(() => this.#running.delete(target));
    this.#running.set(target, running);
    return running;
  }

  async #drain(target: Target): Promise<void> {
    while (this.#log.marks()[target] < this.#log.marks().seq) {
      const summary = await this.#whenDue(target);
      try {
        await within(TIMEOUT, this.#send[target](summary));
      } catch {
        this.#failures.set(target, (this.#failures.get(target) ?? 0) + 1);
        return;
      }
      this.#failures.delete(target);
      this.#log.mark(target, summary.seq);
    }
  }

  /** What is to be told, as it is once the target may be called again. */
  async #whenDue(target: Target): Promise<ThreadSummary> {
    const spacing = SPACING[target];
    const begun = Date.now();
    for (let waited = 0; ; waited += spacing) {
      const summary = this.#summary();
      const standing = standingOf(summary);
      const last = this.#sent.get(target) ?? { at: 0, pause: 0, standing };
      const pause = last.standing === standing ? last.pause : spacing;
      // What was waited counts even where the clock stands still.
      const since = Math.max(Date.now(), begun + waited) - last.at;
      if (since >= pause) {
        const next = since < 2 * pause ? Math.min(2 * pause, LONGEST_SPACING) : spacing;
        this.#sent.set(target, { at: Date.now(), pause: next, standing });
        return summary;
      }
      // Never the whole of a long pause at once: what is listed may change meanwhile.
      await scheduler.wait(Math.min(pause - since, spacing));
    }
  }
}
