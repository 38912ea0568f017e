/** The verdict about a message. `parse-verdict.ts` reads it from a classifier's text. */
import type { ClassifiedBy, Tier, Urgency } from "./vocabulary.ts";

export interface Verdict {
  tier: Tier;
  /** One sentence. */
  reason: string;
  /** Suggested reply. */
  draft?: string;
  urgency: Urgency;
}

export interface Classification extends Verdict {
  by: ClassifiedBy;
  /** No classifier was available: to be classified again. */
  provisional?: true;
}
