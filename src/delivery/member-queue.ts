/** One member's deliveries, one after the other. */
import type { Contact, ContactAddress, DeliveryReport } from "../contracts/contacts.ts";
import { logDefect } from "../log.ts";
import { Addresses } from "./channel-sequence.ts";
import { type Attempt, attempt, type PostReply } from "./delivery-attempt.ts";
import type { Sent } from "../channels/channel.ts";
import { carriesOf } from "../channels/registry.ts";
import { type Delivery, laneOf, UNREACHED } from "./delivery.ts";
import type { Desk } from "./delivery-port.ts";
import { noticeOf } from "./build-notice.ts";
import { failureNote } from "./message-excerpts.ts";
import { MOST_ATTEMPTS, nextAttempt, pauseAfter } from "./retry-schedule.ts";
import { whyUseless } from "./drop-reason.ts";

const BROKEN = "its channels have failed again and again";

/** Milliseconds after its last word for which a member hears what others say also when it is not to be disturbed. */
const AWAKE = 60 * 60_000;

type Failed = Extract<Sent, { ok: false }>;
type Delivered = Extract<Sent, { ok: true }>;

export class Lane {
  readonly #env: Env;
  readonly #desk: Desk;
  readonly #key: string;
  readonly #contact: Contact;
  readonly #names: Readonly<Record<string, string>>;
  readonly #postReply: PostReply;
  readonly #report: (report: DeliveryReport) => void;
  readonly #addresses: Addresses;

  constructor(
    env: Env,
    desk: Desk,
    key: string,
    contact: Contact,
    names: Readonly<Record<string, string>>,
    postReply: PostReply,
    report: (report: DeliveryReport) => void,
  ) {
    this.#env = env;
    this.#desk = desk;
    this.#key = key;
    this.#contact = contact;
    this.#names = names;
    this.#postReply = postReply;
    this.#report = report;
    this.#addresses = new Addresses(contact.addresses);
  }

  /** Until nothing is due any more. */
  async run(): Promise<void> {
    for (;;) {
      const now = Date.now();
      const next = this.#desk.deliveries.due(now).find((one) => laneOf(one) === this.#key);
      if (!next) return;
      await this.#serve(next, now);
    }
  }

