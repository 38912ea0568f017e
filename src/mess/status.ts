/** The sixteen statuses, their accepted spellings, and their partitions (decisions 23–25). */
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

/** Returns the partition of the status: the name of its folder `state=…/` (protocol §9.1). */
export const getPartition = (status: Status): Partition => PARTITION_BY_STATUS[status];

/** Lists the statuses of the partitions. */
export const listStatusesIn = (...partitions: readonly Partition[]): Status[] =>
  STATUSES.filter((status) => partitions.includes(PARTITION_BY_STATUS[status]));

/** True when the work cannot continue. `partial` is in the partition finished but not final (decision 26). */
export const isFinal = (status: Status): boolean =>
  status !== "partial" &&
  (PARTITION_BY_STATUS[status] === "finished" || PARTITION_BY_STATUS[status] === "canceled");

/** Reads a status in any accepted spelling (decision 24); undefined for any other text. */
export function readStatus(text: string): Status | undefined {
  if (text.length > LIMITS.statusChars) return undefined;
  const plain = text
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, "_");
  if (Object.hasOwn(STATUS_ALIASES, plain)) return STATUS_ALIASES[plain];
  return STATUSES.find((status) => status === plain);
}
