/** The texts that an agent of the pool reads about its request, and the posts that its messages become. Pure. */
import { defined } from "../defined.ts";
import type { JsonMap } from "../json.ts";
import { LIMITS } from "../limits.ts";
import { toOneLine } from "../one-line.ts";
import type { Entry } from "../wire/content/entries.ts";
import type { MessageInput } from "../wire/schema.ts";
import { EXCHANGE_SENDER } from "./ids.ts";
import { cutText, listEntryLines } from "./request-news.ts";
import type { GroupMessageType } from "./vocabulary.ts";

interface AgentRequest {
  ref: string;
  intent: string;
  /** Display name of the requestor. */
  requestor: string;
  /** The request block as stored. */
  request: JsonMap;
  expires?: string;
}

export function writeAgentTask({ ref, intent, requestor, request, expires }: AgentRequest): string {
  const { context } = request;
  const lines = [
    intent,
    ...listEntryLines(Array.isArray(context) ? (context as Entry[]) : []),
    "",
    `A request of ${toOneLine(requestor)}.`,
    ...(expires === undefined ? [] : [`Needed by ${expires}.`]),
    `Report to ${EXCHANGE_SENDER} with message_type report and reply_to the id of this task.`,
    "Ask the requestor with message_type question, and tell about progress with message_type message.",
    "Call heartbeat every two minutes while you work, or the request is given to another agent.",
  ];
  return cutText(lines.join("\n"), ref);
}

export function writeRequestNews({
  eventText,
  status,
  isLost,
}: {
  eventText?: string;
  status: string;
  isLost: boolean;
}): string {
  const news = eventText ?? `The request is ${status}.`;
  return isLost ? `${news}\nThe request is not yours any more: stop working on it.` : news;
}

export const buildClaim = (ref: string): MessageInput => ({
  re: ref,
  blocks: [{ type: "status", body: { code: "claimed" } }],
});

export const buildDecline = (ref: string, reason: string): MessageInput => ({
  re: ref,
  blocks: [{ type: "status", body: { code: "declined", reason } }],
});

/**
 * A report completes the request, a question asks its requestor, and any other message is a followup.
 * @param files that the agent names in its report: their names only, since messages of groups carry no files
 */
export function buildAgentMessage(
  type: GroupMessageType,
  content: string,
  ref: string,
  files: readonly string[] = [],
): MessageInput {
  const notes = files.length > 0 ? `Files modified: ${files.join(", ")}` : undefined;
  if (type === "report")
    return {
      re: ref,
      blocks: [
        { type: "response", body: { content: [content], ...defined({ notes }) } },
        { type: "status", body: { code: "completed" } },
      ],
    };
  if (type !== "question")
    return { re: ref, blocks: [{ type: "followup", body: { message: content } }] };
  const text = content.trim();
  const question = text.split("\n", 1)[0]!.slice(0, LIMITS.intentChars);
  const message = question === text ? undefined : text;
  const body = { code: "needs_input" as const, questions: [question], ...defined({ message }) };
  return { re: ref, blocks: [{ type: "status", body }] };
}
