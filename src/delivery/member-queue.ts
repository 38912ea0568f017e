/** Sends the deliveries of one member, or postpones or drops them, and records the outcome of each. */
import type { Contact, ContactAddress, DeliveryReport } from "../contracts/contacts.ts";
import { logDefect } from "../log.ts";
import { ChannelSequence } from "./channel-sequence.ts";
import { type AttemptResult, attemptDelivery, type PostReply } from "./delivery-attempt.ts";
import type { SendResult } from "../channels/channel.ts";
import { getChannelFeatures } from "../channels/registry.ts";
import { type Delivery, NO_CHANNEL_REASON } from "./delivery.ts";
import type { DeliveryPort } from "./delivery-port.ts";
import { buildNotice } from "./build-notice.ts";
import { buildFailureNote } from "./message-excerpts.ts";
import { getWebhookRetryDelayMs, MAX_ATTEMPTS } from "../object/webhook-retry.ts";
import { getNextAttempt } from "./retry-schedule.ts";
import { getDropReason } from "./drop-reason.ts";

const BROKEN_CHANNELS_REASON = "its channels failed repeatedly";

/** For this long after its last message, a member gets replies even in quiet hours. */
const AWAKE_MS = 60 * 60_000;

type SendFailure = Extract<SendResult, { ok: false }>;
type SendSuccess = Extract<SendResult, { ok: true }>;

export class MemberQueue {
  readonly #env: Env;
  readonly #port: DeliveryPort;
  readonly #contact: Contact;
  readonly #names: Readonly<Record<string, string>>;
  readonly #postReply: PostReply;
  readonly #report: (report: DeliveryReport) => void;
  readonly #channels: ChannelSequence;

  constructor(
    env: Env,
    port: DeliveryPort,
    contact: Contact,
    names: Readonly<Record<string, string>>,
    postReply: PostReply,
    report: (report: DeliveryReport) => void,
  ) {
    this.#env = env;
    this.#port = port;
    this.#contact = contact;
    this.#names = names;
    this.#postReply = postReply;
    this.#report = report;
    this.#channels = new ChannelSequence(contact.addresses);
  }

