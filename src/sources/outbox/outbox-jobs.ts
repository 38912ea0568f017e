/** The jobs that ask owners for their approval and send what they approved. */
import type { JobHandlers } from "../../object/stored-jobs.ts";
import { exponential } from "../../object/retry.ts";
import type { SourceContext } from "../source-context.ts";
import type { SourceJobs } from "../source-jobs.ts";

const RETRY = exponential(1_000, 60_000);

export const createOutboxHandlers = (
  _context: SourceContext,
): Pick<JobHandlers<SourceJobs>, "interrupt" | "askApproval" | "send"> => ({
  interrupt: { run: () => Promise.resolve("done"), retryDelayMs: RETRY },
  askApproval: { run: () => Promise.resolve("done"), retryDelayMs: RETRY },
  send: { run: () => Promise.resolve("done"), retryDelayMs: RETRY },
});
