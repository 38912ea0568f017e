/** The thread, as the courier sees it: what is to be told, and where it is written down what became of it. */
import type { Thread } from "../mess/envelope.ts";
import type { JsonMap } from "../mess/json.ts";
import type { UnavailableCandidate } from "../mess/thread/escalation.ts";
import type { ThreadState } from "../mess/thread/state.ts";
import type { ThreadLink, ThreadSummary } from "../contracts/thread.ts";
import type { Delivery, DeliveryStore } from "./delivery.ts";

export interface DeliveryPort {
  readonly deliveries: DeliveryStore;
  getHousehold(): string;
  getState(): ThreadState;
  /** Rises with every change of the thread. */
  getSeq(): number;
  /** The request block as it was stored. */
  getRequest(): JsonMap;
  getThread(): Thread;
  getSummary(): ThreadSummary;
  /** When the member last said something in the thread, in milliseconds since 1970. */
  getLastMessageTime(executor: string): number | undefined;
  /** A link with which the member acts in the thread: one that lives, or a new one. None once the membership ended. */
  findOrMakeLink(executor: string, membership: number, now: number): ThreadLink | undefined;
  /** Runs the writes in one transaction. They wake nobody: receipts are for whoever reads the history. */
  runTransaction(work: () => void): void;
  /** Adds a row to the history, in the transaction of `runTransaction`. */
  addHistoryNote(action: "dispatched" | "delivery_failed", note: string, now: number): void;
  /** The delivery is given up: the thread changes, so that who waits for it learns of it, and its owners are told. */
  giveUp(delivery: Delivery, reason: string): Promise<void>;
  /** Those who had better not be told of the offer now are put behind the others, as far as there are any. */
  deprioritize(unavailable: readonly UnavailableCandidate[]): Promise<void>;
  /** Sets the alarm to what is due next. */
  setAlarm(): Promise<void>;
}
