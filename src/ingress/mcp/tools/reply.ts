import * as z from "zod";
import type { Principal } from "../../../auth/principal.ts";
import { readThread } from "../../../exchange/exchange.ts";
import type { ExchangeBindings } from "../../../exchange/with-thread.ts";
import { type Outcome, refuse } from "../../../mess/errors.ts";
import type { Json } from "../../../mess/json.ts";
import { boundedTextSchema } from "../../../mess/lengths.ts";
import { defined } from "../../../mess/defined.ts";
import { LIMITS } from "../../../mess/limits.ts";
import { splitTarget } from "../../../mess/refs.ts";
import { ok } from "../../../mess/result.ts";
import { findInHouseholds } from "../caller.ts";
import { targetSchema } from "../requests/compose-request.ts";
import { appendToThread } from "../requests/append-to-thread.ts";
import { checkAnswers, listOpenQuestions, readDecision } from "../results/open-questions.ts";
import { requestOutputSchema } from "../results/structured-result.ts";
import { defineTool } from "../tool.ts";

/** Accepts yes and no as words, since models often send them. */
const decisionSchema = z.preprocess((value) => readDecision(value) ?? value, z.boolean());

export const replyTool = defineTool({
  name: "mess_reply",
  title: "Answer, confirm or accept",
  description:
    "Reply to a request that waits for you: answer its questions, confirm or refuse an action, or accept or refuse a suggestion.",
  hints: { readOnly: false, destructive: true, idempotent: true, openWorld: true },
  input: z.strictObject({
    re: targetSchema.describe("Ref of the request, or of the question or suggestion"),
    answers: z
      .union([boundedTextSchema(16_000), z.record(boundedTextSchema(LIMITS.keyChars), z.unknown())])
      .optional()
      .describe("By question key; a text if only one is open"),
    confirm: decisionSchema.optional().describe("For an action"),
    accept: decisionSchema.optional().describe("For a suggestion"),
    reason: boundedTextSchema(LIMITS.intentChars).optional().describe("Why not"),
  }),
  output: requestOutputSchema,
  async run({ re: target, exchange, ...given }, { env, caller }) {
    const { answers, confirm, accept } = given;
    if (answers === undefined && confirm === undefined && accept === undefined)
      return refuse(
        "missing_field",
        "the reply says nothing",
        "Set one of answers, confirm, accept.",
        {
          valid: ["answers", "confirm", "accept"],
        },
      );
    return await findInHouseholds(
      caller,
      exchange,
      async (principal) => {
        const checked = await checkReply(env, principal, target, answers);
        if (!checked.ok) return checked;
        const body = defined({ ...given, answers: checked.value });
        return await appendToThread(env, caller, principal, target, { type: "reply", body });
      },
      // Also where the household lists its open suggestions, since the one that is meant may be elsewhere.
      ({ code }) => code === "not_found",
    );
  },
});

/** Checks that the answers fit their questions, which the thread itself does not do. */
async function checkReply(
  env: ExchangeBindings,
  principal: Principal,
  target: string,
  answers: unknown,
): Promise<Outcome<Json | undefined>> {
  if (answers === undefined) return ok(undefined);
  const view = await readThread(env, principal, splitTarget(target).thread);
  if (!view.ok) return view;
  return checkAnswers(listOpenQuestions(view.value), answers, splitTarget(target).message);
}
