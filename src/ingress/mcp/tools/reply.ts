import * as z from "zod";
import type { JsonMap } from "../../../mess/json.ts";
import { refuse } from "../../../mess/errors.ts";
import { boundedTextSchema } from "../../../mess/lengths.ts";
import { LIMITS } from "../../../mess/limits.ts";
import { findInHouseholds } from "../caller.ts";
import { targetSchema } from "../compose-request.ts";
import { appendToThread } from "../append-to-thread.ts";
import { defineTool } from "../tool.ts";

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
    confirm: z.boolean().optional(),
    accept: z.boolean().optional(),
    reason: boundedTextSchema(LIMITS.intentChars).optional(),
  }),
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
    const body = Object.fromEntries(
      Object.entries(given).filter(([, value]) => value !== undefined),
    ) as JsonMap;
    return await findInHouseholds(caller, exchange, (principal) =>
      appendToThread(env, caller, principal, target, { type: "reply", body }),
    );
  },
});
