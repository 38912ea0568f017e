/**
 * What the requestor has accepted and the household has yet to carry out (decision 69). A row is written with the
 * acceptance and goes when the household has taken it over, which does each once.
 */
import { householdStub } from "../stubs.ts";
import type { ThreadLog } from "./thread-log.ts";

const FIRST_RETRY = 2_000;
const LAST_RETRY = 5 * 60_000;

export class Effects {
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
  retryIn(): number | undefined {
    if (this.#log.effects().length === 0) return undefined;
    return Math.min(FIRST_RETRY * 2 ** this.#failures, LAST_RETRY);
  }

  async #drain(): Promise<void> {
    try {
      for (const { n, effect } of this.#log.effects()) {
        const { household } = this.#log.marks();
        await householdStub(this.#env, household).carryOut(this.#log.state().ref, effect);
        this.#log.dropEffect(n);
        this.#failures = 0;
      }
    } catch {
      this.#failures++;
    }
  }
}
