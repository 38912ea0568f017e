/** Finding earlier messages, also of closed groups. */
import * as z from "zod";
import {
  type FoundGroupMessage,
  searchGroupMessages,
} from "../../../../exchange/group-calls/search-groups.ts";
import { defined } from "../../../../mess/defined.ts";
import { type Outcome, refuse } from "../../../../mess/errors.ts";
import { groupIdFieldSchema } from "../../../../mess/groups/fields.ts";
import { GROUP_LIMITS, GROUP_MESSAGE_TYPES } from "../../../../mess/groups/vocabulary.ts";
import { boundedTextSchema } from "../../../../mess/lengths.ts";
import { LIMITS } from "../../../../mess/limits.ts";
import { ok } from "../../../../mess/result.ts";
import { readTime } from "../../../../mess/times.ts";
import { shortTextSchema } from "../../../http/parameters.ts";
import { findMember } from "../../caller.ts";
import { buildStructuredResult } from "../../results/structured-result.ts";
import { formatName } from "../../text/describe-group.ts";
import { inlineText, quoteText } from "../../text/untrusted-text.ts";
import { defineTool, type Tool, type ToolNamer } from "../../tool.ts";
import { READS } from "../tool-hints.ts";
import { groupOutputSchema } from "./group-tool.ts";

const timeSchema = boundedTextSchema(LIMITS.timeChars).min(1).optional();

/** Milliseconds; undefined where no time is given. */
function readInstant(field: string, text: string | undefined): Outcome<number | undefined> {
  const instant = text === undefined ? undefined : readTime(text, "UTC");
  return text !== undefined && instant === undefined
    ? refuse("bad_parameter", `${field}: not an ISO 8601 time`, "Give it as 2026-03-01T18:00:00Z.")
    : ok(instant);
}

const describeFound = (found: FoundGroupMessage): string => {
  const { id, type, from, from_name, to, group_id, at, excerpt } = found;
  return `${type} ${id} from ${from} ${formatName(from_name)} to ${to} in ${group_id}, ${at}:\n${quoteText(excerpt)}`;
};

/** The excerpt is in the text of the result, so that it is not sent twice. */
const toStructuredFound = ({ excerpt: _text, from_name, ...found }: FoundGroupMessage) => ({
  ...found,
  from_name: inlineText(from_name, GROUP_LIMITS.nameChars),
});

export const buildSearchTool = (toolName: ToolNamer): Tool =>
  defineTool({
    name: toolName("search"),
    title: "Search messages",
    description: "Find messages, also of closed groups",
    hints: READS,
    input: z.strictObject({
      q: shortTextSchema.optional().describe("Words"),
      since: timeSchema.describe("ISO 8601 time"),
      until: timeSchema.describe("Before this time"),
      member: groupIdFieldSchema.optional().describe("Sent or received it"),
      type: z.enum(GROUP_MESSAGE_TYPES).optional().describe("Only these"),
      group_id: groupIdFieldSchema.optional().describe("Default: all"),
      cursor: boundedTextSchema(1_024).min(1).optional().describe("Next page"),
    }),
    output: groupOutputSchema,
    async run({ q: text, since, until, exchange, ...given }, { env, caller }) {
      const principal = findMember(caller, exchange);
      if (!principal.ok) return principal;
      const from = readInstant("since", since);
      if (!from.ok) return from;
      const to = readInstant("until", until);
      if (!to.ok) return to;
      const filter = defined({ ...given, text, from: from.value, to: to.value });
      const found = await searchGroupMessages(env, principal.value, {
        ...filter,
        limit: GROUP_LIMITS.defaultPageMessages,
      });
      if (!found.ok) return found;
      const { messages, next_cursor } = found.value;
      const lines = [
        ...messages.map(describeFound),
        ...(messages.length === 0 ? ["Nothing was found."] : []),
        ...(next_cursor === undefined
          ? []
          : [`More: ${toolName("search")} with cursor=${next_cursor}.`]),
      ];
      const fields = { messages: messages.map(toStructuredFound), ...defined({ next_cursor }) };
      return ok(buildStructuredResult(lines.join("\n"), fields));
    },
  });
