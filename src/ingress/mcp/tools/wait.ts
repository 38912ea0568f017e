import * as z from "zod";
import { ok } from "../../../mess/result.ts";
import { hasSeveral, whereFound } from "../caller.ts";
import { re, waitSeconds } from "../compose-request.ts";
import { describeThread } from "../text/describe-thread.ts";
import { defineTool } from "../tool.ts";
import { LONGEST_WAIT, waitForAnswer } from "../wait-for-answer.ts";

export const wait = defineTool({
  name: "mess_wait",
  title: "Wait for an answer",
  description:
    "Returns as soon as the request is answered, ended or asks you something, else when the time is over. Call again with the cursor it gives.",
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  input: z.strictObject({
    re,
    cursor: z.int().min(0).optional().describe("Only what comes after; from an earlier answer"),
    wait_seconds: waitSeconds.describe("At most 45, the default"),
  }),
  run: ({ re: target, cursor, wait_seconds, exchange }, { env, caller, mcp }) =>
    whereFound(caller, exchange, async (principal) => {
      const seconds = wait_seconds ?? LONGEST_WAIT;
      const view = await waitForAnswer(env, principal, target, { cursor, seconds }, mcp);
      const where = hasSeveral(caller) ? { exchange: principal.household } : {};
      return view.ok ? ok(describeThread(view.value, principal, where)) : view;
    }),
});
