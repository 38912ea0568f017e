/** The deliveries of a thread in SQLite. Every method is synchronous; the caller holds the transaction. */
import type { ChannelKind, NoticeKind } from "../../channels/channel.ts";
import { isDelayReason } from "../../mess/delay-reasons.ts";
import type { ThreadTables } from "../migrations.ts";
import { ALL_OWNERS, NO_CHANNEL_REASON } from "../../delivery/delivery.ts";
import type {
  Delivery,
  DeliveryState,
  DeliveryStore,
  NoticeEvent,
  NewDelivery,
  EarlierDelivery,
} from "../../delivery/delivery.ts";

interface DeliveryRow extends Record<string, SqlStorageValue> {
  n: number;
  id: string;
  executor: string;
  kind: NoticeKind;
  state: DeliveryState;
  channel: ChannelKind | null;
  alone: number;
  handle: string | null;
  happening: string | null;
  attempts: number;
  due: number;
  error: string | null;
  at: number;
  /** 1 once the household knows that it was given up. */
  told: number;
}

const toDelivery = ({ alone, happening, told: _told, ...row }: DeliveryRow): Delivery => ({
  ...row,
  isChannelFixed: alone === 1,
  event: happening === null ? null : (JSON.parse(happening) as NoticeEvent),
});

/** Longest stored reason. */
const MAX_ERROR_CHARS = 300;

/** Excludes rows of members without any channel. */
const HAS_CHANNEL_SQL = "(state <> 'dropped' OR error IS NOT ?)";

export class DeliveryTable implements DeliveryStore {
  readonly inFlight = new Set<string>();
  readonly #tables: ThreadTables;
  /** Whether there is anything to send or to edit; unknown until the first look-up. */
  #any: boolean | undefined;

  constructor(tables: ThreadTables) {
    this.#tables = tables;
  }

  /** Call this when a transaction that wrote here was rolled back. */
  clearCache(): void {
    this.#any = undefined;
  }

