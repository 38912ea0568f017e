/** Reading one message, or one draft, in bounded parts. */
import * as z from "zod";
import { readDraft } from "../../../../exchange/source-calls/drafts.ts";
import { readSourceMessage } from "../../../../exchange/source-calls/source-messages.ts";
import { ok } from "../../../../mess/result.ts";
import { parseSourceSeq } from "../../../../mess/sources/ids.ts";
import { SOURCE_LIMITS } from "../../../../mess/sources/vocabulary.ts";
import { buildStructuredResult } from "../../results/structured-result.ts";
import {
  describeDraft,
  describeSourceMessage,
  formatMessageUri,
  toStructuredDraft,
  toStructuredMessage,
} from "../../text/describe-source-message.ts";
import { inlineText, quoteText } from "../../text/untrusted-text.ts";
import { defineTool, type Tool, type ToolNamer } from "../../tool.ts";
import { READS } from "../tool-hints.ts";
import { findSource, idSchema, messageOutputSchema, sourceSchema } from "./message-tool.ts";

/** Characters of a body in one result: some 2,000 tokens. */
const MAX_BODY_CHARS = 8_000;

interface Part {
  text: string;
  /** Where the next part begins. */
  next?: number;
}

function cutPart(body: string, offset: number): Part {
  const end = offset + MAX_BODY_CHARS;
  return end < body.length
    ? { text: body.slice(offset, end), next: end }
    : { text: body.slice(offset) };
}

const toFields = ({ next }: Part) => ({
  more: next !== undefined,
  ...(next === undefined ? {} : { next_offset: next }),
});

export const buildReadTool = (toolName: ToolNamer): Tool => {
  const describeRest = ({ next }: Part): string[] =>
    next === undefined ? [] : [`There is more: ${toolName("read")} with offset=${next}.`];
  return defineTool({
    name: toolName("read"),
    title: "Read a message",
    description: "A message or draft with its text. Does not mark it as seen",
    hints: READS,
    input: z.strictObject({
      source: sourceSchema,
      id: idSchema.describe("m_… or d_…"),
      offset: z.int().min(0).max(SOURCE_LIMITS.bodyChars).optional().describe("For the rest"),
    }),
    output: messageOutputSchema,
    async run({ source: named, id, offset = 0, exchange }, { env, caller }) {
      const found = await findSource(env, caller, exchange, named);
      if (!found.ok) return found;
      const { principal, source } = found.value;
      if (parseSourceSeq("d", id) !== undefined) {
        const draft = await readDraft(env, principal, source, id);
        if (!draft.ok) return draft;
        const part = cutPart(draft.value.body, offset);
        const text = [describeDraft(draft.value), quoteText(part.text), ...describeRest(part)];
        const fields = { ...toStructuredDraft(draft.value), ...toFields(part) };
        return ok(buildStructuredResult(text.join("\n"), fields));
      }
      const message = await readSourceMessage(env, principal, source, id);
      if (!message.ok) return message;
      const part = cutPart(message.value.body, offset);
      const text = [describeSourceMessage(message.value, part.text), ...describeRest(part)];
      const { content, ...result } = buildStructuredResult(text.join("\n"), {
        ...toStructuredMessage(message.value),
        ...toFields(part),
      });
      const links = message.value.attachments.map(({ index, name, mime, size }) => ({
        type: "resource_link" as const,
        uri: `${formatMessageUri(source, id)}/${index}`,
        name: inlineText(name, SOURCE_LIMITS.fileNameChars),
        mimeType: inlineText(mime, 100),
        size,
      }));
      return ok({ ...result, content: [...content, ...links] });
    },
  });
};
