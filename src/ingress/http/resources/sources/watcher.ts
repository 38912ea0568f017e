/** `/message-policy`, `/message-rules`, and the verdicts about messages. */
import * as z from "zod";
import {
  changePolicy,
  changeRules,
  listPolicies,
  listRules,
  readPolicy,
  tryPolicy,
} from "../../../../exchange/source-calls/message-policy.ts";
import { correctTier, submitVerdict } from "../../../../exchange/source-calls/message-verdicts.ts";
import { boundedTextSchema } from "../../../../mess/lengths.ts";
import { ok } from "../../../../mess/result.ts";
import { MAX_VERDICT_CHARS, VERDICT_FORM } from "../../../../mess/sources/parse-verdict.ts";
import { classifierRulesSchema } from "../../../../mess/sources/rules.ts";
import { MAX_DRY_RUN_MESSAGES, SOURCE_LIMITS, TIERS } from "../../../../mess/sources/vocabulary.ts";
import { buildBody } from "../../build-body.ts";
import { readObject, TEXT_TYPES } from "../../request-body.ts";
import {
  defineMemberRoute,
  type HandlerPromise,
  type HttpCall,
  type HttpRoute,
} from "../../route.ts";

/** 500 rules with long lists of words. */
const MAX_RULES_BYTES = 1024 * 1024;
/** Each character in up to four bytes, escaped. */
const MAX_VERDICT_BYTES = 512 * 1024;
const MAX_POLICY_BYTES = 256 * 1024;

const policyTextSchema = boundedTextSchema(SOURCE_LIMITS.policyChars).trim().min(1);
const policySchema = z.strictObject({ policy: policyTextSchema });
const trialSchema = z.strictObject({
  policy: policyTextSchema,
  source: boundedTextSchema(SOURCE_LIMITS.nameChars)
    .exactOptional()
    .describe("Only messages of this source"),
  limit: z.int().min(1).max(MAX_DRY_RUN_MESSAGES).default(20),
});
const rulesSchema = z.strictObject({ rules: classifierRulesSchema });
const correctionSchema = z.strictObject({ tier: z.enum(TIERS) });
const verdictSchema = z.strictObject({
  verdict: boundedTextSchema(MAX_VERDICT_CHARS).describe(VERDICT_FORM),
});

const handlePolicy = async ({ env, principal }: HttpCall): HandlerPromise =>
  buildBody(await readPolicy(env, principal));

async function handlePolicies({ env, principal }: HttpCall): HandlerPromise {
  const listed = await listPolicies(env, principal);
  return listed.ok ? ok({ body: { versions: listed.value } }) : listed;
}

async function handleChangePolicy({ env, principal, request }: HttpCall): HandlerPromise {
  const body = await readObject(request, policySchema, MAX_POLICY_BYTES);
  if (!body.ok) return body;
  return buildBody(await changePolicy(env, principal, body.value.policy));
}

async function handleTrial({ env, principal, request }: HttpCall): HandlerPromise {
  const body = await readObject(request, trialSchema, MAX_POLICY_BYTES);
  if (!body.ok) return body;
  const tried = await tryPolicy(env, principal, body.value);
  return tried.ok ? ok({ body: { messages: tried.value } }) : tried;
}

async function handleRules({ env, principal }: HttpCall): HandlerPromise {
  const listed = await listRules(env, principal);
  return listed.ok ? ok({ body: { rules: listed.value } }) : listed;
}

async function handleChangeRules({ env, principal, request }: HttpCall): HandlerPromise {
  const body = await readObject(request, rulesSchema, MAX_RULES_BYTES);
  if (!body.ok) return body;
  const changed = await changeRules(env, principal, body.value.rules);
  return changed.ok ? ok({ body: { rules: changed.value } }) : changed;
}

async function handleCorrect({ env, principal, param, request }: HttpCall): HandlerPromise {
  const body = await readObject(request, correctionSchema);
  if (!body.ok) return body;
  const { tier } = body.value;
  return buildBody(await correctTier(env, principal, param("source"), param("id"), tier));
}

async function handleVerdict({ env, principal, param, request }: HttpCall): HandlerPromise {
  const body = await readObject(request, verdictSchema, MAX_VERDICT_BYTES);
  if (!body.ok) return body;
  const { verdict } = body.value;
  return buildBody(await submitVerdict(env, principal, param("source"), param("id"), verdict));
}

export const watcherRoutes: readonly HttpRoute[] = [
  defineMemberRoute({
    method: "get",
    path: "/message-policy",
    access: "messages",
    summary: "The policy by which messages are classified",
    handle: handlePolicy,
  }),
  defineMemberRoute({
    method: "put",
    path: "/message-policy",
    access: "messages",
    summary: "Change the policy; for owners",
    description: "Messages that wait for a verdict are classified by it; others keep their tier.",
    body: { description: "The policy", types: TEXT_TYPES, schema: policySchema },
    handle: handleChangePolicy,
  }),
  defineMemberRoute({
    method: "get",
    path: "/message-policy/versions",
    access: "messages",
    summary: "Every version of the policy, the newest first",
    handle: handlePolicies,
  }),
  defineMemberRoute({
    method: "post",
    path: "/message-policy/dry-run",
    access: "messages",
    summary: "Classify the newest messages by another policy, changing nothing; for owners",
    description:
      "Each message that no rule decides costs a call of the classifier. A message that was not classified in time has by: fallback.",
    body: { description: "The policy", types: TEXT_TYPES, schema: trialSchema },
    handle: handleTrial,
  }),
  defineMemberRoute({
    method: "get",
    path: "/message-rules",
    access: "messages",
    summary: "The rules that decide before the classifier; the first that matches counts",
    handle: handleRules,
  }),
  defineMemberRoute({
    method: "put",
    path: "/message-rules",
    access: "messages",
    summary: "Replace all rules; for owners",
    body: { description: "The rules", types: TEXT_TYPES, schema: rulesSchema },
    handle: handleChangeRules,
  }),
  defineMemberRoute({
    method: "post",
    path: "/sources/{source}/messages/{id}/correct",
    access: "messages",
    summary: "Correct the tier of a message; for owners",
    description: "The household learns from it. A message that is raised to NOTIFY interrupts.",
    body: { description: "The right tier", types: TEXT_TYPES, schema: correctionSchema },
    handle: handleCorrect,
  }),
  defineMemberRoute({
    method: "post",
    path: "/sources/{source}/messages/{id}/verdict",
    access: "messages",
    summary: "Classify a message that waits for a verdict, as an agent",
    description: "Needs a credential that may classify: an owner's, or one with msg/classify.",
    body: { description: "The verdict", types: TEXT_TYPES, schema: verdictSchema },
    handle: handleVerdict,
  }),
];