  hasAny(): boolean {
    return (this.#any ??=
      this.#tables.run(
        "deliveries",
        `SELECT 1 FROM deliveries WHERE ${HAS_CHANNEL_SQL} LIMIT 1`,
        NO_CHANNEL_REASON,
      ).length > 0);
  }

  getNextDue(
    isExcepted: (delivery: Pick<Delivery, "executor" | "kind">) => boolean,
  ): number | undefined {
    if (!this.hasAny()) return undefined;
    return this.#tables
      .run<{ executor: string; kind: NoticeKind; due: number }>(
        "deliveries",
        `SELECT executor, kind, min(due) AS due FROM deliveries WHERE state = 'due' GROUP BY executor, kind`,
      )
      .filter((one) => !isExcepted(one))
      .map(({ due }) => due)
      .toSorted((a, b) => a - b)[0];
  }

  listDue(instant: number): Delivery[] {
    return this.hasAny() ? this.#select("state = 'due' AND due <= ?", instant) : [];
  }

  listMessages(executor: string, channel: ChannelKind): { kind: NoticeKind; handle: string }[] {
    return this.#tables.run<{ kind: NoticeKind; handle: string }>(
      "deliveries",
      `SELECT kind, handle FROM deliveries WHERE executor = ? AND channel = ?
       AND state = 'delivered' AND kind <> 'update' AND handle IS NOT NULL ORDER BY n`,
      executor,
      channel,
    );
  }

  list(): Delivery[] {
    return this.#select("true");
  }

  find(id: string): Delivery | undefined {
    return this.#select("id = ?", id)[0];
  }

  findByHandle(channel: ChannelKind, handle: string): Delivery | undefined {
    return this.#select(
      "state = 'delivered' AND kind <> 'update' AND channel = ? AND handle = ?",
      channel,
      handle,
    )[0];
  }

  /** Deliveries that asked their member for something, for later edits. */
  listEarlier(): EarlierDelivery[] {
    if (!this.hasAny()) return [];
    return this.#select(`${HAS_CHANNEL_SQL} AND kind NOT IN ('news', 'update')`, NO_CHANNEL_REASON);
  }

  getLastChannel(executor: string): ChannelKind | null {
    const [row] = this.#tables.run<{ channel: ChannelKind | null }>(
      "deliveries",
      `SELECT channel FROM deliveries WHERE executor = ? AND state = 'delivered'
       AND kind IN ('offer', 'reminder') ORDER BY n DESC LIMIT 1`,
      executor,
    );
    return row?.channel ?? null;
  }

  /** Inserts deliveries; an edit is merged into one that still waits for the same message. */
  add(deliveries: readonly NewDelivery[], now: number): void {
    for (const one of deliveries) {
      const event = one.event === null ? null : JSON.stringify(one.event);
      const edits = one.kind === "update" || one.handle !== null;
      if (edits && this.#coalesce(one, event, now)) continue;
      this.#tables.insert(
        "deliveries",
        `INSERT INTO deliveries
           (id, executor, kind, state, channel, alone, handle, happening, attempts, due, error, at)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?, ?)`,
        `msg_${crypto.randomUUID()}`,
        one.executor,
        one.kind,
        one.dropReason === undefined ? "due" : "dropped",
        one.channel,
        one.isChannelFixed ? 1 : 0,
        one.handle,
        event,
        one.due ?? now,
        one.dropReason ?? null,
        now,
      );
      this.#any = true;
    }
  }

  #coalesce(
    { executor, kind, channel, handle }: NewDelivery,
    event: string | null,
    now: number,
  ): boolean {
    const waiting = this.#select(
      "state = 'due' AND kind = ? AND executor = ? AND channel IS ? AND handle IS ?",
      kind,
      executor,
      channel,
      handle,
    ).find(({ id }) => !this.inFlight.has(id));
    if (!waiting) return false;
    this.#tables.run(
      "deliveries",
      "UPDATE deliveries SET happening = ?, at = ? WHERE id = ?",
      event,
      now,
      waiting.id,
    );
    return true;
  }

  change(id: string, patch: Parameters<DeliveryStore["change"]>[1], now: number): void {
    const { isChannelFixed, error, ...columnValues } = patch;
    const values: Record<string, SqlStorageValue> = {
      ...columnValues,
      ...(isChannelFixed === undefined ? {} : { alone: isChannelFixed ? 1 : 0 }),
      ...(error === undefined ? {} : { error: error?.slice(0, MAX_ERROR_CHARS) ?? null }),
      // The household is notified of every time that it was given up.
      ...(patch.state === "dead" ? { told: 0 } : {}),
      at: now,
    };
    // The column names are keys of this file, never input.
    const columns = Object.keys(values).map((key) => `${key} = ?`);
    this.#tables.run(
      "deliveries",
      `UPDATE deliveries SET ${columns.join(", ")} WHERE id = ?`,
      ...Object.values(values),
      id,
    );
    this.#any = patch.state === "dropped" ? undefined : true;
  }

  /**
   * Makes due the deliveries to the member that wait until it may be disturbed. True if there were none, and no other was
   * due already.
   */
  release(executor: string, now: number): boolean {
    if (!this.hasAny()) return true;
    const waiting =
      executor === ALL_OWNERS
        ? this.#select("state = 'due'")
        : this.#select("state = 'due' AND executor = ?", executor);
    const held = waiting.filter(({ due, error }) => due > now && isDelayReason(error ?? ""));
    for (const { id } of held) this.change(id, { due: now }, now);
    return held.length === 0 && waiting.every(({ due }) => due > now);
  }

  remove(id: string): void {
    this.#tables.run("deliveries", "DELETE FROM deliveries WHERE id = ?", id);
    this.#any = undefined;
  }

  listUnreported(): Delivery[] {
    return this.hasAny() ? this.#select("state = 'dead' AND told = 0") : [];
  }

  markReported(id: string): void {
    this.#tables.run("deliveries", "UPDATE deliveries SET told = 1 WHERE id = ?", id);
  }

  #select(where: string, ...values: (string | number | null)[]): Delivery[] {
    return this.#tables
      .run<DeliveryRow>(
        "deliveries",
        `SELECT * FROM deliveries WHERE ${where} ORDER BY n`,
        ...values,
      )
      .map(toDelivery);
  }
}
