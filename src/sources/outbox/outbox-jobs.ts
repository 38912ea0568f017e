/** The jobs that ask owners for their approval and send what they approved. */
import { isSuspended } from "../../auth/suspension.ts";
import type { JobHandlers } from "../../object/stored-jobs.ts";
import { exponential } from "../../object/retry.ts";
import type { SourceContext } from "../source-context.ts";
import type { SourceJobs } from "../source-jobs.ts";
import { askApproval, interrupt } from "./ask-owner.ts";
import { DraftSender } from "./send-draft.ts";
import { withdraw } from "./withdraw-requests.ts";

const RETRY = exponential(1_000, 3_600_000);

export function createOutboxHandlers(
  context: SourceContext,
): Pick<JobHandlers<SourceJobs>, "interrupt" | "askApproval" | "withdraw" | "send"> {
  const sender = new DraftSender(context);
  return {
    interrupt: { run: (message) => interrupt(context, message), retryDelayMs: RETRY },
    askApproval: { run: (draft) => askApproval(context, draft), retryDelayMs: RETRY },
    withdraw: { run: (request) => withdraw(context, request), retryDelayMs: RETRY },
    send: {
      run: async ({ draft }) => {
        if (await isSuspended(context.env, context.store.get().household)) return "retry";
        await sender.send(draft);
        return "done";
      },
      retryDelayMs: RETRY,
    },
  };
}
