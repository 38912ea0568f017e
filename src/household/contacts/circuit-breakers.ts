/**
 * The circuit breaker of each member's channel. After some failures in a row nothing is sent for a while; then one
 * attempt is let through, and its result decides. An address that is gone stays so until it is configured anew.
 */
import type { ChannelKind } from "../../channels/channel.ts";

interface BreakerRow extends Record<string, SqlStorageValue> {
  failures: number;
  /** Milliseconds for which it opened last; 0 while it is closed. */
  pause: number;
  /** No attempt before this instant. */
  until: number;
  /** One attempt was let through since it opened, and has not told its result. */
  trial: number;
  gone: number;
}

/** Failures in a row that open it. */
const MAX_FAILURES = 5;
/** Milliseconds. */
const MIN_OPEN_MS = 30_000;
const MAX_OPEN_MS = 3_600_000;
/** How long one attempt is waited for before another is let through; a request gives up after 20 s. */
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

  /** Until when nothing is to be sent, in milliseconds; undefined where it may be tried. Changes nothing. */
  getOpenUntil(executor: string, channel: ChannelKind, now: number): number | undefined {
    const until = this.#get(executor, channel)?.until ?? 0;
    return until > now ? until : undefined;
  }

  /** An attempt is let through: where the breaker was open, the next one waits for its result. */
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
    // What was under way when it opened says nothing new.
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

  /** True where it had not been known. */
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

  /** The address was configured anew. */
  reset(executor: string, channel: ChannelKind): void {
    this.#sql.exec("DELETE FROM breakers WHERE executor = ? AND channel = ?", executor, channel);
  }

  /** The member was configured anew. */
  resetExecutor(executor: string): void {
    this.#sql.exec("DELETE FROM breakers WHERE executor = ?", executor);
  }

  /** The channel was configured anew. */
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
