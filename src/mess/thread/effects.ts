/**
 * What an accepted suggestion asks of the exchange beyond its own thread (decision 69). It is carried out outside:
 * new threads are made, and then the ones that they replace are told with `supersede`.
 */
import type { Request } from "../wire/schema.ts";

interface AcceptedSuggestion {
  /** Id of the suggestion. */
  suggestion: string;
  /** Name of the message that made it, `suggestion-002`. */
  made_in: string;
  /** Who accepted it, and the name of their message. */
  by: string;
  accepted_in: string;
}

export interface MergeEffect extends AcceptedSuggestion {
  type: "merge";
  /** What is to be merged, as the suggestion's `re` names it: refs, or ids of the requestor. This thread may be among them. */
  with: string[];
  combined_intent: string;
  /** Who should do it, where the suggestion says so. */
  executor?: string;
}

export interface SplitEffect extends AcceptedSuggestion {
  type: "split";
  /** Two or more, in normal form. */
  requests: Request[];
}

export type Effect = MergeEffect | SplitEffect;
