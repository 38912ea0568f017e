/** Waiting for messages: as a task, with progress, or for a short time. */
import * as z from "zod";
import { waitForGroupMessages } from "../../../../exchange/group-calls/wait-for-messages.ts";
import { waitCursorSchema } from "../../../../mess/groups/fields.ts";
import { ok } from "../../../../mess/result.ts";
import { outputTextSchema } from "../../results/output-text.ts";
import { defineTool, type Tool, type ToolNamer } from "../../tool.ts";
import { describeReceived } from "../../waits/describe-wait.ts";
import { planWait, waitWithProgress } from "../../waits/long-wait.ts";
import { startWaitTask } from "../../waits/wait-tasks.ts";
import { findByIds } from "./find-by-ids.ts";
import { READS } from "../tool-hints.ts";
import { groupIdSchema, myIdSchema } from "./group-tool.ts";
import { MAX_LONG_WAIT_SECONDS, MAX_WAIT_SECONDS } from "../../../../mess/wait-limits.ts";

/** A wait without messages that ends more than this before its time was ended by the group. */
const EARLY_END_MS = 1_000;

export const buildWaitTool = (toolName: ToolNamer): Tool =>
  defineTool({
    name: toolName("wait"),
    title: "Wait for messages",
    description:
      "Blocks until a message arrives; use it instead of polling. Messages stay unread. Call again with the returned cursor",
    hints: READS,
    input: z.strictObject({
      group_id: groupIdSchema.describe("Your group, or the pool agents or ops"),
      my_id: myIdSchema,
      timeout: z
        .int()
        .min(0)
        .max(MAX_LONG_WAIT_SECONDS)
        .optional()
        .describe("Seconds up to 600; default 45"),
      cursor: waitCursorSchema.optional().describe("From the last result"),
    }),
    output: z.looseObject({ text: outputTextSchema, cursor: outputTextSchema }),
    takesExchange: false,
    run: ({ group_id, my_id, timeout = MAX_WAIT_SECONDS, cursor }, call) =>
      findByIds(call.caller, group_id ?? my_id, async (principal) => {
        const ids = { group_id, my_id };
        const plan = planWait(call, timeout);
        if (plan === "task")
          return await startWaitTask(call, principal, ids, timeout, toolName, cursor);
        const until = Date.now() + plan.seconds * 1_000;
        const received = await waitWithProgress(call.mcp, plan.seconds, (milliseconds, signal) =>
          waitForGroupMessages(call.env, principal, ids, cursor, milliseconds, signal),
        );
        const endedEarly = until - Date.now() > EARLY_END_MS;
        return received.ok ? ok(describeReceived(received.value, toolName, endedEarly)) : received;
      }),
  });
