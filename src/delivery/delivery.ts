/** What the thread keeps of everything that it has to tell a member: one row for each notice, until it ends. */
import type { ChannelKind, NoticeKind } from "../channels/channel.ts";

export const DELIVERY_STATES = ["due", "delivered", "dead", "dropped"] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** Stands for every owner until it is known who they are; no member is called so. */
export const ALL_OWNERS = "*";

/** Why it was dropped where its member has no channel at all: whoever is known by such rows alone is told nothing. */
export const NO_CHANNEL_REASON = "not reached by any channel";

/** Why it is not sent where what it says again has yet to arrive. */
export const ALREADY_PENDING_REASON = "an earlier notice is still on its way";

/** What happened, kept apart from its words, since only the household knows what people are called. */
export interface NoticeEvent {
  /** An action of the history, or `said`, `unreachable`, `note`, and `ended` for a note on how it ended. */
  what: string;
  by?: string;
  text?: string;
  /** It says again what its member was told before. */
  again?: true;
}

/** A delivery in the making. */
export interface NewDelivery {
  executor: string;
  kind: NoticeKind;
  /** Where it goes; null is the member's first address. */
  channel: ChannelKind | null;
  /** It goes there and nowhere else. */
  alone: boolean;
  /** The message that an update edits, or an alert that is to say what became of it. */
  handle: string | null;
  event: NoticeEvent | null;
  /** Why it is not sent at all. */
  dropReason?: string;
  /** Milliseconds since 1970 before which it is not sent. */
  due?: number;
}

/** A row. Instants are milliseconds since 1970. */
export interface Delivery extends Omit<NewDelivery, "dropReason" | "due"> {
  /** Rises in the order of making. */
  n: number;
  /** `webhook-id`: the same on every attempt. */
  id: string;
  state: DeliveryState;
  /** Rounds through the member's addresses that have failed. */
  attempts: number;
  /** When it is tried next. */
  due: number;
  /** Why the last attempt failed, why it waits, or why it was dropped. */
  error: string | null;
  /** When it last changed. */
  at: number;
}

/** What asked a member for something before, for those that edit or follow it. */
export type EarlierDelivery = Pick<
  Delivery,
  "executor" | "kind" | "state" | "channel" | "handle" | "event"
>;

/** One after the other: a member's, and apart from them what it is alerted to as an owner, by ways of its own. */
export const getQueueKey = ({ executor, kind }: Pick<Delivery, "executor" | "kind">): string =>
  kind === "alert" ? `${ALL_OWNERS}${executor}` : executor;

/** The table, as the courier needs it. Every method is synchronous; the caller holds the transaction. */
export interface DeliveryStore {
  /** Ids that are on their way right now. */
  readonly inFlight: Set<string>;
  /** False where nobody is reached by anything: costs nothing to ask. */
  hasAny(): boolean;
  /** What is due by the instant, oldest first. */
  listDue(instant: number): Delivery[];
  /** What was said to the member there, oldest first, by the channel's names of the messages. */
  listMessages(executor: string, channel: ChannelKind): { kind: NoticeKind; handle: string }[];
  /** The delivery that became this message of the channel, where it counts as delivered. */
  findByHandle(channel: ChannelKind, handle: string): Delivery | undefined;
  /** The channel by which the member was reached last. */
  getLastChannel(executor: string): ChannelKind | null;
  add(deliveries: readonly NewDelivery[], now: number): void;
  change(
    id: string,
    patch: Partial<
      Pick<
        Delivery,
        "state" | "attempts" | "due" | "channel" | "alone" | "handle" | "error" | "executor"
      >
    >,
    now: number,
  ): void;
  remove(id: string): void;
  /** Dead ones of which the household has not heard. */
  listUnreported(): Delivery[];
  markReported(id: string): void;
}
