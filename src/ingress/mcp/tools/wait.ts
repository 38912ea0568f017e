import * as z from "zod";
import { ok } from "../../../mess/result.ts";
import { hasSeveral, findInHouseholds } from "../caller.ts";
import { targetSchema, waitSecondsSchema } from "../compose-request.ts";
import { describeThread } from "../text/describe-thread.ts";
import { defineTool } from "../tool.ts";
import { MAX_WAIT_SECONDS, waitForAnswer } from "../wait-for-answer.ts";

export const waitTool = defineTool({
  name: "mess_wait",
  title: "Wait for an answer",
  description:
    "Returns when the request is answered, has ended or asks you something, or when the time is over. Call again with the returned cursor.",
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  input: z.strictObject({
    re: targetSchema,
    cursor: z.int().min(0).optional().describe("Only later messages; from an earlier result"),
    wait_seconds: waitSecondsSchema.describe("At most 45, the default"),
  }),
  run: ({ re: target, cursor, wait_seconds, exchange }, { env, caller, mcp }) =>
    findInHouseholds(caller, exchange, async (principal) => {
      const seconds = wait_seconds ?? MAX_WAIT_SECONDS;
      const view = await waitForAnswer(env, principal, target, { cursor, seconds }, mcp);
      const where = hasSeveral(caller) ? { exchange: principal.household } : {};
      return view.ok ? ok(describeThread(view.value, principal, where)) : view;
    }),
});
