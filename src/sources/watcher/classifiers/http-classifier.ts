/** Classifiers over HTTP, in the two wire formats that most services speak. */
import * as z from "zod";
import { boundedTextSchema } from "../../../mess/lengths.ts";
import type { ClassifierConfig } from "../../../contracts/household-sources.ts";
import type { Egress } from "../../../egress/egress.ts";
import type { ClassifierPrompt } from "../../../mess/sources/classifier-prompt.ts";
import { stripEnd } from "../../../mess/strip.ts";
import {
  CALL_TIMEOUT_MS,
  type Classifier,
  failDown,
  failStuck,
  failUnreadable,
  MAX_ANSWER_CHARS,
  MAX_WORD_CHARS,
  NO_TEXT,
  readFailedResponse,
} from "./classifier.ts";

type RemoteConfig = Extract<ClassifierConfig, { url: string }>;

interface WireFormat {
  /** Below the configured address. */
  path: string;
  buildHeaders: (apiKey: string) => Record<string, string>;
  buildBody: (model: string, prompt: ClassifierPrompt) => unknown;
  /** Undefined for an answer without a complete text. */
  readText: (body: unknown) => string | undefined;
}

const MAX_ANSWER_TOKENS = 2_048;

const openAiSchema = z.object({
  choices: z.tuple(
    [
      z.object({
        message: z.object({ content: boundedTextSchema(MAX_ANSWER_CHARS) }),
        finish_reason: boundedTextSchema(MAX_WORD_CHARS).nullish(),
      }),
    ],
    z.unknown(),
  ),
});

const anthropicSchema = z.object({
  content: z.array(
    z.object({
      type: boundedTextSchema(MAX_WORD_CHARS),
      text: boundedTextSchema(MAX_ANSWER_CHARS).optional(),
    }),
  ),
  stop_reason: boundedTextSchema(MAX_WORD_CHARS).nullish(),
});

const WIRE_FORMATS: Readonly<Record<RemoteConfig["kind"], WireFormat>> = {
  openai: {
    path: "/chat/completions",
    buildHeaders: (apiKey) => ({ Authorization: `Bearer ${apiKey}` }),
    // No limit of tokens: services disagree about the name of the field, and refuse the other one.
    buildBody: (model, { system, user }) => ({
      model,
      messages: [
        { role: "system", content: system },
        { role: "user", content: user },
      ],
    }),
    readText: (body) => {
      const read = openAiSchema.safeParse(body);
      if (!read.success) return undefined;
      const [{ message, finish_reason }] = read.data.choices;
      return (finish_reason ?? "stop") === "stop" ? message.content : undefined;
    },
  },
  anthropic: {
    path: "/v1/messages",
    buildHeaders: (apiKey) => ({ "x-api-key": apiKey, "anthropic-version": "2023-06-01" }),
    buildBody: (model, { system, user }) => ({
      model,
      max_tokens: MAX_ANSWER_TOKENS,
      system,
      messages: [{ role: "user", content: user }],
    }),
    readText: (body) => {
      const read = anthropicSchema.safeParse(body);
      if (!read.success || (read.data.stop_reason ?? "end_turn") !== "end_turn") return undefined;
      const texts = read.data.content.flatMap(({ type, text }) =>
        type === "text" && text !== undefined ? [text] : [],
      );
      return texts.length > 0 ? texts.join("") : undefined;
    },
  },
};

export const createHttpClassifier =
  ({ kind, url, model, api_key }: RemoteConfig, egress: Egress): Classifier =>
  async (prompt, now) => {
    const format = WIRE_FORMATS[kind];
    const signal = AbortSignal.timeout(CALL_TIMEOUT_MS);
    const sent = await egress.send(`${stripEnd(url, "/")}${format.path}`, {
      method: "POST",
      headers: { "Content-Type": "application/json", ...format.buildHeaders(api_key) },
      body: JSON.stringify(format.buildBody(model, prompt)),
      signal,
    });
    if (!sent.ok)
      return signal.aborted
        ? failStuck("The classifier did not answer in time.")
        : failDown(`The classifier cannot be reached: ${sent.error.message}.`);
    const { status, text } = sent.value;
    if (status < 200 || status > 299) return readFailedResponse(sent.value, now);
    const answer = format.readText(parseJson(text));
    return answer === undefined ? failUnreadable(NO_TEXT) : { ok: true, text: answer };
  };

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
