/**
 * The transition tables of the state machine: the status codes that the holder of a thread may report in each status
 * (protocol §9.3, decisions 26 and 27). A candidate of an unclaimed thread may report the same and thereby claims it
 * (decision 29), except that `needs_input` asks without claiming (decision 22).
 */
import type { Status } from "../status.ts";

const WORKING_STATUSES = [
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
  "delegated",
] as const satisfies Status[];

/** The only reports allowed while a confirmation is open (decision 21). */
const UNAPPROVED_STATUSES = [
  "waiting",
  "held",
  "needs_input",
  "needs_confirmation",
  "failed",
  "declined",
  "delegated",
] as const satisfies Status[];

export const TRANSITIONS: Readonly<Record<Status, readonly Status[]>> = {
  pending: ["claimed", ...WORKING_STATUSES],
  claimed: ["claimed", ...WORKING_STATUSES],
  in_progress: WORKING_STATUSES,
  waiting: WORKING_STATUSES,
  held: WORKING_STATUSES,
  retrying: ["claimed", ...WORKING_STATUSES],
  needs_input: ["claimed", ...WORKING_STATUSES],
  needs_confirmation: UNAPPROVED_STATUSES,
  partial: ["in_progress", "completed"],
  completed: [],
  failed: [],
  declined: [],
  expired: [],
  cancelled: [],
  superseded: [],
  delegated: [],
};

/** Transitions by the exchange: expiry (decision 33), release (30), retry (32), completion (28), dependencies (42). */
export const EXCHANGE_TRANSITIONS: Readonly<Record<Status, readonly Status[]>> = {
  pending: ["expired", "declined", "held", "cancelled", "superseded"],
  claimed: ["pending", "completed", "superseded"],
  in_progress: ["pending", "completed", "superseded"],
  waiting: ["pending", "completed", "expired", "superseded"],
  held: ["pending", "completed", "expired", "superseded"],
  retrying: ["pending", "completed", "expired", "declined", "superseded"],
  needs_input: ["pending", "expired", "declined", "superseded"],
  needs_confirmation: ["pending", "superseded"],
  failed: ["retrying"],
  partial: [],
  completed: [],
  declined: ["pending"],
  expired: [],
  cancelled: [],
  superseded: [],
  delegated: [],
};
