/**
 * What others must learn of a thread after it has changed: the index and the household. Each has a mark with the
 * latest `seq` that it knows, so a burst of changes costs one call, and nothing is lost with a crash: the marks
 * lag, and the alarm comes back to them.
 */
import { householdStub } from "../household/stub.ts";
import { upsertThread } from "../partitions/upsert.ts";
import { within } from "../within.ts";
import type { ThreadLog } from "./log.ts";
import type { ThreadSummary } from "./stub.ts";

const TIMEOUT = 10_000;
/** Milliseconds between two calls to the same target: the first goes out at once, a burst behind it costs one. */
const SPACING = { indexed: 500, told: 250 } as const;
const FIRST_RETRY = 2_000;
const LAST_RETRY = 5 * 60_000;

type Target = "indexed" | "told";

export class Outbox {
  readonly #log: ThreadLog;
  readonly #summary: () => ThreadSummary;
  readonly #send: Readonly<Record<Target, (summary: ThreadSummary) => Promise<void>>>;
  readonly #running = new Map<Target, Promise<void>>();
  /** When each target was last called. */
  readonly #sent = new Map<Target, number>();
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

  /** Milliseconds until a lagging target should be tried again; undefined when none lags. */
  retryIn(): number | undefined {
    const marks = this.#log.marks();
    const pauses = (["indexed", "told"] as const)
      .filter((target) => marks[target] < marks.seq)
      .map((target) => FIRST_RETRY * 2 ** (this.#failures.get(target) ?? 0));
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
      const early = (this.#sent.get(target) ?? 0) + SPACING[target] - Date.now();
      if (early > 0) await scheduler.wait(early);
      this.#sent.set(target, Date.now());
      const summary = this.#summary();
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
}
