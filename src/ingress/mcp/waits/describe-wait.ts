/** The result of a wait for messages. */
import type { CallToolResult } from "@modelcontextprotocol/server";
import type { ReceivedMessages } from "../../../contracts/groups.ts";
import { buildStructuredResult } from "../results/structured-result.ts";
import { describeGroupMessage, toStructuredMessage } from "../text/describe-group.ts";

/** @param waitTool name of the tool at this address */
export function describeReceived(
  { messages, cursor, more, total_pending }: ReceivedMessages,
  waitTool: string,
): CallToolResult {
  const again = `call ${waitTool} again with cursor=${cursor}`;
  const text =
    messages.length === 0
      ? `Nothing yet: ${again}. ${total_pending} unread.`
      : [
          ...messages.map(describeGroupMessage),
          `cursor=${cursor}. ${more ? `There are more: ${again}.` : `To wait on, ${again}.`} They stay unread until you mark them.`,
        ].join("\n");
  const facts = messages.map(toStructuredMessage);
  return buildStructuredResult(text, { messages: facts, cursor, more, total_pending });
}
