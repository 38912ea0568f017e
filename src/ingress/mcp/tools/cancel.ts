import * as z from "zod";
import { boundedTextSchema } from "../../../mess/lengths.ts";
import { LIMITS } from "../../../mess/limits.ts";
import { findInHouseholds } from "../caller.ts";
import { targetSchema } from "../requests/compose-request.ts";
import { appendToThread } from "../requests/append-to-thread.ts";
import { requestOutputSchema } from "../results/structured-result.ts";
import { defineTool } from "../tool.ts";

export const cancelTool = defineTool({
  name: "mess_cancel",
  title: "Cancel a request",
  description: "Cancel a request that is not finished. Its executor is notified.",
  hints: { readOnly: false, destructive: true, idempotent: true, openWorld: true },
  input: z.strictObject({
    re: targetSchema.describe("Ref or your id"),
    reason: boundedTextSchema(LIMITS.intentChars).optional().describe("For its executor"),
  }),
  output: requestOutputSchema,
  run: ({ re: target, reason, exchange }, { env, caller }) =>
    findInHouseholds(caller, exchange, (principal) =>
      appendToThread(env, caller, principal, target, {
        type: "cancel",
        body: reason === undefined ? {} : { reason },
      }),
    ),
});
