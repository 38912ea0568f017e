/** The deliveries of a thread in SQLite. Every method is synchronous; the caller holds the transaction. */
import type { ChannelKind, NoticeKind } from "../channels/channel.ts";
import { UNREACHED } from "../delivery/delivery.ts";
import type {
  Delivery,
  DeliveryState,
  DeliveryStore,
  Happening,
  NewDelivery,
  SentBefore,
} from "../delivery/delivery.ts";

interface Row extends Record<string, SqlStorageValue> {
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
  told: number;
}

const deliveryOf = ({ alone, happening, told: _told, ...row }: Row): Delivery => ({
  ...row,
  alone: alone === 1,
  happening: happening === null ? null : (JSON.parse(happening) as Happening),
});

/** Characters of a reason that are kept. */
const LONGEST_ERROR = 300;

/** Not those whose member was found to have no channel. */
const REACHED = "(state <> 'dropped' OR error IS NOT ?)";

export class Deliveries implements DeliveryStore {
  readonly flying = new Set<string>();
  readonly #sql: SqlStorage;
  /** Whether there is something to do or to edit; unknown until it is first asked for. */
  #any: boolean | undefined;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Call it when a transaction that wrote here is rolled back. */
  forget(): void {
    this.#any = undefined;
  }

  any(): boolean {
    return (this.#any ??=
      this.#sql.exec(`SELECT 1 FROM deliveries WHERE ${REACHED} LIMIT 1`, UNREACHED).toArray()
        .length > 0);
  }

  /** The earliest instant at which one is due, of members who are not being sent to right now. */
  nextDue(busy: (delivery: Pick<Delivery, "executor" | "kind">) => boolean): number | undefined {
    if (!this.any()) return undefined;
    return this.#sql
      .exec<{ executor: string; kind: NoticeKind; due: number }>(
        `SELECT executor, kind, min(due) AS due FROM deliveries
         WHERE state = 'due' OR (state = 'dead' AND told = 0) GROUP BY executor, kind`,
      )
      .toArray()
      .filter((one) => !busy(one))
      .map(({ due }) => due)
      .toSorted((a, b) => a - b)[0];
  }

  due(instant: number): Delivery[] {
    return this.#select("state = 'due' AND due <= ?", instant);
  }

  messages(executor: string, channel: ChannelKind): { kind: NoticeKind; handle: string }[] {
    return this.#sql
      .exec<{ kind: NoticeKind; handle: string }>(
        `SELECT kind, handle FROM deliveries WHERE executor = ? AND channel = ?
         AND state = 'delivered' AND kind <> 'update' AND handle IS NOT NULL ORDER BY n`,
        executor,
        channel,
      )
      .toArray();
  }

  list(): Delivery[] {
    return this.#select("true");
  }

  get(id: string): Delivery | undefined {
    return this.#select("id = ?", id)[0];
  }

  taken(channel: ChannelKind, handle: string): Delivery | undefined {
    return this.#select(
      "state = 'delivered' AND kind <> 'update' AND channel = ? AND handle = ?",
      channel,
      handle,
    )[0];
  }

  /** Everything that asks its member for something, for what follows it. */
  sent(): SentBefore[] {
    if (!this.any()) return [];
    return this.#select(`${REACHED} AND kind NOT IN ('news', 'update')`, UNREACHED);
  }

  lastChannel(executor: string): ChannelKind | null {
    const [row] = this.#sql
      .exec<{ channel: ChannelKind | null }>(
        `SELECT channel FROM deliveries WHERE executor = ? AND state = 'delivered'
         AND kind IN ('offer', 'reminder') ORDER BY n DESC LIMIT 1`,
        executor,
      )
      .toArray();
    return row?.channel ?? null;
  }

  /** Writes them; an edit that waits for the same message already takes on what is new. */
  add(deliveries: readonly NewDelivery[], now: number): void {
    for (const one of deliveries) {
      const happening = one.happening === null ? null : JSON.stringify(one.happening);
      const edits = one.kind === "update" || one.handle !== null;
      if (edits && this.#coalesce(one, happening, now)) continue;
      this.#sql.exec(
        `INSERT INTO deliveries
           (id, executor, kind, state, channel, alone, handle, happening, attempts, due, error, at)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?, ?)`,
        `msg_${crypto.randomUUID()}`,
        one.executor,
        one.kind,
        one.dropped === undefined ? "due" : "dropped",
        one.channel,
        one.alone ? 1 : 0,
        one.handle,
        happening,
        one.due ?? now,
        one.dropped ?? null,
        now,
      );
      this.#any = true;
    }
  }

  #coalesce(
    { executor, kind, channel, handle }: NewDelivery,
    happening: string | null,
    now: number,
  ): boolean {
    const waiting = this.#select(
      "state = 'due' AND kind = ? AND executor = ? AND channel IS ? AND handle IS ?",
      kind,
      executor,
      channel,
      handle,
    ).find(({ id }) => !this.flying.has(id));
    if (!waiting) return false;
    this.#sql.exec(
      "UPDATE deliveries SET happening = ?, at = ? WHERE id = ?",
      happening,
      now,
      waiting.id,
    );
    return true;
  }

  change(id: string, patch: Parameters<DeliveryStore["change"]>[1], now: number): void {
    const { alone, error, ...rest } = patch;
    const values: Record<string, SqlStorageValue> = {
      ...rest,
      ...(alone === undefined ? {} : { alone: alone ? 1 : 0 }),
      ...(error === undefined ? {} : { error: error?.slice(0, LONGEST_ERROR) ?? null }),
      // The household is to hear of each time that it was given up.
      ...(patch.state === "dead" ? { told: 0 } : {}),
      at: now,
    };
    // Its columns are our own keys.
    const columns = Object.keys(values).map((key) => `${key} = ?`);
    this.#sql.exec(
      `UPDATE deliveries SET ${columns.join(", ")} WHERE id = ?`,
      ...Object.values(values),
      id,
    );
    this.#any = patch.state === "dropped" ? undefined : true;
  }

  remove(id: string): void {
    this.#sql.exec("DELETE FROM deliveries WHERE id = ?", id);
    this.#any = undefined;
  }

  untold(): Delivery[] {
    return this.any() ? this.#select("state = 'dead' AND told = 0") : [];
  }

  told(id: string): void {
    this.#sql.exec("UPDATE deliveries SET told = 1 WHERE id = ?", id);
  }

  #select(where: string, ...values: (string | number | null)[]): Delivery[] {
    return this.#sql
      .exec<Row>(`SELECT * FROM deliveries WHERE ${where} ORDER BY n`, ...values)
      .toArray()
      .map(deliveryOf);
  }
}
