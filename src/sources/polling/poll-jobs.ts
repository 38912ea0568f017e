/** The job that fetches new messages of kinds that are polled. */
import type { JobHandlers } from "../../object/stored-jobs.ts";
import { exponential } from "../../object/retry.ts";
import type { SourceContext } from "../source-context.ts";
import type { SourceJobs } from "../source-jobs.ts";

const RETRY = exponential(1_000, 60_000);

export const createPollHandlers = (
  _context: SourceContext,
): Pick<JobHandlers<SourceJobs>, "poll"> => ({
  poll: { run: () => Promise.resolve("done"), retryDelayMs: RETRY },
});
