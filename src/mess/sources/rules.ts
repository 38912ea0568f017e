/** The owner's rules, which decide before any classifier. */
import type { Tier } from "./vocabulary.ts";

/** All conditions that are given must hold. Compared without regard to case. */
export interface ClassifierRule {
  /** The sender's address. */
  sender?: string;
  /** The domain of the sender's address, with those below it. */
  domain?: string;
  /** All of these occur in the subject or the body, as words. */
  words?: string[];
  /** `List-Id` of a mailing list. */
  list?: string;
  source?: string;
  tier: Tier;
  /** Shown as the reason. */
  note?: string;
}
