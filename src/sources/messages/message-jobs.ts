/** The jobs of a source's messages: their index in D1, and the deletion of bytes. */
import type { JobHandlers } from "../../object/stored-jobs.ts";
import { exponential } from "../../object/retry.ts";
import type { SourceContext } from "../source-context.ts";
import type { SourceJobs } from "../source-jobs.ts";
import { deleteBytes } from "./delete-bytes.ts";

const RETRY = exponential(1_000, 60_000);

export const createMessageHandlers = ({
  env,
}: Pick<SourceContext, "env">): Pick<JobHandlers<SourceJobs>, "index" | "deleteBytes"> => ({
  index: { run: () => Promise.resolve("done"), retryDelayMs: RETRY },
  deleteBytes: {
    run: async ({ keys }) => {
      await deleteBytes(env, keys);
      return "done";
    },
    retryDelayMs: RETRY,
  },
});
