/** Sent messages, to resolve replies to them, and inbound events, so that each is handled once. */
import type { ChannelKind } from "../../channels/channel.ts";
import { FINAL_STATUSES_SQL } from "../threads/final-statuses.ts";

/** Stands for a thread where the event answered none and went to a message source. */
export const NO_THREAD = "";

/** A thread, and the member that a message about it was sent to. */
export interface MessageTarget {
  actor: string;
  ref: string;
}

type MessageTargetRow = MessageTarget & Record<string, SqlStorageValue>;

/** Further stored properties of a sent message. */
interface MessageDetails {
  /** The channel's id of the message, if it has one. */
  handle?: string | undefined;
  /** True if the message alerted an owner about the thread. */
  alert: boolean;
}

const DAY_MS = 86_400_000;
/** How long replies to a sent message can be resolved. */
const SENT_RETENTION_MS = 180 * DAY_MS;
const INBOUND_RETENTION_MS = 7 * DAY_MS;

export class SentMessages {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  record(
    channel: ChannelKind,
    identity: string,
    { actor, ref }: MessageTarget,
    { handle, alert }: MessageDetails,
    now: number,
  ): void {
    this.#sql.exec(
      "INSERT INTO sendings (channel, identity, handle, actor, ref, alert, at) VALUES (?, ?, ?, ?, ?, ?, ?)",
      channel,
      identity,
      handle ?? null,
      actor,
      ref,
      alert ? 1 : 0,
      now,
    );
  }

  /** The owner that was alerted about the thread at this address. */
  findAlertedOwner(channel: ChannelKind, identity: string, ref: string): string | undefined {
    return this.#sql
      .exec<{ actor: string }>(
        `SELECT actor FROM sendings WHERE channel = ? AND identity = ? AND ref = ? AND alert = 1
         ORDER BY n DESC LIMIT 1`,
        channel,
        identity,
        ref,
      )
      .toArray()[0]?.actor;
  }

  /** True if the message with one of these handles was an owner alert. */
  isAlert(channel: ChannelKind, identity: string, handles: readonly string[]): boolean {
    return (
      this.#sql
        .exec(
          `SELECT 1 FROM sendings WHERE channel = ? AND identity = ? AND alert = 1
           AND handle IN (SELECT value FROM json_each(?)) LIMIT 1`,
          channel,
          identity,
          JSON.stringify(handles),
        )
        .toArray().length > 0
    );
  }

  /** The thread and the recipient of the message with this handle; also for threads that have ended. */
  findByHandle(channel: ChannelKind, identity: string, handle: string): MessageTarget | undefined {
    return this.#sql
      .exec<MessageTargetRow>(
        `SELECT actor, ref FROM sendings WHERE channel = ? AND identity = ? AND handle = ?
         ORDER BY n DESC LIMIT 1`,
        channel,
        identity,
        handle,
      )
      .toArray()[0];
  }

  /** The last message about `ref`; without `ref`, the last one about a thread that has not ended. */
  findLast(channel: ChannelKind, identity: string, ref?: string): MessageTarget | undefined {
    const condition = ref === undefined ? `t.status NOT IN (${FINAL_STATUSES_SQL})` : "s.ref = ?";
    return this.#sql
      .exec<MessageTargetRow>(
        `SELECT s.actor, s.ref FROM sendings s JOIN threads t ON t.ref = s.ref
         WHERE s.channel = ? AND s.identity = ? AND ${condition} ORDER BY s.n DESC LIMIT 1`,
        channel,
        identity,
        ...(ref === undefined ? [] : [ref]),
      )
      .toArray()[0];
  }

  /** When the last message about the thread was sent to this address. */
  getLastTime(channel: ChannelKind, identity: string, ref: string): number | undefined {
    return this.#sql
      .exec<{ at: number }>(
        `SELECT at FROM sendings WHERE channel = ? AND identity = ? AND ref = ?
         ORDER BY n DESC LIMIT 1`,
        channel,
        identity,
        ref,
      )
      .toArray()[0]?.at;
  }

  /** True if messages about other threads that have not ended were sent to this address. */
  hasOtherThreads(channel: ChannelKind, identity: string, ref: string): boolean {
    return (
      this.#sql
        .exec(
          `SELECT 1 FROM sendings s JOIN threads t ON t.ref = s.ref
           WHERE s.channel = ? AND s.identity = ? AND s.ref <> ? AND t.status NOT IN (${FINAL_STATUSES_SQL}) LIMIT 1`,
          channel,
          identity,
          ref,
        )
        .toArray().length > 0
    );
  }

  /** The result for an event that was resolved before. */
  findResolved(channel: ChannelKind, id: string): MessageTarget | undefined {
    return this.#sql
      .exec<MessageTargetRow>(
        "SELECT actor, ref FROM heard WHERE channel = ? AND id = ?",
        channel,
        id,
      )
      .toArray()[0];
  }

  recordResolved(
    channel: ChannelKind,
    id: string,
    { actor, ref }: MessageTarget,
    now: number,
  ): void {
    this.#sql.exec(
      "INSERT OR REPLACE INTO heard (channel, id, actor, ref, at) VALUES (?, ?, ?, ?, ?)",
      channel,
      id,
      actor,
      ref,
      now,
    );
  }

  prune(now: number): void {
    this.#sql.exec("DELETE FROM heard WHERE at < ?", now - INBOUND_RETENTION_MS);
    this.#sql.exec("DELETE FROM sendings WHERE at < ?", now - SENT_RETENTION_MS);
  }
}
