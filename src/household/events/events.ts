/** The event log of the household's threads, read from a cursor. */
import { defined } from "../../mess/defined.ts";
import { writeTime } from "../../mess/times.ts";
import type { Schedule } from "../schedules/schedule.ts";
import type { ReadingScope } from "../identity/effective-role.ts";
import { buildParticipantSql, buildReadableSql } from "../threads/thread-catalog.ts";
import type { ThreadSummary } from "../../contracts/thread.ts";
import type { HouseholdEvent } from "../../contracts/events.ts";

type EventAction = NonNullable<HouseholdEvent["action"]>;

interface EventRow extends Record<string, SqlStorageValue> {
  cursor: number;
  at: number;
  ref: string;
  status: string;
  executor: string | null;
  requestor: string;
  action: EventAction | null;
  actor: string | null;
  channel: string | null;
  schedule: string | null;
  note: string | null;
}

/** For this long a repeated link request of the same executor is not logged again. */
const LINK_REQUEST_INTERVAL_MS = 3_600_000;

const DAY_MS = 86_400_000;
const MAX_UNKNOWN_SENDERS_PER_DAY = 20;
const MAX_ADDRESS_CHARS = 100;

const MIN_RETAINED_EVENTS = 10_000;
/** Events are retained for this long. */
const RETENTION_MS = 30 * 86_400_000;