  /** Brings it forward: it is sent, put off, split or dropped. */
  async #serve(delivery: Delivery, now: number): Promise<void> {
    const { id, handle, alone, channel } = delivery;
    const useless = whyUseless(delivery, this.#desk.state());
    if (useless !== undefined) return this.#drop(id, useless, now);
    const { deliveries } = this.#desk;
    const last = () => deliveries.lastChannel(delivery.executor);
    const address = this.#addresses.next(delivery, last);
    if (!address) {
      const reached = alone && this.#addresses.all.length > 0;
      return this.#drop(id, reached ? `not reached by ${channel}` : UNREACHED, now);
    }
    const broken = this.#contact.broken_until ?? address.broken_until;
    if (broken !== undefined && broken > now) return await this.#waitOut(delivery, broken, now);
    const postponed = this.#postponed(delivery, now);
    if (postponed) return this.#postpone(id, postponed, now);
    if (this.#goesEverywhere(delivery)) return this.#split(delivery, now);
    const { flying } = deliveries;
    flying.add(id);
    try {
      const seq = this.#desk.seq();
      const { executor } = delivery;
      const { ref } = this.#desk.state();
      const { sent, identity } = await this.#attempt(delivery, address, now);
      // What cannot be edited any more says nothing about the address.
      if (handle === null || sent.ok)
        this.#report({
          executor,
          channel: address.channel,
          ref,
          ok: sent.ok,
          ...(sent.ok ? {} : { reason: sent.reason, ...(sent.gone ? { gone: true } : {}) }),
          ...(delivery.kind === "alert" ? { alert: true as const } : {}),
          // An edit makes no sound: what is answered next is not meant for it.
          ...(identity === undefined || handle !== null ? {} : { identity }),
          ...(sent.ok && sent.handle !== undefined ? { handle: sent.handle } : {}),
        });
      if (sent.ok) this.#succeed(delivery, address, sent, seq);
      else await this.#fail(delivery, address, sent);
    } finally {
      flying.delete(id);
    }
  }

  async #attempt(delivery: Delivery, address: ContactAddress, now: number): Promise<Attempt> {
    try {
      const { channel } = address;
      const notice = await noticeOf(
        this.#env,
        this.#desk,
        delivery,
        channel,
        this.#contact,
        this.#names,
        now,
      );
      return await attempt(this.#env, address, notice, delivery.handle, this.#postReply);
    } catch (error) {
      logDefect(error, { object: "thread", part: "notice" });
      return { sent: { ok: false, reason: "the notice could not be made" } };
    }
  }

  /**
   * Its endpoints have failed again and again. Waiting for them is bounded like trying: who has waited for as long as
   * from one attempt to the next has made one, else what many wait for would never be given up.
   */
  async #waitOut(delivery: Delivery, until: number, now: number): Promise<void> {
    const { id, executor, handle, at } = delivery;
    const attempts = delivery.attempts + 1;
    const pause = pauseAfter(attempts);
    if (pause === undefined) {
      if (handle !== null) return this.#drop(id, BROKEN, now);
      const end = `${executor} was not reached: ${BROKEN}; given up after ${attempts} attempts`;
      return await this.#desk.giveUp({ ...delivery, attempts }, end);
    }
    const counts = now - at >= pause;
    this.#desk.write(() =>
      this.#desk.deliveries.change(
        id,
        { due: until, error: BROKEN, ...(counts ? { attempts } : {}) },
        // As it was where nothing counts: from then on it has waited.
        counts ? now : at,
      ),
    );
  }

  /** Not now: the member is not to be disturbed. */
  #postponed(
    { handle, kind, executor }: Delivery,
    now: number,
  ): { due: number; error: string } | undefined {
    const { hold } = this.#contact;
    // An edit makes no sound, and urgent things do not wait for the morning.
    const urgent = this.#desk.state().priority === "urgent";
    return hold &&
      hold.until > now &&
      !urgent &&
      handle === null &&
      !this.#isAwake(kind, executor, now)
      ? { due: hold.until, error: hold.reason }
      : undefined;
  }

  /** Who has just said something in the thread waits for what is answered to it. */
  #isAwake(kind: Delivery["kind"], executor: string, now: number): boolean {
    const spoken = kind === "news" ? this.#desk.lastHeard(executor) : undefined;
    return spoken !== undefined && now - spoken < AWAKE;
  }

  #goesEverywhere({ kind, alone }: Delivery): boolean {
    return (
      (kind === "offer" || kind === "reminder") &&
      !alone &&
      this.#addresses.all.length > 1 &&
      this.#desk.state().priority === "urgent"
    );
  }

  /** One for each address, the first under the id that it has. */
  #split({ id, executor, kind, happening }: Delivery, now: number): void {
    const [first, ...others] = this.#addresses.all;
    const { deliveries } = this.#desk;
    this.#desk.write(() => {
      deliveries.change(id, { channel: first!.channel, alone: true }, now);
      deliveries.add(
        others.map(({ channel }) => ({
          executor,
          kind,
          happening,
          channel,
          alone: true,
          handle: null,
        })),
        now,
      );
    });
  }

  #succeed(
    delivery: Delivery,
    { channel }: ContactAddress,
    { handle, note, again }: Delivered,
    seq: number,
  ): void {
    const { id, executor, kind } = delivery;
    const { deliveries } = this.#desk;
    const now = Date.now();
    const carries = carriesOf(channel);
    this.#desk.write(() => {
      const due = again === undefined || handle === undefined ? undefined : now + again * 1_000;
      const update = { executor, kind: "update" as const, channel, alone: true, happening: null };
      if (due !== undefined && kind === "update")
        return deliveries.change(id, { handle: handle!, due, attempts: 0, error: null }, now);
      if (due !== undefined) deliveries.add([{ ...update, handle: handle!, due }], now);
      deliveries.change(
        id,
        {
          state: "delivered",
          channel,
          error: null,
          ...(delivery.handle === null ? { handle: handle ?? null } : {}),
        },
        now,
      );
      if (kind === "offer" || note !== undefined) {
        const told = `notified ${executor} via ${channel}`;
        this.#desk.note("dispatched", note === undefined ? told : `${told}: ${note}`, now);
      }
      // The thread went on while this was under way: what was sent is behind.
      const asks = kind === "offer" || kind === "reminder";
      if (!asks || this.#desk.seq() === seq) return;
      if (carries?.edits && handle !== undefined) deliveries.add([{ ...update, handle }], now);
      else if (carries?.updates && this.#lostTo(delivery))
        deliveries.add([{ ...update, handle: null }], now);
    });
  }

  /** What it asks for has ended, or is somebody else's: not by what the member did itself. */
  #lostTo(delivery: Delivery): boolean {
    const state = this.#desk.state();
    return state.executor !== delivery.executor && whyUseless(delivery, state) !== undefined;
  }

  async #fail(delivery: Delivery, { channel }: ContactAddress, failed: Failed): Promise<void> {
    const { id, executor, alone, handle } = delivery;
    const now = Date.now();
    const reason = `${channel}: ${failed.reason}`;
    if (handle !== null && failed.gone) return this.#drop(id, reason, now);
    const other = alone ? undefined : this.#addresses.after(channel);
    if (failed.gone) this.#addresses.drop(channel);
    if (other) {
      const next = `${other.channel} is tried next`;
      return this.#retry(delivery, reason, next, { channel: other.channel, due: now }, now);
    }
    const attempts = delivery.attempts + 1;
    const nothing = alone ? failed.gone === true : this.#addresses.all.length === 0;
    const due = nothing ? undefined : nextAttempt(attempts, now, failed.retry_after);
    if (due !== undefined) {
      const seconds = Math.round((due - now) / 1_000);
      const next = `attempt ${attempts} of ${MOST_ATTEMPTS}, the next in ${spell(seconds)}`;
      const again = { attempts, due, ...(alone ? {} : { channel: null }) };
      return this.#retry(delivery, reason, next, again, now);
    }
    if (handle !== null) return this.#drop(id, reason, now);
    const end = nothing
      ? "nothing can be sent there any more"
      : `given up after ${attempts} attempts`;
    await this.#desk.giveUp(
      { ...delivery, attempts, channel },
      `${failureNote(executor, reason)}; ${end}`,
    );
  }

  #retry(
    { id, executor }: Delivery,
    reason: string,
    next: string,
    patch: { channel?: ContactAddress["channel"] | null; due: number; attempts?: number },
    now: number,
  ): void {
    this.#desk.write(() => {
      this.#desk.deliveries.change(id, { ...patch, error: reason }, now);
      const failed = `${failureNote(executor, reason)} (${next})`;
      this.#desk.note("delivery_failed", failed, now);
    });
  }

  #postpone(id: string, patch: { due: number; error: string }, now: number): void {
    this.#desk.write(() => this.#desk.deliveries.change(id, patch, now));
  }

  #drop(id: string, error: string, now: number): void {
    this.#desk.write(() => this.#desk.deliveries.change(id, { state: "dropped", error }, now));
  }
}

/** `5 s`, `30 min`, `14 h`. */
const spell = (seconds: number): string =>
  seconds < 60
    ? `${seconds} s`
    : seconds < 3_600
      ? `${Math.round(seconds / 60)} min`
      : `${Math.round(seconds / 3_600)} h`;
