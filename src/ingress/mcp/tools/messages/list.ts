/** Sources with their status, messages, drafts, and the search. Summaries only. */
import * as z from "zod";
import { listDrafts } from "../../../../exchange/source-calls/drafts.ts";
import { listSources } from "../../../../exchange/source-calls/list-sources.ts";
import { searchSourceMessages } from "../../../../exchange/source-calls/search-messages.ts";
import { listSourceMessages } from "../../../../exchange/source-calls/source-messages.ts";
import { defined } from "../../../../mess/defined.ts";
import { refuse } from "../../../../mess/errors.ts";
import { boundedTextSchema } from "../../../../mess/lengths.ts";
import { ok } from "../../../../mess/result.ts";
import { SOURCE_LIMITS, TIERS } from "../../../../mess/sources/vocabulary.ts";
import { shortTextSchema } from "../../../http/parameters.ts";
import { findMember } from "../../caller.ts";
import { buildStructuredResult } from "../../results/structured-result.ts";
import {
  describeDraft,
  describeListed,
  describeSource,
  toStructuredDraft,
  toStructuredListed,
} from "../../text/describe-source-message.ts";
import { cleanDeep } from "../../text/untrusted-text.ts";
import { defineTool, type Tool, type ToolContext, type ToolNamer } from "../../tool.ts";
import { READS } from "../tool-hints.ts";
import { cursorSchema, findSource, messageOutputSchema } from "./message-tool.ts";

const inputSchema = z.strictObject({
  source: boundedTextSchema(SOURCE_LIMITS.nameChars)
    .min(1)
    .optional()
    .describe("Default: lists your sources"),
  search: shortTextSchema.optional().describe("Words; without source, in all"),
  tier: z.enum(TIERS).optional().describe("Only these"),
  unseen: z.boolean().optional().describe("Only unseen ones"),
  unclassified: z.boolean().optional().describe("Only those that wait for a verdict"),
  drafts: z.boolean().optional().describe("Drafts instead of messages"),
  limit: z.int().min(1).max(SOURCE_LIMITS.pageMessages).optional().describe("Default 20"),
  cursor: cursorSchema.describe("Next page"),
});
type Input = z.output<typeof inputSchema> & { exchange?: string | undefined };

const describeMore = (toolName: ToolNamer, cursor: string | undefined): string[] =>
  cursor === undefined ? [] : [`More: ${toolName("list")} with cursor=${cursor}.`];

async function listSourcesOf({ exchange }: Input, { env, caller }: ToolContext) {
  const member = findMember(caller, exchange);
  if (!member.ok) return member;
  const listed = await listSources(env, member.value);
  if (!listed.ok) return listed;
  const sources = listed.value;
  const text =
    sources.length === 0
      ? "You can read no message source. An owner adds sources to the configuration."
      : sources.map(describeSource).join("\n");
  return ok(buildStructuredResult(text, { sources: cleanDeep(sources) }));
}

async function listDraftsOf(input: Input, { env, caller }: ToolContext, toolName: ToolNamer) {
  const found = await findSource(env, caller, input.exchange, input.source);
  if (!found.ok) return found;
  const { principal, source } = found.value;
  const { limit = SOURCE_LIMITS.defaultPageMessages, cursor } = input;
  const listed = await listDrafts(env, principal, source, { limit, ...defined({ cursor }) });
  if (!listed.ok) return listed;
  const { drafts, next_cursor } = listed.value;
  const lines = drafts.length === 0 ? ["No drafts."] : drafts.map(describeDraft);
  const text = [...lines, ...describeMore(toolName, next_cursor)].join("\n");
  const fields = { drafts: drafts.map(toStructuredDraft), ...defined({ next_cursor }) };
  return ok(buildStructuredResult(text, fields));
}

async function listMessagesOf(input: Input, { env, caller }: ToolContext, toolName: ToolNamer) {
  const { search: text, tier, unseen, unclassified, cursor, exchange } = input;
  const { limit = SOURCE_LIMITS.defaultPageMessages } = input;
  const shared = { limit, ...defined({ tier, cursor }) };
  const isSearch = text !== undefined;
  if (isSearch && (unseen !== undefined || unclassified !== undefined))
    return refuse(
      "bad_parameter",
      "search cannot be combined with unseen or unclassified",
      "Search by words and tier only.",
    );
  const found = isSearch ? undefined : await findSource(env, caller, exchange, input.source);
  if (found && !found.ok) return found;
  const member = found ? undefined : findMember(caller, exchange);
  if (member && !member.ok) return member;
  const page = found
    ? await listSourceMessages(env, found.value.principal, found.value.source, {
        ...shared,
        ...(unseen === undefined ? {} : { seen: !unseen }),
        ...(unclassified ? { unclassified } : {}),
      })
    : await searchSourceMessages(env, member!.value, {
        ...shared,
        ...defined({ text, source: input.source }),
      });
  if (!page.ok) return page;
  const { messages, next_cursor } = page.value;
  const lines = messages.length === 0 ? ["No messages."] : messages.map(describeListed);
  const all = [...lines, ...describeMore(toolName, next_cursor)].join("\n");
  const fields = { messages: messages.map(toStructuredListed), ...defined({ next_cursor }) };
  return ok(buildStructuredResult(all, fields));
}

export const buildListTool = (toolName: ToolNamer): Tool =>
  defineTool({
    name: toolName("list"),
    title: "List messages",
    description:
      "Your message sources with counts; or the messages of one, newest first; or what a search finds",
    hints: READS,
    input: inputSchema,
    output: messageOutputSchema,
    run(input, call) {
      const { source, search, tier, unseen, unclassified, cursor, drafts } = input;
      if (drafts) return listDraftsOf(input, call, toolName);
      const given = [source, search, tier, unseen, unclassified, cursor];
      return given.every((one) => one === undefined)
        ? listSourcesOf(input, call)
        : listMessagesOf(input, call, toolName);
    },
  });
