/** Converts a tool's arguments into a MESS request. */
import { defined } from "../../../mess/defined.ts";
import * as z from "zod";
import { boundedTextSchema } from "../../../mess/lengths.ts";
import { LIMITS } from "../../../mess/limits.ts";
import { PRIORITIES } from "../../../mess/envelope.ts";
import { isResource } from "../../../mess/names.ts";
import type { MessageInput } from "../../../mess/wire/schema.ts";

/** Accepts a single string for a list, since models often send one. */
const textListSchema = (maxItems: number) =>
  z.preprocess(
    (value) => (typeof value === "string" ? [value] : value),
    z.array(boundedTextSchema(8_000)).max(maxItems),
  );

export const waitSecondsSchema = z.int().min(0).max(45).optional();

export const targetSchema = boundedTextSchema(260).min(1);

/** Texts, and entries such as an earlier answer or its photo. A single one is accepted for a list. */
const contextSchema = z.preprocess(
  (value) => (Array.isArray(value) || value === undefined ? value : [value]),
  z
    .array(
      z.union([
        boundedTextSchema(8_000),
        z.record(boundedTextSchema(LIMITS.keyChars), z.unknown()),
      ]),
    )
    .max(64),
);

/** A hint with its details: the options of a choice, the label of a field, a schema. */
const hintSchema = z.record(boundedTextSchema(LIMITS.keyChars), z.unknown());

/** Parameters of both mess_observe and mess_do. */
export const REQUEST_FIELDS = {
  intent: boundedTextSchema(LIMITS.intentChars)
    .min(1)
    .describe("What to find out or do, in plain words"),
  context: contextSchema
    .optional()
    .describe(
      "Facts the person needs; {ref: id} is an earlier answer, {image: content://…} its photo",
    ),
  requires: textListSchema(16).optional().describe("Capabilities, from mess_capabilities"),
  id: boundedTextSchema(LIMITS.nameChars)
    .min(1)
    .optional()
    .describe("Your id for the request; a repeated call with it creates no second request"),
  response_hint: z
    .preprocess(
      (value) => (Array.isArray(value) || value === undefined ? value : [value]),
      z.array(z.union([boundedTextSchema(8_000), hintSchema])).max(16),
    )
    .optional()
    .describe(
      'Wanted answer: image, text, {choice: [a, b]}, {number: "How many?"}, {date: "When?"}, {structured: JSON Schema of an object}, {draft: {text, values}} to approve, edit or reject',
    ),
  needed_by: boundedTextSchema(LIMITS.timeChars).optional().describe("ISO 8601 time"),
  priority: z.enum(PRIORITIES).optional().describe("Default normal"),
  wait_seconds: waitSecondsSchema.describe("How long to wait for an answer; default 45"),
};

type RequestFields = z.output<z.ZodObject<typeof REQUEST_FIELDS>> & {
  confirm_before?: boolean | undefined;
  coalesce?: boolean;
};

/** Models pass the address of a file as a plain text, too. */
function toEntry(item: string | Record<string, unknown>): unknown {
  if (typeof item !== "string" || !isResource(item)) return item;
  const [, kind = "file"] = /\/att-\d+-(image|audio|video)-[^/]*$/.exec(item) ?? [];
  return { [kind]: item };
}

export function composeRequest(fields: RequestFields): MessageInput {
  const { intent, context, requires, id, response_hint, needed_by, priority } = fields;
  const { confirm_before, coalesce } = fields;
  const request = {
    intent,
    ...defined({
      id,
      context: context?.map(toEntry),
      requires,
      response_hint,
      needed_by,
      priority,
      confirm_before,
      coalesce,
    }),
  };
  return { blocks: [{ type: "request", body: request }] };
}
