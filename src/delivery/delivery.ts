/** The delivery rows of a thread: one for each notice to a member. */
import type { ChannelKind, NoticeKind } from "../channels/channel.ts";

export const DELIVERY_STATES = ["due", "delivered", "dead", "dropped"] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/**
 * Stands for all owners until the household names them; where held notices are released, for all members. Not a valid
 * member id.
 */
export const ALL_OWNERS = "*";

/** Drop reason of members without any channel; such rows do not count as notified. */
export const NO_CHANNEL_REASON = "not reached by any channel";

/** Drop reason of a repeated notice while the earlier one is still pending. */
export const ALREADY_PENDING_REASON = "an earlier notice is still on its way";

/** The event that is reported. The text is written later, because only the household knows the names of members. */
export interface NoticeEvent {
  /** An action of the history, or `said`, `unreachable`, `note`, or `ended` for a note about the end. */
  what: string;
  by?: string;
  text?: string;
  /** Repeats an earlier notice. */
  again?: true;
}

/** A delivery before it is stored. */
export interface NewDelivery {
  executor: string;
  kind: NoticeKind;
  /** The channel to use; null for the member's first address. */
  channel: ChannelKind | null;
  /** Only this channel is tried. */
  isChannelFixed: boolean;
  /** The message to edit. */
  handle: string | null;
  event: NoticeEvent | null;
  /** Why it is stored as dropped. */
  dropReason?: string;
  /** Not sent before this time, in milliseconds since 1970. */
  due?: number;
}

/** A stored delivery. Times are milliseconds since 1970. */
export interface Delivery extends Omit<NewDelivery, "dropReason" | "due"> {
  /** Rises in insertion order. */
  n: number;
  /** `webhook-id`: the same on every attempt. */
  id: string;
  state: DeliveryState;
  /** Failed rounds through the member's addresses. */
  attempts: number;
  /** The time of the next attempt. */
  due: number;
  /** Why the last attempt failed, why it waits, or why it was dropped. */
  error: string | null;
  /** The time of the last change. */
  at: number;
}

/** An earlier delivery that asked its member for something, for later edits. */
export type EarlierDelivery = Pick<
  Delivery,
  "executor" | "kind" | "state" | "channel" | "handle" | "event"
>;

/** The queue of a delivery: the member's, or for alerts a separate one with the owner's alert addresses. */
export const getQueueKey = ({ executor, kind }: Pick<Delivery, "executor" | "kind">): string =>
  kind === "alert" ? `${ALL_OWNERS}${executor}` : executor;

/** The delivery table. Every method is synchronous and runs in the transaction of its caller. */
export interface DeliveryStore {
  /** Ids of deliveries that are being sent. */
  readonly inFlight: Set<string>;
  /** Everything due at the time, oldest first. */
  listDue(instant: number): Delivery[];
  /** The earliest due time among the members that are not excepted. */
  getNextDue(
    isExcepted: (delivery: Pick<Delivery, "executor" | "kind">) => boolean,
  ): number | undefined;
  /** Messages that were sent to the member in the channel, oldest first, by handle. */
  listMessages(executor: string, channel: ChannelKind): { kind: NoticeKind; handle: string }[];
  /** The delivered message with this handle. */
  findByHandle(channel: ChannelKind, handle: string): Delivery | undefined;
  /** The channel that reached the member most recently. */
  getLastChannel(executor: string): ChannelKind | null;
  add(deliveries: readonly NewDelivery[], now: number): void;
  change(
    id: string,
    patch: Partial<
      Pick<
        Delivery,
        | "state"
        | "attempts"
        | "due"
        | "channel"
        | "isChannelFixed"
        | "handle"
        | "error"
        | "executor"
      >
    >,
    now: number,
  ): void;
  remove(id: string): void;
  /** Given-up deliveries that the household was not notified of yet. */
  listUnreported(): Delivery[];
  markReported(id: string): void;
}
