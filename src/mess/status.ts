/** The sixteen statuses, how they are spelt by others, and the partition each lies in (decisions 23–25). */
import { LIMITS } from "./limits.ts";

export const STATUSES = [
  "pending",
  "claimed",
  "in_progress",
  "waiting",
  "held",
  "retrying",
  "needs_input",
  "needs_confirmation",
  "completed",
  "partial",
  "failed",
  "declined",
  "expired",
  "cancelled",
  "superseded",
  "delegated",
] as const;

export type Status = (typeof STATUSES)[number];

export const PARTITIONS = ["received", "executing", "finished", "canceled"] as const;
export type Partition = (typeof PARTITIONS)[number];

const PARTITION_BY_STATUS: Readonly<Record<Status, Partition>> = {
  pending: "received",
  claimed: "executing",
  in_progress: "executing",
  waiting: "executing",
  held: "executing",
  retrying: "executing",
  needs_input: "executing",
  needs_confirmation: "executing",
  completed: "finished",
  partial: "finished",
  failed: "canceled",
  declined: "canceled",
  expired: "canceled",
  cancelled: "canceled",
  superseded: "canceled",
  delegated: "canceled",
};

const STATUS_ALIASES: Readonly<Record<string, Status>> = {
  received: "pending",
  open: "pending",
  canceled: "cancelled",
  rejected: "declined",
  done: "completed",
};

/** The folder of the status in `state=…/` (protocol §9.1). */
export const getPartition = (status: Status): Partition => PARTITION_BY_STATUS[status];

/** The statuses that lie in one of the partitions. */
export const listStatusesIn = (...partitions: readonly Partition[]): Status[] =>
  STATUSES.filter((status) => partitions.includes(PARTITION_BY_STATUS[status]));

/** `partial` lies in finished but may still go on (decision 26). */
export const isFinal = (status: Status): boolean =>
  status !== "partial" &&
  (PARTITION_BY_STATUS[status] === "finished" || PARTITION_BY_STATUS[status] === "canceled");

/** Reads a status in any accepted spelling (decision 24); undefined when there is no such status. */
export function readStatus(text: string): Status | undefined {
  if (text.length > LIMITS.statusChars) return undefined;
  const plain = text
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, "_");
  if (Object.hasOwn(STATUS_ALIASES, plain)) return STATUS_ALIASES[plain];
  return STATUSES.find((status) => status === plain);
}
