/** The jobs of a source's messages: their index in D1, and the deletion of bytes. */
import type { JobHandlers } from "../../object/stored-jobs.ts";
import { exponential } from "../../object/retry.ts";
import type { SourceContext } from "../source-context.ts";
import type { SourceJobs } from "../source-jobs.ts";
import { deleteBytes } from "./delete-bytes.ts";
import { runIndexJob } from "./index-messages.ts";

const RETRY = exponential(1_000, 60_000);

export const createMessageHandlers = (
  context: SourceContext,
): Pick<JobHandlers<SourceJobs>, "index" | "deleteBytes"> => ({
  index: {
    run: async () => {
      await runIndexJob(context.env, context.store);
      return "done";
    },
    retryDelayMs: RETRY,
  },
  deleteBytes: {
    run: async ({ keys }) => {
      await deleteBytes(context.env, context.store.get().household, keys);
      return "done";
    },
    retryDelayMs: RETRY,
  },
});
