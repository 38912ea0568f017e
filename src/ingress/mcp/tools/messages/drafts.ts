/** Drafts: writing, revising, and asking the owners for an approval. No tool can approve or send (decision 79). */
import * as z from "zod";
import type { DraftView } from "../../../../contracts/sources.ts";
import {
  createDraft,
  discardDraft,
  requestDraftApproval,
  reviseDraft,
} from "../../../../exchange/source-calls/drafts.ts";
import { defined } from "../../../../mess/defined.ts";
import { refuse } from "../../../../mess/errors.ts";
import { boundedTextSchema } from "../../../../mess/lengths.ts";
import { LIMITS } from "../../../../mess/limits.ts";
import { ok } from "../../../../mess/result.ts";
import { SOURCE_LIMITS } from "../../../../mess/sources/vocabulary.ts";
import { buildStructuredResult } from "../../results/structured-result.ts";
import { describeDraft, toStructuredDraft } from "../../text/describe-source-message.ts";
import { defineTool, type Tool, type ToolNamer } from "../../tool.ts";
import { ADDS, ENDS } from "../tool-hints.ts";
import { findSource, idSchema, messageOutputSchema, sourceSchema } from "./message-tool.ts";

const recipientsSchema = z
  .array(boundedTextSchema(SOURCE_LIMITS.addressChars))
  .max(SOURCE_LIMITS.recipientsPerDraft)
  .optional();
const subjectSchema = boundedTextSchema(SOURCE_LIMITS.subjectChars).optional();
const bodySchema = boundedTextSchema(SOURCE_LIMITS.draftChars);
const draftIdSchema = idSchema.describe("d_…");

const buildDraftResult = (draft: DraftView, next: string) =>
  ok(buildStructuredResult(`${describeDraft(draft)}. ${next}`, toStructuredDraft(draft)));

const buildCreateTool = (toolName: ToolNamer): Tool =>
  defineTool({
    name: toolName("draft"),
    title: "Write a draft",
    description:
      "A reply to a message, a forward of it, or a new message to somebody. Sends nothing",
    hints: ADDS,
    input: z.strictObject({
      source: sourceSchema,
      message: idSchema.optional().describe("Reply to this; with forward, forward it"),
      forward: z.boolean().optional().describe("Needs to"),
      to: recipientsSchema.describe("Addresses; default for a reply: its sender"),
      subject: subjectSchema.describe("Default for a reply: Re: …"),
      body: bodySchema.describe("Plain text"),
      key: boundedTextSchema(LIMITS.nameChars).min(1).optional().describe("Makes a retry safe"),
    }),
    output: messageOutputSchema,
    async run({ source: named, exchange, message, forward, ...given }, { env, caller }) {
      const found = await findSource(env, caller, exchange, named);
      if (!found.ok) return found;
      const { principal, source } = found.value;
      const { to, subject, body, key } = given;
      const draft = {
        body,
        ...defined({ message, to, subject, key }),
        ...(forward ? { forward: true as const } : {}),
      };
      const created = await createDraft(env, principal, source, draft);
      return created.ok
        ? buildDraftResult(
            created.value,
            `Nothing is sent. ${toolName("request_approval")} asks the owner; ${toolName("revise")} changes it.`,
          )
        : created;
    },
  });

const buildReviseTool = (toolName: ToolNamer): Tool =>
  defineTool({
    name: toolName("revise"),
    title: "Revise a draft",
    description: "Change a draft that is not approved, or discard it",
    hints: ENDS,
    input: z.strictObject({
      source: sourceSchema,
      draft: draftIdSchema,
      revision: z.int().min(1).optional().describe("The one that you read"),
      to: recipientsSchema.describe("Addresses"),
      subject: subjectSchema.describe("Subject"),
      body: bodySchema.optional().describe("Whole new text"),
      discard: z.boolean().optional().describe("Instead of a change"),
    }),
    output: messageOutputSchema,
    async run({ source: named, exchange, draft, discard, ...given }, { env, caller }) {
      const { revision, to, subject, body } = given;
      const change = defined({ to, subject, body });
      const isChange = Object.keys(change).length > 0;
      if (discard ? isChange : !isChange || revision === undefined)
        return refuse(
          "bad_parameter",
          discard ? "discard takes no change" : "a change needs revision, and to, subject or body",
          `Read the draft with ${toolName("read")}; give its revision with the change, or discard alone.`,
        );
      const found = await findSource(env, caller, exchange, named);
      if (!found.ok) return found;
      const { principal, source } = found.value;
      if (discard) {
        const discarded = await discardDraft(env, principal, source, draft);
        return discarded.ok ? buildDraftResult(discarded.value, "It will not be sent.") : discarded;
      }
      const revised = await reviseDraft(env, principal, source, draft, {
        ...change,
        revision: revision!,
      });
      return revised.ok
        ? buildDraftResult(
            revised.value,
            `An approval counts for one revision: call ${toolName("request_approval")} for this one.`,
          )
        : revised;
    },
  });

const NEXT_STEPS: Partial<Record<DraftView["state"], string>> = {
  approval_requested:
    "The owners are asked in their own channels, with the text. It is sent when one of them approves this revision; you cannot approve it.",
  approved: "It is approved already and will be sent.",
  sent: "It was sent already.",
};

const buildApprovalTool = (toolName: ToolNamer): Tool =>
  defineTool({
    name: toolName("request_approval"),
    title: "Ask for approval",
    description: "Ask the owner to approve a draft. Only a person approves; then it is sent",
    // The owners get a message.
    hints: { readOnly: false, destructive: false, idempotent: true, openWorld: true },
    input: z.strictObject({ source: sourceSchema, draft: draftIdSchema }),
    output: messageOutputSchema,
    async run({ source: named, exchange, draft }, { env, caller }) {
      const found = await findSource(env, caller, exchange, named);
      if (!found.ok) return found;
      const { principal, source } = found.value;
      const asked = await requestDraftApproval(env, principal, source, draft);
      if (!asked.ok) return asked;
      const next = NEXT_STEPS[asked.value.state] ?? "";
      return buildDraftResult(asked.value, `${next} ${toolName("read")} shows its state.`.trim());
    },
  });

export const buildDraftTools = (toolName: ToolNamer): Tool[] => [
  buildCreateTool(toolName),
  buildReviseTool(toolName),
  buildApprovalTool(toolName),
];
