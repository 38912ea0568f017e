/** RPC surface of the household for its events, and the change that it sends to listeners. Types only. */
import type { Principal } from "../auth/principal.ts";
import type { ChannelKind } from "../channels/channel.ts";
import type { ThreadSummary } from "./thread.ts";

export interface HouseholdEvent {
  cursor: number;
  at: string;
  ref: string;
  status: string;
  executor: string | null;
  requestor: string;
  /** The event, where it is not a change of status (decision 36), and the member who caused it or is affected. */
  action?:
    | "link_requested"
    | "channel_gone"
    | "delivery_failed"
    | "escalated"
    | "hook_failed"
    | "stranger"
    | "schedule_fired"
    | "schedule_skipped"
    | "schedule_paused";
  by?: string;
  /** The channel of an undeliverable address or of an unknown sender. */
  channel?: string;
  /** The schedule that fired or failed. `note`: the reason, the unknown sender's address, or the cause of an alert. */
  schedule?: string;
  note?: string;
}

/** A change as it is sent to listeners. */
export interface ThreadChange {
  ref: string;
  client_id: string | null;
  status: string;
}

export interface EventsRpc {
  listEvents(
    viewer: Pick<Principal, "actor" | "role">,
    after: number,
    limit: number,
  ): Promise<{ events: HouseholdEvent[]; cursor: number }>;
  /** Logs that an executor requests a new link to its thread, at most once an hour. */
  recordLinkRequest(summary: ThreadSummary, executor: string): Promise<void>;
  /**
   * Logs an event for a delivery that was given up. Idempotent.
   * @param at when it was given up, in milliseconds since 1970
   */
  recordDeliveryFailure(summary: ThreadSummary, executor: string, at: number): Promise<void>;
  /**
   * Logs an event for an alert to the owners, even where they have no channel. Idempotent.
   * @param note the reason in one line
   * @param at when the owners were alerted, in milliseconds since 1970
   */
  recordEscalation(summary: ThreadSummary, note: string, at: number): Promise<void>;
  /** Logs an event for an authenticated message of an unknown sender, at most once a day for each sender. */
  recordUnknownSender(channel: ChannelKind, from: string): Promise<void>;
}
