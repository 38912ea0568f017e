/** The delivery scheduler's view of a thread: what to send, and where the results are recorded. */
import type { Thread } from "../mess/envelope.ts";
import type { JsonMap } from "../mess/json.ts";
import type { UnavailableCandidate } from "../mess/thread/escalation.ts";
import type { ThreadState } from "../mess/thread/state.ts";
import type { ThreadLink, ThreadSummary } from "../contracts/thread.ts";
import type { EarlierThread } from "../contracts/thread-views.ts";
import type { Delivery, DeliveryStore } from "./delivery.ts";

export interface DeliveryPort {
  readonly deliveries: DeliveryStore;
  getHousehold(): string;
  getState(): ThreadState;
  /** Sequence number: rises with every change of the thread. */
  getSeq(): number;
  /** The request block as it was stored. */
  getRequest(): JsonMap;
  getThread(): Thread;
  /** The earlier threads to which the request refers. */
  readContext(): Promise<EarlierThread[]>;
  getSummary(): ThreadSummary;
  /** When the member's last message arrived, in milliseconds since 1970. */
  getLastMessageTime(executor: string): number | undefined;
  /** A link for the member: one that is still valid, or a new one; undefined after the membership ended. */
  findOrMakeLink(executor: string, membership: number, now: number): ThreadLink | undefined;
  /** Runs the writes in one transaction, without waking waiters: delivery results are read from the history. */
  runTransaction(work: () => void): void;
  /** Adds a row to the history, inside `runTransaction`. */
  addHistoryNote(action: "dispatched" | "delivery_failed", note: string, now: number): void;
  /** Gives the delivery up as a change of the thread: waiters are notified, and the owners get an alert. */
  giveUp(delivery: Delivery, reason: string): Promise<void>;
  /** Offers the thread to unavailable candidates after all others. */
  deprioritize(unavailable: readonly UnavailableCandidate[]): Promise<void>;
  /** Sets the alarm to the earliest due time. */
  setAlarm(): Promise<void>;
}
