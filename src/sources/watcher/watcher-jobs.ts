/** The jobs that classify messages and bring their notices to the household. */
import type { JobHandlers } from "../../object/stored-jobs.ts";
import { exponential } from "../../object/retry.ts";
import type { SourceContext } from "../source-context.ts";
import type { SourceJobs } from "../source-jobs.ts";

const RETRY = exponential(1_000, 60_000);

export const createWatcherHandlers = (
  _context: SourceContext,
): Pick<JobHandlers<SourceJobs>, "classify" | "notice" | "learn"> => ({
  classify: { run: () => Promise.resolve("done"), retryDelayMs: RETRY },
  notice: { run: () => Promise.resolve("done"), retryDelayMs: RETRY },
  learn: { run: () => Promise.resolve("done"), retryDelayMs: RETRY },
});
