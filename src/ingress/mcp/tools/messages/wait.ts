/** Waiting for notices, or for new messages of one source: as a task, with progress, or for a short time. */
import * as z from "zod";
import { boundedTextSchema } from "../../../../mess/lengths.ts";
import { LIMITS } from "../../../../mess/limits.ts";
import { ok } from "../../../../mess/result.ts";
import { SOURCE_LIMITS } from "../../../../mess/sources/vocabulary.ts";
import { findMember } from "../../caller.ts";
import { outputTextSchema } from "../../results/output-text.ts";
import { defineTool, type Tool, type ToolNamer } from "../../tool.ts";
import { planWait, waitWithProgress } from "../../waits/long-wait.ts";
import { startSourceWaitTask } from "../../waits/source-wait-tasks.ts";
import {
  ALL_SOURCES,
  describeReceivedFromSources,
  isEmpty,
  readCursor,
  receiveFromSources,
} from "../../waits/source-waits.ts";
import { READS } from "../tool-hints.ts";
import { MAX_LONG_WAIT_SECONDS } from "../../../../mess/wait-limits.ts";

export const buildWaitTool = (toolName: ToolNamer): Tool =>
  defineTool({
    name: toolName("wait"),
    title: "Wait for messages",
    description:
      "Blocks until an urgent message arrives (tier NOTIFY); with source, until any message arrives there. Use it instead of polling",
    hints: READS,
    input: z.strictObject({
      source: boundedTextSchema(SOURCE_LIMITS.nameChars)
        .min(1)
        .optional()
        .describe("Any new message of this one"),
      timeout: z
        .int()
        .min(0)
        .max(MAX_LONG_WAIT_SECONDS)
        .optional()
        .describe("Seconds up to 600; default 45"),
      cursor: boundedTextSchema(LIMITS.targetChars)
        .min(1)
        .optional()
        .describe("From the last result"),
    }),
    output: z.looseObject({ text: outputTextSchema, cursor: outputTextSchema }),
    async run({ source = ALL_SOURCES, timeout, cursor, exchange }, call) {
      const { env, caller, mcp } = call;
      const member = findMember(caller, exchange);
      if (!member.ok) return member;
      const principal = member.value;
      const position = readCursor(principal, source, cursor);
      if (!position.ok) return position;
      const wait = { source, position: position.value };
      const plan = planWait(call, timeout);
      const received =
        plan === "task"
          ? await receiveFromSources(env, principal, wait, 0)
          : await waitWithProgress(mcp, plan.seconds, (milliseconds, signal) =>
              receiveFromSources(env, principal, wait, milliseconds, signal),
            );
      if (!received.ok) return received;
      if (plan === "task" && isEmpty(received.value)) {
        const start = { source, position: received.value.position };
        return ok(startSourceWaitTask(call, principal, start, timeout!));
      }
      return ok(describeReceivedFromSources(principal, wait, received.value, toolName));
    },
  });
