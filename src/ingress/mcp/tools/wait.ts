import * as z from "zod";
import { defined } from "../../../mess/defined.ts";
import { ok } from "../../../mess/result.ts";
import { hasSeveral, findInHouseholds } from "../caller.ts";
import { targetSchema, waitSecondsSchema } from "../requests/compose-request.ts";
import {
  buildStructuredResult,
  requestsOutputSchema,
  toStructuredRequest,
} from "../results/structured-result.ts";
import { describeThread } from "../text/describe-thread.ts";
import { defineTool } from "../tool.ts";
import { MAX_WAIT_SECONDS, waitForAnswer } from "../requests/wait-for-answer.ts";
import { listOpenTargets, waitForAny } from "../requests/wait-for-any.ts";

const MAX_TARGETS = 20;

const cursorSchema = z.int().min(0);

export const waitTool = defineTool({
  name: "mess_wait",
  title: "Wait for an answer",
  description:
    "Returns when a request is answered, has ended or asks you something, or when the time is over. Call again with the returned cursor.",
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  input: z.strictObject({
    re: z
      .union([targetSchema, z.array(targetSchema).min(1).max(MAX_TARGETS)])
      .optional()
      .describe("Ref or your id, or several; default: any open request of yours"),
    cursor: z
      .union([cursorSchema, z.record(targetSchema, cursorSchema)])
      .optional()
      .describe("Only later messages; from an earlier result; for several, by ref"),
    wait_seconds: waitSecondsSchema.describe("At most 45, the default"),
  }),
  output: requestsOutputSchema,
  async run({ re, cursor, wait_seconds, exchange }, call) {
    const { env, caller, mcp } = call;
    const seconds = wait_seconds ?? MAX_WAIT_SECONDS;
    const getCursor = (ref: string) => (typeof cursor === "object" ? cursor[ref] : undefined);
    if (typeof re === "string")
      return await findInHouseholds(caller, exchange, async (principal) => {
        const after = typeof cursor === "number" ? cursor : getCursor(re);
        const view = await waitForAnswer(env, principal, re, { cursor: after, seconds }, mcp);
        if (!view.ok) return view;
        const where = hasSeveral(caller) ? { exchange: principal.household } : {};
        const text = describeThread(view.value, principal, where);
        return ok(buildStructuredResult(text, toStructuredRequest(view.value, principal)));
      });
    const targets = re
      ? ok(re.map((ref) => ({ ref, ...defined({ exchange }) })))
      : await listOpenTargets(env, caller, exchange, MAX_TARGETS);
    return targets.ok ? await waitForAny(call, targets.value, getCursor, seconds) : targets;
  },
});
