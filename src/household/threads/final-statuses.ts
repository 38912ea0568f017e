import { isFinal, STATUSES } from "../../mess/status.ts";

/** The final statuses, for `NOT IN (…)`. */
export const ENDED = STATUSES.filter(isFinal)
  .map((status) => `'${status}'`)
  .join(", ");
