/**
 * What the requestor has accepted and the household has yet to carry out (decision 69). A row is written with the
 * acceptance and goes when the household has taken it over, which does each once.
 */
import { householdStub } from "../stubs.ts";
import type { ThreadLog } from "./thread-log.ts";

const MIN_RETRY_MS = 2_000;
const MAX_RETRY_MS = 5 * 60_000;

export class PendingEffects {
  readonly #env: Pick<Env, "HOUSEHOLDS">;
  readonly #log: ThreadLog;
  #running: Promise<void> | undefined;
  /** Failures in a row, for the time of the next try; forgotten with the isolate, which only tries sooner. */
  #failures = 0;

  constructor(env: Pick<Env, "HOUSEHOLDS">, log: ThreadLog) {
    this.#env = env;
    this.#log = log;
  }

  /** Hands over what there is; never rejects. */
  drain(): Promise<void> {
    this.#running ??= this.#drain().finally(() => (this.#running = undefined));
    return this.#running;
  }

  /** Milliseconds until it should be tried again; undefined when nothing is left. */
  getRetryDelayMs(): number | undefined {
    if (this.#log.listEffects().length === 0) return undefined;
    return Math.min(MIN_RETRY_MS * 2 ** this.#failures, MAX_RETRY_MS);
  }

  async #drain(): Promise<void> {
    try {
      for (const { n, effect } of this.#log.listEffects()) {
        const { household } = this.#log.getSyncState();
        await householdStub(this.#env, household).enqueueEffect(this.#log.getState().ref, effect);
        this.#log.deleteEffect(n);
        this.#failures = 0;
      }
    } catch {
      this.#failures++;
    }
  }
}
