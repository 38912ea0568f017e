/** Workers AI, where the deployment has the binding `AI`. */
import * as z from "zod";
import { boundedTextSchema } from "../../../mess/lengths.ts";
import { TIMEOUT_MESSAGE, withTimeout } from "../../../object/with-timeout.ts";
import {
  CALL_TIMEOUT_MS,
  type Classifier,
  failDown,
  failStuck,
  failUnreadable,
  MAX_ANSWER_CHARS,
  NO_TEXT,
} from "./classifier.ts";

/** The part of the binding that is used. Its own types know the present models only. */
export interface WorkersAi {
  run(model: string, input: object): Promise<unknown>;
}

const MAX_ANSWER_TOKENS = 2_048;

/** Older models answer with `response`, newer ones with `choices`. */
const answerSchema = z.union([
  z.object({ response: boundedTextSchema(MAX_ANSWER_CHARS) }).transform(({ response }) => response),
  z
    .object({
      choices: z.tuple(
        [z.object({ message: z.object({ content: boundedTextSchema(MAX_ANSWER_CHARS) }) })],
        z.unknown(),
      ),
    })
    .transform(({ choices: [{ message }] }) => message.content),
]);

export const createWorkersAiClassifier =
  (model: string, binding: WorkersAi | undefined): Classifier =>
  async ({ system, user }) => {
    if (!binding) return failDown("This exchange has no binding to Workers AI.");
    const messages = [
      { role: "system", content: system },
      { role: "user", content: user },
    ];
    try {
      const answer = await withTimeout(
        CALL_TIMEOUT_MS,
        binding.run(model, { messages, max_tokens: MAX_ANSWER_TOKENS }),
      );
      const read = answerSchema.safeParse(answer);
      return read.success ? { ok: true, text: read.data } : failUnreadable(NO_TEXT);
    } catch (error) {
      return error instanceof Error && error.message === TIMEOUT_MESSAGE
        ? failStuck("Workers AI did not answer in time.")
        : // Its errors do not tell whether they concern this message alone.
          failStuck("Workers AI refused the call.");
    }
  };
