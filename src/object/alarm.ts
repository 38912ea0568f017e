/**
 * The alarm of an object, of which the platform allows one. It is set to the earliest due time of all work. Setting it
 * is a billed write, so an earlier alarm is kept: when it fires too early, nothing is due and the next one is set.
 */

export interface AlarmOptions {
  /** Due times in milliseconds since 1970; undefined for work that is not needed. */
  listDueTimes: (now: number) => readonly (number | undefined)[];
  onError: (error: unknown) => void;
}

/** Delay before the next alarm after a run that failed. */
const RETRY_DELAY_MS = 60_000;

export class Alarm {
  readonly #storage: Pick<DurableObjectStorage, "setAlarm">;
  readonly #options: AlarmOptions;
  /** The time to which this isolate set the alarm; undefined after a restart of the object. */
  #at: number | undefined;
  /** After a run that failed, no alarm before this instant: work that always fails must not run in a loop. */
  #pausedUntil = 0;

  constructor(storage: Pick<DurableObjectStorage, "setAlarm">, options: AlarmOptions) {
    this.#storage = storage;
    this.#options = options;
  }

  /** Makes sure that the alarm fires when the next work is due, or earlier. */
  async set(): Promise<void> {
    const now = Date.now();
    const earliest = Math.min(...this.#options.listDueTimes(now).map((time) => time ?? Infinity));
    if (earliest === Infinity) return;
    const at = Math.max(earliest, this.#pausedUntil);
    if (this.#isSetBefore(at, now)) return;
    this.#at = at;
    await this.#storage.setAlarm(at);
  }

  /** Like `set`, after a change that added only work that is due at the given time: an earlier alarm stays. */
  async setBefore(due: number): Promise<void> {
    if (!this.#isSetBefore(due, Date.now())) await this.set();
  }

  #isSetBefore(time: number, now: number): boolean {
    return this.#at !== undefined && this.#at <= time && this.#at > now;
  }

  /**
   * Call this when the alarm fires: runs the work and sets the next alarm. Never throws, since the platform drops an
   * alarm whose handler throws several times.
   */
  async run(work: () => Promise<void>): Promise<void> {
    this.#at = undefined;
    try {
      await work();
      this.#pausedUntil = 0;
      await this.set();
    } catch (error) {
      this.#options.onError(error);
      this.#pausedUntil = Date.now() + RETRY_DELAY_MS;
      this.#at = this.#pausedUntil;
      await this.#storage.setAlarm(this.#at);
    }
  }
}
