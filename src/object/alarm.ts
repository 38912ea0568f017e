/**
 * The one alarm of an object, set to the earliest of everything that is due. Setting an alarm is a billed write, so one
 * that is already early enough stays: when it fires too early, it finds nothing to do and sets the next.
 */

export interface AlarmOptions {
  /** Milliseconds since 1970; undefined for what is not due at all. */
  listDueTimes: (now: number) => readonly (number | undefined)[];
  onError: (error: unknown) => void;
}

/** After an alarm that failed. */
const RETRY_DELAY_MS = 60_000;

export class Alarm {
  readonly #storage: Pick<DurableObjectStorage, "setAlarm">;
  readonly #options: AlarmOptions;
  /** The time for which this isolate has set the alarm; unknown after an eviction. */
  #at: number | undefined;
  /** No alarm before this instant, after one that failed: so that a failing one does not spin. */
  #pausedUntil = 0;

  constructor(storage: Pick<DurableObjectStorage, "setAlarm">, options: AlarmOptions) {
    this.#storage = storage;
    this.#options = options;
  }

  /** Makes sure that the alarm fires when the next thing is due, or before. */
  async set(): Promise<void> {
    const now = Date.now();
    const earliest = Math.min(...this.#options.listDueTimes(now).map((time) => time ?? Infinity));
    if (earliest === Infinity) return;
    const at = Math.max(earliest, this.#pausedUntil);
    if (this.#at !== undefined && this.#at <= at && this.#at > now) return;
    this.#at = at;
    await this.#storage.setAlarm(at);
  }

  /**
   * To be called when the alarm fires: does the work and sets the next alarm. Never throws, since the platform gives a
   * throwing alarm up after a few tries.
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
