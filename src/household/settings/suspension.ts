/**
 * Suspends and resumes the household for the operator. While it is suspended, every way in refuses its callers, no
 * credential is live, threads hold their notices, and schedules and digests wait. Nothing is deleted.
 */
import { OPERATOR_SOURCE } from "../../auth/audit-source.ts";
import { releaseSuspendedNotices } from "../contacts/held-notices.ts";
import type { Stores } from "../stores.ts";

/** Runs in the caller's transaction. Repeating it has no effect. */
export function setSuspended(stores: Stores, isSuspended: boolean, now: number): void {
  if (stores.settings.isSuspended() === isSuspended) return;
  stores.settings.set("suspended", isSuspended ? now : null);
  const action = isSuspended ? "household_suspended" : "household_resumed";
  stores.audit.append({ action, source: OPERATOR_SOURCE }, now);
  if (!isSuspended) releaseSuspendedNotices(stores, now);
}
