/** The jobs that ask owners for their approval and send what they approved. */
import type { JobHandlers } from "../../object/stored-jobs.ts";
import { exponential } from "../../object/retry.ts";
import type { SourceContext } from "../source-context.ts";
import type { SourceJobs } from "../source-jobs.ts";
import { DraftSender } from "./send-draft.ts";

const RETRY = exponential(1_000, 60_000);

export function createOutboxHandlers(
  context: SourceContext,
): Pick<JobHandlers<SourceJobs>, "interrupt" | "askApproval" | "send"> {
  const sender = new DraftSender(context);
  return {
    interrupt: { run: () => Promise.resolve("done"), retryDelayMs: RETRY },
    askApproval: { run: () => Promise.resolve("done"), retryDelayMs: RETRY },
    send: {
      run: async ({ draft }) => {
        await sender.send(draft);
        return "done";
      },
      retryDelayMs: RETRY,
    },
  };
}
