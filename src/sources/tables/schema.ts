/** SQL migrations of a source's object. */
import { JOBS_TABLE } from "../../object/job-table.ts";

export const MIGRATIONS: readonly string[] = [
  `CREATE TABLE record (one INTEGER PRIMARY KEY CHECK (one = 1), record TEXT NOT NULL);
  ${JOBS_TABLE}`,
];
