import { isFinal, STATUSES } from "../../mess/status.ts";

/** The final statuses, for `NOT IN (…)`. */
export const FINAL_STATUSES_SQL = STATUSES.filter(isFinal)
  .map((status) => `'${status}'`)
  .join(", ");
