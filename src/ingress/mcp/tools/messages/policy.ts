/** The owner's policy and rules, by which messages are classified. */
import * as z from "zod";
import type { Principal } from "../../../../auth/principal.ts";
import {
  changePolicy,
  listRules,
  readPolicy,
  tryPolicy,
} from "../../../../exchange/source-calls/message-policy.ts";
import type { ExchangeBindings } from "../../../../exchange/with-thread.ts";
import { defined } from "../../../../mess/defined.ts";
import { type Outcome, refuse } from "../../../../mess/errors.ts";
import { boundedTextSchema } from "../../../../mess/lengths.ts";
import { ok } from "../../../../mess/result.ts";
import { MAX_DRY_RUN_MESSAGES, SOURCE_LIMITS } from "../../../../mess/sources/vocabulary.ts";
import { findMember } from "../../caller.ts";
import { buildStructuredResult } from "../../results/structured-result.ts";
import { cleanDeep, cleanText, inlineText } from "../../text/untrusted-text.ts";
import { defineTool, type Tool, type ToolNamer, type ToolOutput } from "../../tool.ts";
import { SETS } from "../tool-hints.ts";
import { messageOutputSchema } from "./message-tool.ts";

const DEFAULT_DRY_RUN_MESSAGES = 20;
/** A rule learned from a sender's address contains text of a stranger. */
const MAX_RULE_CHARS = 300;

async function showPolicy(env: ExchangeBindings, principal: Principal) {
  const policy = await readPolicy(env, principal);
  if (!policy.ok) return policy;
  const rules = await listRules(env, principal);
  if (!rules.ok) return rules;
  const { version, author, text } = policy.value;
  const lines = [
    `Policy, version ${version} by ${inlineText(author, 100)}:`,
    cleanText(text),
    ...(rules.value.length === 0 ? [] : ["Rules, which decide before the policy:"]),
    ...rules.value.map((rule) => inlineText(JSON.stringify(rule), MAX_RULE_CHARS)),
  ];
  const fields = { version, rules: cleanDeep(rules.value) };
  return ok(buildStructuredResult(lines.join("\n"), fields));
}

async function tryText(
  env: ExchangeBindings,
  principal: Principal,
  policy: string,
  { source, limit = DEFAULT_DRY_RUN_MESSAGES }: { source?: string; limit?: number },
): Promise<Outcome<ToolOutput>> {
  const tried = await tryPolicy(env, principal, { policy, limit, ...defined({ source }) });
  if (!tried.ok) return tried;
  const entries = tried.value.map(({ sender, subject, reason, ...entry }) => ({
    ...entry,
    sender: inlineText(sender, 100),
    ...(subject === undefined ? {} : { subject: inlineText(subject, 100) }),
    reason: inlineText(reason, MAX_RULE_CHARS),
  }));
  const lines = entries.map(
    ({ id, before = "unclassified", after, ...entry }) =>
      `${id} in ${entry.source}: ${before === after ? after : `${before} → ${after}`}, "${entry.subject ?? ""}" from ${entry.sender}, reason "${entry.reason}"`,
  );
  const changed = entries.filter(({ before, after }) => before !== after).length;
  const head = `Dry run on ${entries.length} messages: ${changed} would get another tier. Nothing was changed.`;
  return ok(buildStructuredResult([head, ...lines].join("\n"), { messages: entries }));
}

export const buildPolicyTool = (toolName: ToolNamer): Tool =>
  defineTool({
    name: toolName("policy"),
    title: "The policy",
    description: "How the owner wants messages classified. With text: for owners, replaces it",
    hints: SETS,
    input: z.strictObject({
      text: boundedTextSchema(SOURCE_LIMITS.policyChars).min(1).optional().describe("New policy"),
      dry_run: z.boolean().optional().describe("Try text on the newest messages"),
      source: boundedTextSchema(SOURCE_LIMITS.nameChars)
        .min(1)
        .optional()
        .describe("Dry run on this one"),
      limit: z.int().min(1).max(MAX_DRY_RUN_MESSAGES).optional().describe("Default 20"),
    }),
    output: messageOutputSchema,
    async run({ text, dry_run: isTrial, source, limit, exchange }, { env, caller }) {
      const member = findMember(caller, exchange);
      if (!member.ok) return member;
      const principal = member.value;
      if (text === undefined)
        return isTrial
          ? refuse("missing_field", "text is missing", "Give the policy to try.", { path: "text" })
          : await showPolicy(env, principal);
      if (isTrial) return await tryText(env, principal, text, defined({ source, limit }));
      const changed = await changePolicy(env, principal, text);
      if (!changed.ok) return changed;
      const { version } = changed.value;
      return ok(
        buildStructuredResult(
          `The policy has version ${version} now. Messages that wait for a verdict are classified by it; ${toolName("policy")} shows it.`,
          { version },
        ),
      );
    },
  });
