/** Waiting for messages: as a task, with progress, or for a short time. */
import type { ServerContext } from "@modelcontextprotocol/server";
import * as z from "zod";
import type { Principal } from "../../../../auth/principal.ts";
import {
  type WaitResult,
  waitForGroupMessages,
} from "../../../../exchange/group-calls/wait-for-messages.ts";
import type { MembershipIds } from "../../../../exchange/group-calls/with-group.ts";
import type { Outcome } from "../../../../mess/errors.ts";
import { waitCursorSchema } from "../../../../mess/groups/fields.ts";
import { ok } from "../../../../mess/result.ts";
import {
  createProgressReporter,
  MAX_WAIT_SECONDS as SHORT_WAIT_SECONDS,
  PROGRESS_INTERVAL_MS,
} from "../../requests/wait-for-answer.ts";
import { outputTextSchema } from "../../results/output-text.ts";
import { defineTool, type Tool, type ToolContext, type ToolNamer } from "../../tool.ts";
import { describeReceived } from "../../waits/describe-wait.ts";
import { MAX_WAIT_SECONDS } from "../../waits/wait-task-id.ts";
import { startWaitTask } from "../../waits/wait-tasks.ts";
import { findByIds } from "./find-by-ids.ts";
import { groupIdSchema, myIdSchema, READS } from "./group-tool.ts";

/** A wait without messages that ends more than this before its time was ended by the group. */
const EARLY_END_MS = 1_000;

const hasProgressToken = ({ mcpReq: { _meta } }: ServerContext): boolean =>
  _meta?.progressToken !== undefined;

/** One long wait, since several short ones would cost the group a request each. Reports progress in the meantime. */
async function waitWithProgress(
  { env, mcp }: ToolContext,
  principal: Principal,
  ids: MembershipIds,
  cursor: string | undefined,
  seconds: number,
): Promise<Outcome<WaitResult>> {
  const { signal } = mcp.mcpReq;
  const report = createProgressReporter(mcp, seconds);
  const reportWaiting = () => void report("waiting for messages").catch(() => undefined);
  reportWaiting();
  const timer = setInterval(reportWaiting, PROGRESS_INTERVAL_MS);
  try {
    return await waitForGroupMessages(env, principal, ids, cursor, seconds * 1_000, signal);
  } finally {
    clearInterval(timer);
  }
}

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
        .max(MAX_WAIT_SECONDS)
        .optional()
        .describe("Seconds up to 600; default 45"),
      cursor: waitCursorSchema.optional().describe("From the last result"),
    }),
    output: z.looseObject({ text: outputTextSchema, cursor: outputTextSchema }),
    takesExchange: false,
    run: ({ group_id, my_id, timeout = SHORT_WAIT_SECONDS, cursor }, call) =>
      findByIds(call.caller, group_id ?? my_id, async (principal) => {
        const ids = { group_id, my_id };
        const canWaitLong = hasProgressToken(call.mcp);
        if (timeout > SHORT_WAIT_SECONDS && call.takesTasks && !canWaitLong)
          return await startWaitTask(call, principal, ids, timeout, toolName, cursor);
        const seconds = canWaitLong ? timeout : Math.min(timeout, SHORT_WAIT_SECONDS);
        const until = Date.now() + seconds * 1_000;
        const received = await waitWithProgress(call, principal, ids, cursor, seconds);
        const endedEarly = until - Date.now() > EARLY_END_MS;
        return received.ok ? ok(describeReceived(received.value, toolName, endedEarly)) : received;
      }),
  });
