/** RPC surface of the household for its quotas. Types only. */
import type { Outcome } from "../mess/errors.ts";
import type { QuotaLimits, QuotaName } from "../mess/quotas.ts";

/** Files that a call is about to store in R2. */
export interface NewFiles {
  actor: string;
  files: number;
  bytes: number;
}

/** How much of its quotas a household uses. */
export interface QuotaUsage {
  limits: QuotaLimits;
  /** The limits that the operator has changed for this household. */
  changed: Partial<QuotaLimits>;
  /** Quotas of the household as a whole. */
  household: Partial<Record<QuotaName, number>>;
  /** Quotas of members, by member; members who use nothing are left out. */
  members: Record<string, Partial<Record<QuotaName, number>>>;
}

export interface QuotasRpc {
  /** Counts files before they are stored; refused where they exceed a quota. */
  reserveFiles(files: NewFiles): Promise<Outcome<true>>;
  /** Takes back the files of a refused or repeated call. */
  releaseFiles(files: NewFiles): Promise<void>;
  /** Files were deleted: the next cleanup counts the stored bytes again. */
  recountFiles(): Promise<void>;
  readUsage(): Promise<Outcome<QuotaUsage>>;
  /** Replaces the operator's changes for this household. */
  setLimits(changed: Partial<QuotaLimits>): Promise<Outcome<QuotaUsage>>;
}
