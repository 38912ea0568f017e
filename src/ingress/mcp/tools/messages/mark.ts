/** Marks of messages, and the verdicts of an agent about messages that wait for a classifier. */
import * as z from "zod";
import type { SourceMessageSummary } from "../../../../contracts/sources.ts";
import { submitVerdict } from "../../../../exchange/source-calls/message-verdicts.ts";
import { markSourceMessage } from "../../../../exchange/source-calls/source-messages.ts";
import { type Outcome, refuse } from "../../../../mess/errors.ts";
import { boundedTextSchema } from "../../../../mess/lengths.ts";
import { ok } from "../../../../mess/result.ts";
import { MAX_VERDICT_CHARS } from "../../../../mess/sources/parse-verdict.ts";
import { MESSAGE_MARKS } from "../../../../mess/sources/vocabulary.ts";
import { buildStructuredResult } from "../../results/structured-result.ts";
import { describeListed, toStructuredListed } from "../../text/describe-source-message.ts";
import { defineTool, type Tool, type ToolNamer } from "../../tool.ts";
import { SETS } from "../tool-hints.ts";
import { findSource, idSchema, messageOutputSchema, sourceSchema } from "./message-tool.ts";

const MAX_IDS = 20;

const refuseCombination = (): Outcome<never> =>
  refuse(
    "bad_parameter",
    "give either mark, or verdict with one id",
    "Classify one message per call; marks take up to 20 ids.",
  );

const buildMarked = (messages: readonly SourceMessageSummary[], text: string) =>
  ok(buildStructuredResult(text, { messages: messages.map(toStructuredListed) }));

export const buildMarkTool = (toolName: ToolNamer): Tool =>
  defineTool({
    name: toolName("mark"),
    title: "Mark or classify messages",
    description:
      "Mark messages; or submit your verdict on one that is unclassified, by the owner's policy",
    hints: SETS,
    input: z.strictObject({
      source: sourceSchema,
      ids: z.array(idSchema).min(1).max(MAX_IDS).describe("m_…, up to 20"),
      mark: z.enum(MESSAGE_MARKS).optional().describe("Or verdict"),
      verdict: boundedTextSchema(MAX_VERDICT_CHARS)
        .min(1)
        .optional()
        .describe("Lines TIER: NOTIFY|DEFER|DECLINE|IGNORE, REASON: …, URGENCY: 0-3, DRAFT: reply"),
    }),
    output: messageOutputSchema,
    async run({ source: named, exchange, ids, mark, verdict }, { env, caller }) {
      if ((mark === undefined) === (verdict === undefined)) return refuseCombination();
      const [id = "", ...others] = ids;
      if (verdict !== undefined && others.length > 0) return refuseCombination();
      const found = await findSource(env, caller, exchange, named);
      if (!found.ok) return found;
      const { principal, source } = found.value;
      if (verdict !== undefined) {
        const judged = await submitVerdict(env, principal, source, id, verdict);
        return judged.ok
          ? buildMarked([judged.value], `Classified. ${describeListed(judged.value)}`)
          : judged;
      }
      const marked: SourceMessageSummary[] = [];
      for (const one of ids) {
        const done = await markSourceMessage(env, principal, source, one, mark!);
        // The earlier ones keep their mark; the call can be repeated with all ids.
        if (!done.ok) return done;
        marked.push(done.value);
      }
      return buildMarked(marked, `${mark}: ${marked.map((one) => one.id).join(", ")}.`);
    },
  });
