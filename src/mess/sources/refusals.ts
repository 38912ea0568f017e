/** Refusals that several callers share. */
import { refuse } from "../errors.ts";

export const refuseDraftNotFound = () =>
  refuse("not_found", "the source has no such draft", "List the drafts of the source.");