export class Events {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  appendStatus(summary: ThreadSummary): void {
    this.#sql.exec(
      "INSERT INTO events (at, ref, status, executor, requestor) VALUES (?, ?, ?, ?, ?)",
      summary.updated,
      summary.ref,
      summary.status,
      summary.executor,
      summary.requestor,
    );
  }

  appendLinkRequest(
    { ref, status, executor, requestor }: ThreadSummary,
    actor: string,
    now: number,
  ): void {
    this.#sql.exec(
      `INSERT INTO events (at, ref, status, executor, requestor, action, actor)
       SELECT ?1, ?2, ?3, ?4, ?5, 'link_requested', ?6 WHERE NOT EXISTS
         (SELECT 1 FROM events WHERE ref = ?2 AND action = 'link_requested' AND actor = ?6 AND at > ?7)`,
      now,
      ref,
      status,
      executor,
      requestor,
      actor,
      now - LINK_REQUEST_INTERVAL_MS,
    );
  }

  /** Logs that the member's address in the channel no longer accepts messages. */
  appendChannelGone(executor: string, channel: string, ref: string, now: number): void {
    this.#sql.exec(
      `INSERT INTO events (at, ref, status, executor, requestor, action, actor, channel)
       SELECT ?, ref, status, executor, requestor, 'channel_gone', ?, ? FROM threads WHERE ref = ?`,
      now,
      executor,
      channel,
      ref,
    );
  }

  /**
   * Logs a message from an unknown sender: once a day per sender, up to a daily limit per channel. The message text is
   * not stored.
   */
  appendUnknownSender(channel: string, from: string, now: number): void {
    this.#sql.exec(
      `INSERT INTO events (at, ref, status, executor, requestor, action, channel, note)
       SELECT ?1, '', 'pending', NULL, 'exchange', 'stranger', ?2, ?3 WHERE
         (SELECT count(*) FROM events WHERE action = 'stranger' AND channel = ?2 AND at > ?4) < ?5
         AND NOT EXISTS (SELECT 1 FROM events
           WHERE action = 'stranger' AND channel = ?2 AND note = ?3 AND at > ?4)`,
      now,
      channel,
      from.replaceAll(/[^\w+@.-]/g, "?").slice(0, MAX_ADDRESS_CHARS),
      now - DAY_MS,
      MAX_UNKNOWN_SENDERS_PER_DAY,
    );
  }

  /** Logs that a lifecycle hook was given up. */
  appendHookFailure(ref: string, note: string, now: number): void {
    this.#sql.exec(
      `INSERT INTO events (at, ref, status, executor, requestor, action, note)
       SELECT ?, ref, status, executor, requestor, 'hook_failed', ? FROM threads WHERE ref = ?`,
      now,
      note.slice(0, 300),
      ref,
    );
  }

  /** Logs that the delivery to the member was given up at `at`. */
  appendDeliveryFailure(summary: ThreadSummary, actor: string, at: number): void {
    this.#appendOnce(summary, "delivery_failed", "actor", actor, at);
  }

  /** Logs that the owners were alerted about the thread at `at`. */
  appendEscalation(summary: ThreadSummary, note: string, at: number): void {
    this.#appendOnce(summary, "escalated", "note", note.slice(0, 300), at);
  }

  /** Logs an event that the thread may report again; the same event at the same instant is stored once. */
  #appendOnce(
    { ref, status, executor, requestor }: ThreadSummary,
    action: EventAction,
    column: "actor" | "note",
    value: string,
    at: number,
  ): void {
    this.#sql.exec(
      `INSERT INTO events (at, ref, status, executor, requestor, action, ${column})
       SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7 WHERE NOT EXISTS
         (SELECT 1 FROM events WHERE ref = ?2 AND action = ?6 AND ${column} = ?7 AND at = ?1)`,
      at,
      ref,
      status,
      executor,
      requestor,
      action,
      value,
    );
  }

  /** Logs the result of a schedule's firing. `ref` is empty if there is no thread. */
  appendScheduleEvent(
    { id, by }: Pick<Schedule, "id" | "by">,
    action: Extract<EventAction, `schedule_${string}`>,
    ref: string,
    note: string,
    now: number,
  ): void {
    this.#sql.exec(
      `INSERT INTO events (at, ref, status, executor, requestor, action, schedule, note)
       SELECT ?1, ?2, coalesce((SELECT status FROM threads WHERE ref = ?2), 'pending'),
         (SELECT executor FROM threads WHERE ref = ?2), ?3, ?4, ?5, ?6`,
      now,
      ref,
      by,
      action,
      id,
      note.slice(0, 300),
    );
  }

  /** Deletes events older than 30 days, but keeps the newest 10,000 whatever their age. */
  prune(now: number): void {
    this.#sql.exec(
      "DELETE FROM events WHERE cursor <= (SELECT max(cursor) FROM events) - ? AND at < ?",
      MIN_RETAINED_EVENTS,
      now - RETENTION_MS,
    );
  }

  /**
   * Events after the cursor, of threads that the viewer may see. Continue from the returned `cursor`.
   */
  listAfter(
    viewer: { actor: string; reads: ReadingScope },
    after: number,
    limit: number,
    zone: string,
  ): { events: HouseholdEvent[]; cursor: number } {
    const { newest } = this.#sql
      .exec<{ newest: number | null }>("SELECT max(cursor) AS newest FROM events")
      .one();
    const rows = this.#sql
      .exec<EventRow>(
        `SELECT * FROM events e WHERE e.cursor > ?1 AND (${buildReadableSql("?2", "e.requestor")} OR EXISTS
           (SELECT 1 FROM threads t WHERE t.ref = e.ref AND ${buildParticipantSql("?3")})
           OR (e.schedule IS NOT NULL AND e.requestor = ?3))
         ORDER BY e.cursor LIMIT ?4`,
        after,
        viewer.reads,
        viewer.actor,
        limit,
      )
      .toArray();
    const isFull = rows.length === limit;
    const cursor = isFull ? rows.at(-1)?.cursor : newest;
    return {
      events: rows.map(({ action, actor, channel, schedule, note, ...row }) => ({
        ...row,
        at: writeTime(row.at, zone),
        ...(action ? { action } : {}),
        ...defined({
          by: actor ?? undefined,
          channel: channel ?? undefined,
          schedule: schedule ?? undefined,
          note: note ?? undefined,
        }),
      })),
      cursor: Math.max(after, cursor ?? after),
    };
  }
}
