/** Why a notice waits until its member may be disturbed; stored with the delivery and shown to people. */

export const SNOOZED_REASON = "snoozed";
export const SUSPENDED_REASON = "the household is suspended";

export const buildQuietReason = (hours: string): string => `quiet hours (${hours})`;
export const buildClosedReason = (schedule: string): string => `outside its hours (${schedule})`;

/** True for the reason of a notice that waits for its member or its household, and not for a channel. */
export const isDelayReason = (reason: string): boolean =>
  reason === SNOOZED_REASON ||
  reason === SUSPENDED_REASON ||
  /^(?:quiet hours|outside its hours) \(/.test(reason);