  /** Handles one delivery: sends, postpones, splits or drops it. */
  async process(delivery: Delivery): Promise<void> {
    const now = Date.now();
    const { id, handle, isChannelFixed, channel } = delivery;
    const dropReason = getDropReason(delivery, this.#port.getState());
    if (dropReason !== undefined) return this.#drop(id, dropReason, now);
    const { deliveries } = this.#port;
    const getLastChannel = () => deliveries.getLastChannel(delivery.executor);
    const address = this.#channels.pickNext(delivery, getLastChannel);
    if (!address) {
      const hasOtherChannels = isChannelFixed && this.#channels.all.length > 0;
      return this.#drop(
        id,
        hasOtherChannels ? `not reached by ${channel}` : NO_CHANNEL_REASON,
        now,
      );
    }
    const broken = this.#contact.broken_until ?? address.broken_until;
    if (broken !== undefined && broken > now)
      return await this.#waitForBreaker(delivery, broken, now);
    const postponed = this.#getPostponement(delivery, now);
    if (postponed) return this.#postpone(id, postponed, now);
    if (this.#isSentToAllChannels(delivery)) return this.#splitByChannel(delivery, now);
    const { inFlight } = deliveries;
    inFlight.add(id);
    try {
      const seq = this.#port.getSeq();
      const { executor } = delivery;
      const { ref } = this.#port.getState();
      const { result, identity } = await this.#attempt(delivery, address, now);
      // A failed edit says nothing about the address.
      if (handle === null || result.ok)
        this.#report({
          executor,
          channel: address.channel,
          ref,
          ok: result.ok,
          ...(result.ok
            ? {}
            : { reason: result.reason, ...(result.isPermanent ? { isPermanent: true } : {}) }),
          ...(delivery.kind === "alert" ? { isAlert: true as const } : {}),
          // An edit makes no sound, so the next reply is not an answer to it.
          ...(identity === undefined || handle !== null ? {} : { identity }),
          ...(result.ok && result.handle !== undefined ? { handle: result.handle } : {}),
        });
      if (result.ok) this.#recordSuccess(delivery, address, result, seq);
      else await this.#recordFailure(delivery, address, result);
    } finally {
      inFlight.delete(id);
    }
  }

  async #attempt(delivery: Delivery, address: ContactAddress, now: number): Promise<AttemptResult> {
    try {
      const { channel } = address;
      const notice = await buildNotice(
        this.#env,
        this.#port,
        delivery,
        channel,
        this.#contact,
        this.#names,
        now,
      );
      return await attemptDelivery(this.#env, address, notice, delivery.handle, this.#postReply);
    } catch (error) {
      logDefect(error, { object: "thread", part: "notice" });
      return { result: { ok: false, reason: "the notice could not be built" } };
    }
  }

  /**
   * Waits until the circuit breaker closes. Each wait as long as a retry delay counts as an attempt; otherwise a
   * delivery to a channel that stays broken would never be given up.
   */
  async #waitForBreaker(delivery: Delivery, until: number, now: number): Promise<void> {
    const { id, executor, handle, at } = delivery;
    const attempts = delivery.attempts + 1;
    const delayMs = getWebhookRetryDelayMs(attempts);
    if (delayMs === undefined) {
      if (handle !== null) return this.#drop(id, BROKEN_CHANNELS_REASON, now);
      const end = `${executor} was not reached: ${BROKEN_CHANNELS_REASON}; given up after ${attempts} attempts`;
      return await this.#port.giveUp({ ...delivery, attempts }, end);
    }
    const isCounted = now - at >= delayMs;
    this.#port.runTransaction(() =>
      this.#port.deliveries.change(
        id,
        { due: until, error: BROKEN_CHANNELS_REASON, ...(isCounted ? { attempts } : {}) },
        // An uncounted wait keeps its start time, so that several short ones add up.
        isCounted ? now : at,
      ),
    );
  }

  /** When quiet hours or an absence postpone the delivery; undefined to send it now. */
  #getPostponement(delivery: Delivery, now: number): { due: number; error: string } | undefined {
    const { delay } = this.#contact;
    // Edits make no sound, and urgent threads do not wait until the morning.
    const urgent = this.#port.getState().priority === "urgent";
    return delay &&
      delay.until > now &&
      !urgent &&
      delivery.handle === null &&
      !this.#isAwake(delivery, now)
      ? { due: delay.until, error: delay.reason }
      : undefined;
  }

  /** A member that sent a message recently expects the reply; one that requested a link is waiting for it. */
  #isAwake({ kind, executor, event }: Delivery, now: number): boolean {
    if (event?.what === "new_link") return true;
    const lastMessageTime = kind === "news" ? this.#port.getLastMessageTime(executor) : undefined;
    return lastMessageTime !== undefined && now - lastMessageTime < AWAKE_MS;
  }

  #isSentToAllChannels({ kind, isChannelFixed }: Delivery): boolean {
    return (
      (kind === "offer" || kind === "reminder") &&
      !isChannelFixed &&
      this.#channels.all.length > 1 &&
      this.#port.getState().priority === "urgent"
    );
  }

  /** One delivery for each address; the first keeps the id. */
  #splitByChannel({ id, executor, kind, event }: Delivery, now: number): void {
    const [first, ...others] = this.#channels.all;
    const { deliveries } = this.#port;
    this.#port.runTransaction(() => {
      deliveries.change(id, { channel: first!.channel, isChannelFixed: true }, now);
      deliveries.add(
        others.map(({ channel }) => ({
          executor,
          kind,
          event,
          channel,
          isChannelFixed: true,
          handle: null,
        })),
        now,
      );
    });
  }

  #recordSuccess(
    delivery: Delivery,
    { channel }: ContactAddress,
    { handle, note, pollAfterSeconds }: SendSuccess,
    seq: number,
  ): void {
    const { id, executor, kind, event } = delivery;
    const { deliveries } = this.#port;
    const now = Date.now();
    const features = getChannelFeatures(channel);
    this.#port.runTransaction(() => {
      const due =
        pollAfterSeconds === undefined || handle === undefined
          ? undefined
          : now + pollAfterSeconds * 1_000;
      const update = {
        executor,
        kind: "update" as const,
        channel,
        isChannelFixed: true,
        event: null,
      };
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
        const summary = `notified ${executor} via ${channel}`;
        this.#port.addHistoryNote(
          "dispatched",
          note === undefined ? summary : `${summary}: ${note}`,
          now,
        );
      }
      // The thread changed during the attempt, so the sent message is outdated.
      const isOutdated = delivery.handle === null && this.#port.getSeq() !== seq;
      const isRequest = kind === "offer" || kind === "reminder";
      if (!isOutdated || (!isRequest && kind !== "alert")) return;
      if (features?.edits && handle !== undefined)
        deliveries.add(
          [isRequest ? { ...update, handle } : { ...update, kind, event, handle }],
          now,
        );
      else if (isRequest && features?.updates && this.#isOvertaken(delivery))
        deliveries.add([{ ...update, handle: null }], now);
    });
  }

  /** The notice became irrelevant during the attempt, and not by the member's own action. */
  #isOvertaken(delivery: Delivery): boolean {
    const state = this.#port.getState();
    return state.executor !== delivery.executor && getDropReason(delivery, state) !== undefined;
  }

  async #recordFailure(
    delivery: Delivery,
    { channel }: ContactAddress,
    failed: SendFailure,
  ): Promise<void> {
    const { id, executor, isChannelFixed, handle } = delivery;
    const now = Date.now();
    const reason = `${channel}: ${failed.reason}`;
    if (handle !== null && failed.isPermanent) return this.#drop(id, reason, now);
    const other = isChannelFixed ? undefined : this.#channels.pickAfter(channel);
    if (failed.isPermanent) this.#channels.remove(channel);
    if (other) {
      const next = `next channel: ${other.channel}`;
      return this.#scheduleRetry(delivery, reason, next, { channel: other.channel, due: now }, now);
    }
    const attempts = delivery.attempts + 1;
    const isExhausted = isChannelFixed
      ? failed.isPermanent === true
      : this.#channels.all.length === 0;
    const due = isExhausted ? undefined : getNextAttempt(attempts, now, failed.retryAfterSeconds);
    if (due !== undefined) {
      const seconds = Math.round((due - now) / 1_000);
      const next = `attempt ${attempts} of ${MAX_ATTEMPTS}, the next in ${formatSeconds(seconds)}`;
      const retry = { attempts, due, ...(isChannelFixed ? {} : { channel: null }) };
      return this.#scheduleRetry(delivery, reason, next, retry, now);
    }
    if (handle !== null) return this.#drop(id, reason, now);
    const end = isExhausted
      ? "the address accepts nothing more"
      : `given up after ${attempts} attempts`;
    await this.#port.giveUp(
      { ...delivery, attempts, channel },
      `${buildFailureNote(executor, reason)}; ${end}`,
    );
  }

  #scheduleRetry(
    { id, executor }: Delivery,
    reason: string,
    next: string,
    patch: { channel?: ContactAddress["channel"] | null; due: number; attempts?: number },
    now: number,
  ): void {
    this.#port.runTransaction(() => {
      this.#port.deliveries.change(id, { ...patch, error: reason }, now);
      const failed = `${buildFailureNote(executor, reason)} (${next})`;
      this.#port.addHistoryNote("delivery_failed", failed, now);
    });
  }

  #postpone(id: string, patch: { due: number; error: string }, now: number): void {
    this.#port.runTransaction(() => this.#port.deliveries.change(id, patch, now));
  }

  #drop(id: string, error: string, now: number): void {
    this.#port.runTransaction(() =>
      this.#port.deliveries.change(id, { state: "dropped", error }, now),
    );
  }
}

/** `5 s`, `30 min`, `14 h`. */
const formatSeconds = (seconds: number): string =>
  seconds < 60
    ? `${seconds} s`
    : seconds < 3_600
      ? `${Math.round(seconds / 60)} min`
      : `${Math.round(seconds / 3_600)} h`;
