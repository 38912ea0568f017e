/** The result of a wait for messages. */
import type { CallToolResult } from "@modelcontextprotocol/server";
import type { WaitResult } from "../../../exchange/group-calls/wait-for-messages.ts";
import type { ToolNamer } from "../tool.ts";
import { defined } from "../../../mess/defined.ts";
import { buildStructuredResult } from "../results/structured-result.ts";
import { describeGroupMessage, toStructuredMessage } from "../text/describe-group.ts";

/**
 * @param toolName the names of the tools at this address
 * @param endedEarly the group ended the wait before its time was over
 */
export function describeReceived(
  { messages, cursor, more, total_pending, closed }: WaitResult,
  toolName: ToolNamer,
  endedEarly = false,
): CallToolResult {
  const again = `call ${toolName("wait")} again with cursor=${cursor}`;
  const next = closed
    ? "The group is closed, so no message will come"
    : endedEarly
      ? `You wait in several calls at once, so this one ended: keep the last one, or ${again}`
      : `Nothing yet: ${again}`;
  const text =
    messages.length === 0
      ? `${next}. ${total_pending} unread.`
      : [
          ...messages.map(describeGroupMessage),
          `cursor=${cursor}. ${more ? `There are more: ${again}.` : `To wait on, ${again}.`} They stay unread until you mark them.`,
        ].join("\n");
  const facts = messages.map(toStructuredMessage);
  return buildStructuredResult(text, {
    messages: facts,
    cursor,
    more,
    total_pending,
    ...defined({ closed }),
  });
}
