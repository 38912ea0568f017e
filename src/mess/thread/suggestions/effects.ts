/**
 * Outcomes of accepted suggestions that concern other threads (decision 69). The household carries them out as jobs:
 * it creates the new threads, then ends the ones that they replace with `supersede`.
 */
import type { Request } from "../../wire/schema.ts";

interface AcceptedSuggestion {
  /** Id of the suggestion. */
  suggestion: string;
  /** Name of the message with the suggestion, such as `suggestion-002`. */
  made_in: string;
  /** The member who accepted it, and the name of the accepting message. */
  by: string;
  /** It was accepted with an owner's credential. */
  by_owner?: true;
  accepted_in: string;
}

export interface MergeEffect extends AcceptedSuggestion {
  type: "merge";
  /** Threads to merge, as the suggestion's `re` names them: refs or the requestor's ids. May include this thread. */
  with: string[];
  combined_intent: string;
  /** The executor that the suggestion names, if any. */
  executor?: string;
}

export interface SplitEffect extends AcceptedSuggestion {
  type: "split";
  /** Two or more requests in the normal form. */
  requests: Request[];
}

export type Effect = MergeEffect | SplitEffect;
