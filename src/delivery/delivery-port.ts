/** The thread, as the courier sees it: what is to be told, and where it is written down what became of it. */
import type { Thread } from "../mess/envelope.ts";
import type { JsonMap } from "../mess/json.ts";
import type { Hindered } from "../mess/thread/escalation.ts";
import type { ThreadState } from "../mess/thread/state.ts";
import type { GivenLink, ThreadSummary } from "../contracts/thread.ts";
import type { Delivery, DeliveryStore } from "./delivery.ts";

export interface Desk {
  readonly deliveries: DeliveryStore;
  household(): string;
  state(): ThreadState;
  /** Rises with every change of the thread. */
  seq(): number;
  /** The request block as it was stored. */
  request(): JsonMap;
  thread(): Thread;
  summary(): ThreadSummary;
  /** When the member last said something in the thread, in milliseconds since 1970. */
  lastHeard(executor: string): number | undefined;
  /** A link with which the member acts in the thread: one that lives, or a new one. None once the membership ended. */
  linkFor(executor: string, membership: number, now: number): GivenLink | undefined;
  /** Runs the writes in one transaction. They wake nobody: receipts are for whoever reads the history. */
  write(work: () => void): void;
  /** Adds a row to the history, in the transaction of `write`. */
  note(action: "dispatched" | "delivery_failed", note: string, now: number): void;
  /** The delivery is given up: the thread changes, so that who waits for it learns of it, and its owners are told. */
  giveUp(delivery: Delivery, reason: string): Promise<void>;
  /** Those who had better not be told of the offer now are put behind the others, as far as there are any. */
  putBehind(hindered: readonly Hindered[]): Promise<void>;
  /** Sets the alarm to what is due next. */
  arm(): Promise<void>;
}
