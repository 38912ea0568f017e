/**
 * Accepted suggestions that the household still has to carry out (decision 69). A row is written with the acceptance and
 * deleted when the household has taken it over; the household carries each out once.
 */
import { getHouseholdStub } from "../stubs.ts";
import type { ThreadLog } from "./thread-log.ts";

const MIN_RETRY_MS = 2_000;
const MAX_RETRY_MS = 5 * 60_000;

export class PendingEffects {
  readonly #env: Pick<Env, "HOUSEHOLDS">;
  readonly #log: ThreadLog;
  #running: Promise<void> | undefined;
  /** Consecutive failures. Losing them with the isolate only makes the next retry sooner. */
  #failures = 0;

  constructor(env: Pick<Env, "HOUSEHOLDS">, log: ThreadLog) {
    this.#env = env;
    this.#log = log;
  }

  /** Hands over everything that waits; never rejects. */
  drain(): Promise<void> {
    this.#running ??= this.#drain().finally(() => (this.#running = undefined));
    return this.#running;
  }

  /** Milliseconds until the next retry; undefined when nothing waits. */
  getRetryDelayMs(): number | undefined {
    if (this.#log.listEffects().length === 0) return undefined;
    return Math.min(MIN_RETRY_MS * 2 ** this.#failures, MAX_RETRY_MS);
  }

  async #drain(): Promise<void> {
    try {
      for (const { n, effect } of this.#log.listEffects()) {
        const { household } = this.#log.getSyncState();
        await getHouseholdStub(this.#env, household).threads.enqueueEffect(
          this.#log.getState().ref,
          effect,
        );
        this.#log.deleteEffect(n);
        this.#failures = 0;
      }
    } catch {
      this.#failures++;
    }
  }
}
