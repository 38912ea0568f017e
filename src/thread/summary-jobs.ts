/**
 * Sends changes of a thread to the index and to the household. Each target has an acknowledged `seq`: a burst of changes
 * costs one call, and a crash loses nothing, because the acknowledged value lags and the alarm retries. Repeated calls are
 * harmless.
 */
import { getHouseholdStub } from "../stubs.ts";
import { upsertThread } from "../partitions/upsert.ts";
import { withTimeout } from "../object/with-timeout.ts";
import type { SyncTarget, ThreadLog } from "./thread-log.ts";
import type { ThreadSummary } from "../contracts/thread.ts";

const TIMEOUT_MS = 10_000;
/** Minimum time between two calls to one target: the first is made at once, and a burst after it costs one call. */
const SPACING_MS = { indexed: 500, told: 250 } as const;
/** While a burst changes nothing that lists show except the time, each delay is twice the last, up to this. */
const MAX_SPACING_MS = 2_000;
const MIN_RETRY_MS = 2_000;
const MAX_RETRY_MS = 5 * 60_000;

/** The last call to a target. */
interface LastCall {
  at: number;
  /** Milliseconds until the next call. */
  spacingMs: number;
  listedState: string;
}

/** The listed fields of a summary, without its sequence number. */
const serializeListedState = (summary: ThreadSummary): string =>
  JSON.stringify({ ...summary, seq: 0, updated: 0, text: "" });

export class SummaryJobs {
  readonly #log: ThreadLog;
  readonly #summary: () => ThreadSummary;
  readonly #send: Readonly<Record<SyncTarget, (summary: ThreadSummary) => Promise<void>>>;
  readonly #running = new Map<SyncTarget, Promise<void>>();
  readonly #lastCalls = new Map<SyncTarget, LastCall>();
  /** Consecutive failures. Losing them with the isolate only makes the next retry sooner. */
  readonly #failures = new Map<SyncTarget, number>();

  constructor(
    env: Pick<Env, "INDEX" | "HOUSEHOLDS">,
    log: ThreadLog,
    summary: () => ThreadSummary,
  ) {
    this.#log = log;
    this.#summary = summary;
    this.#send = {
      indexed: (summary) => upsertThread(env.INDEX, summary),
      // The household has no search.
      told: (summary) =>
        getHouseholdStub(env, summary.household).threads.recordSummary({ ...summary, text: "" }),
    };
  }

  /** Updates both targets; never rejects. */
  async drain(): Promise<void> {
    await Promise.all([this.#drainOnce("indexed"), this.#drainOnce("told")]);
  }

  /** Milliseconds until a retry, or until acknowledged values are stored; undefined when nothing is left. */
  getRetryDelayMs(): number | undefined {
    const syncState = this.#log.getSyncState();
    const unsavedDelays = this.#log.hasUnsavedSync ? [MIN_RETRY_MS] : [];
    const delays = (["indexed", "told"] as const)
      .filter((target) => syncState[target] < syncState.seq)
      .map((target) => MIN_RETRY_MS * 2 ** (this.#failures.get(target) ?? 0))
      .concat(unsavedDelays);
    return delays.length === 0 ? undefined : Math.min(...delays, MAX_RETRY_MS);
  }

  #drainOnce(target: SyncTarget): Promise<void> {
    const running =
      this.#running.get(target) ?? this.#drain(target).finally(() => this.#running.delete(target));
    this.#running.set(target, running);
    return running;
  }

  async #drain(target: SyncTarget): Promise<void> {
    while (this.#log.getSyncState()[target] < this.#log.getSyncState().seq) {
      const summary = await this.#waitUntilDue(target);
      try {
        await withTimeout(TIMEOUT_MS, this.#send[target](summary));
      } catch {
        this.#failures.set(target, (this.#failures.get(target) ?? 0) + 1);
        return;
      }
      this.#failures.delete(target);
      this.#log.recordSync(target, summary.seq);
    }
  }

  /** The newest summary, at the time when the target may be called again. */
  async #waitUntilDue(target: SyncTarget): Promise<ThreadSummary> {
    const spacing = SPACING_MS[target];
    const begun = Date.now();
    for (let waited = 0; ; waited += spacing) {
      const summary = this.#summary();
      const listedState = serializeListedState(summary);
      const last = this.#lastCalls.get(target) ?? { at: 0, spacingMs: 0, listedState };
      const spacingMs = last.listedState === listedState ? last.spacingMs : spacing;
      // Time spent waiting counts even where the clock stands still, as it does in tests.
      const since = Math.max(Date.now(), begun + waited) - last.at;
      if (since >= spacingMs) {
        const next = since < 2 * spacingMs ? Math.min(2 * spacingMs, MAX_SPACING_MS) : spacing;
        this.#lastCalls.set(target, { at: Date.now(), spacingMs: next, listedState });
        return summary;
      }
      // Waits in steps, because a change of status ends a long delay early.
      await scheduler.wait(Math.min(spacingMs - since, spacing));
    }
  }
}
