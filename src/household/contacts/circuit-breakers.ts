/**
 * The circuit breaker of each member's channel. After several failures in a row nothing is sent for a while; then one
 * attempt is let through, and its result decides. An address that is gone stays gone until it is configured again.
 */
import type { ChannelKind } from "../../channels/channel.ts";

interface BreakerRow extends Record<string, SqlStorageValue> {
  failures: number;
  /** Duration of the last open period, in milliseconds; 0 while closed. */
  pause: number;
  /** No attempt before this instant, in milliseconds since 1970. */
  until: number;
  /** Start of the one attempt let through since the breaker opened, while its result is not known; else 0. */
  trial: number;
  gone: number;
}

/** Failures in a row that open the breaker. */
const MAX_FAILURES = 5;
/** The first open period. It doubles up to `MAX_OPEN_MS`. */
const MIN_OPEN_MS = 30_000;
const MAX_OPEN_MS = 3_600_000;
/** How long to wait for the result of a trial before another attempt is let through; a request times out after 20 s. */
const TRIAL_MS = 30_000;
const CLOSED_BREAKER = { failures: 0, pause: 0, until: 0, trial: 0 };

export class CircuitBreakers {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  isGone(executor: string, channel: ChannelKind): boolean {
    return this.#get(executor, channel)?.gone === 1;
  }

  /**
   * The instant until which nothing may be sent, in milliseconds since 1970; undefined if sending is allowed. Read
   * only.
   */
  getOpenUntil(executor: string, channel: ChannelKind, now: number): number | undefined {
    const until = this.#get(executor, channel)?.until ?? 0;
    return until > now ? until : undefined;
  }

  /**
   * Records that an attempt is let through. If the breaker was open, further attempts wait for the result of this one.
   */
  admit(executor: string, channel: ChannelKind, now: number): void {
    this.#sql.exec(
      `UPDATE breakers SET until = ?, trial = 1
       WHERE executor = ? AND channel = ? AND pause > 0 AND until <= ?`,
      now + TRIAL_MS,
      executor,
      channel,
      now,
    );
  }

  recordSuccess(executor: string, channel: ChannelKind): void {
    this.#sql.exec(
      "DELETE FROM breakers WHERE executor = ? AND channel = ? AND gone = 0",
      executor,
      channel,
    );
  }

  recordFailure(executor: string, channel: ChannelKind, now: number): void {
    const {
      failures,
      pause: openMs,
      until,
      trial: trialAt,
    } = this.#get(executor, channel) ?? CLOSED_BREAKER;
    // Attempts that started before the breaker opened give no new information.
    if (until > now && trialAt === 0) return;
    const isOpening = failures + 1 >= MAX_FAILURES;
    const next = !isOpening ? 0 : openMs === 0 ? MIN_OPEN_MS : Math.min(2 * openMs, MAX_OPEN_MS);
    this.#sql.exec(
      `INSERT INTO breakers (executor, channel, failures, pause, until) VALUES (?1, ?2, ?3, ?4, ?5)
       ON CONFLICT (executor, channel) DO UPDATE SET failures = ?3, pause = ?4, until = ?5, trial = 0`,
      executor,
      channel,
      failures + 1,
      next,
      isOpening ? now + next : 0,
    );
  }

  /** Marks the address as gone. False if it was marked before. */
  markGone(executor: string, channel: ChannelKind): boolean {
    if (this.isGone(executor, channel)) return false;
    this.#sql.exec(
      `INSERT INTO breakers (executor, channel, gone) VALUES (?, ?, 1)
       ON CONFLICT (executor, channel) DO UPDATE SET gone = 1`,
      executor,
      channel,
    );
    return true;
  }

  /** Resets one channel of the member, after its address was configured again. */
  reset(executor: string, channel: ChannelKind): void {
    this.#sql.exec("DELETE FROM breakers WHERE executor = ? AND channel = ?", executor, channel);
  }

  /** Resets all channels of the member, after the member was configured again. */
  resetExecutor(executor: string): void {
    this.#sql.exec("DELETE FROM breakers WHERE executor = ?", executor);
  }

  /** Resets the channel for all members, after the channel was configured again. */
  resetChannel(channel: string): void {
    this.#sql.exec("DELETE FROM breakers WHERE channel = ?", channel);
  }

  #get(executor: string, channel: ChannelKind): BreakerRow | undefined {
    return this.#sql
      .exec<BreakerRow>(
        "SELECT failures, pause, until, trial, gone FROM breakers WHERE executor = ? AND channel = ?",
        executor,
        channel,
      )
      .toArray()[0];
  }
}
