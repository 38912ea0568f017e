/**
 * One payload of a `MESS:` list: shorthand spread out, fields read by their schema, and the rules that bind
 * several fields together. Whom it concerns is read here too, and taken out of the body (decision 1).
 */
import { RESERVED_ACTORS } from "../actors.ts";
import { readDuration } from "../durations.ts";
import type { ErrorCode } from "../errors.ts";
import { type Fault, faultsOf } from "./body-errors.ts";
import { isMap, type Json, type JsonMap } from "../json.ts";
import { checkLeafLengths } from "./leaf-lengths.ts";
import { LIMITS } from "../limits.ts";
import { fail, ok, type Result } from "../result.ts";
import { type Block, type MessageType, PAYLOADS } from "./schema.ts";
import type { Path } from "./source-document.ts";

export interface ReadBlock {
  block: Block;
  /** The targets that the payload itself names. */
  re?: string[];
}

/** Where a payload that is no map belongs. */
const SHORTHAND: Readonly<Record<MessageType, (value: Json) => string | undefined>> = {
  request: (value) => (isScalar(value) ? "intent" : undefined),
  status: (value) => (isScalar(value) ? "code" : undefined),
  response: () => "content",
  reply: (value) => (typeof value === "boolean" ? "confirm" : "answers"),
  answer: () => "value",
  cancel: () => "re",
  followup: (value) => (isScalar(value) ? "message" : "context"),
  review: (value) =>
    typeof value === "number" || value === "accept" || value === "reject" ? "rating" : "feedback",
  suggestion: (value) => (isScalar(value) ? "type" : undefined),
  query: (value) => (isScalar(value) ? "type" : undefined),
  config: () => undefined,
  ack: (value) => (isScalar(value) ? "ref" : undefined),
};

const isScalar = (value: Json): boolean => value !== null && typeof value !== "object";

/** The payload as a map; undefined when it can be none. An empty field of a map is not given. */
function spread(type: MessageType, raw: Json): JsonMap | undefined {
  if (raw === null) return {};
  if (!isMap(raw)) {
    const field = SHORTHAND[type](raw);
    return field === undefined ? undefined : { [field]: raw };
  }
  const body = { ...raw };
  for (const field of Object.keys(PAYLOADS[type].shape))
    if (body[field] === null && field !== "value") delete body[field];
  return body;
}

/** Reads the payload that stands at `path`; `re` in a suggestion stays there, as it tells what is related. */
export function readBlock(type: MessageType, raw: Json, path: Path): Result<ReadBlock, Fault[]> {
  const body = spread(type, raw);
  if (!body)
    return fail([
      {
        code: "bad_shape",
        message: `${type} is no map`,
        hint: `Write the fields of ${type}.`,
        path,
      },
    ]);
  const long = checkLeafLengths(body, path);
  if (long) return fail([long]);
  // Who acts is known from who authenticated (decision 35).
  if (type === "status" || type === "response") {
    delete body.executor;
    delete body.from;
  }
  const read = PAYLOADS[type].safeParse(body);
  if (!read.success) return fail(faultsOf(read.error.issues, body, path));
  const block = { type, body: read.data } as Block;
  if (block.type === "status") settleStatus(block.body);
  const faults = RULES.filter(([of, broken]) => of === type && broken(block.body as never)).map(
    ([, , code, field, message, hint]): Fault => ({
      code,
      message,
      hint,
      path: field === "" ? path : [...path, field],
    }),
  );
  if (faults.length > 0) return fail(faults);
  if (type === "request" || type === "ack" || !("re" in block.body)) return ok({ block });
  const { re, ...rest } = block.body as { re?: string[] };
  if (type === "suggestion") return ok({ block, ...(re?.[0] ? { re: [re[0]] } : {}) });
  return ok({ block: { type, body: rest } as Block, ...(re ? { re } : {}) });
}

type Body<T extends MessageType> = Extract<Block, { type: T }>["body"];

/** `eta` by its shape (decision 39); a question asked as a mere message (decision 17). */
function settleStatus(body: Body<"status">): void {
  if (body.eta !== undefined && readDuration(body.eta) !== undefined) {
    body.estimate ??= body.eta;
    delete body.eta;
  }
  if (body.code === "needs_input" && !body.questions?.length && body.message?.trim()) {
    body.questions = [{ question: body.message, id: "q1", field: "q1" }];
  }
}

const given = (...values: unknown[]): boolean => values.some((value) => value !== undefined);

type Rule = readonly [
  type: MessageType,
  broken: (body: never) => boolean,
  code: ErrorCode,
  field: string,
  message: string,
  hint: string,
];

const rule = <T extends MessageType>(
  type: T,
  broken: (body: Body<T>) => boolean,
  code: ErrorCode,
  field: string,
  message: string,
  hint: string,
): Rule => [type, broken, code, field, message, hint];

/** What no single field can tell. */
const RULES: readonly Rule[] = [
  rule(
    "request",
    ({ id }) => id !== undefined && RESERVED_ACTORS.includes(id.toLowerCase()),
    "reserved_id",
    "id",
    "this id is kept for the exchange",
    `Choose another id than ${RESERVED_ACTORS.join(", ")}.`,
  ),
  rule(
    "status",
    ({ code, action }) => code === "needs_confirmation" && action === undefined,
    "missing_field",
    "action",
    "the action to be confirmed is missing",
    "Add action: what will be done once it is confirmed.",
  ),
  rule(
    "status",
    ({ code, questions }) => code === "needs_input" && !questions?.length,
    "missing_field",
    "questions",
    "the question is missing",
    "Add questions, or a message that asks.",
  ),
  rule(
    "status",
    // A message that asks becomes the question itself.
    ({ questions }) => (questions ?? []).some(({ question }) => question.length > LIMITS.intent),
    "bad_field",
    "message",
    `the question is longer than ${LIMITS.intent} characters`,
    `Give at most ${LIMITS.intent} characters, and the rest as a followup.`,
  ),
  rule(
    "status",
    ({ questions }) => new Set(questions?.map(({ id }) => id)).size < (questions?.length ?? 0),
    "bad_field",
    "questions",
    "two questions have the same id",
    "Give each question an id of its own.",
  ),
  rule(
    "status",
    ({ code, delegated_to }) => code === "delegated" && delegated_to === undefined,
    "missing_field",
    "delegated_to",
    "the new executor is missing",
    "Add delegated_to: who does it instead.",
  ),
  rule(
    "response",
    ({ content, notes }) => !content?.length && !notes?.trim(),
    "missing_field",
    "content",
    "the response is empty",
    "Add content: a text, or a list of texts, images and other entries.",
  ),
  rule(
    "reply",
    ({ answers, confirm, accept, context, reason }) =>
      !given(answers, confirm, accept, context, reason),
    "missing_field",
    "",
    "the reply says nothing",
    "Add answers, confirm, accept, reason or context.",
  ),
  rule(
    "reply",
    ({ answers }) => Array.isArray(answers),
    "bad_field",
    "answers",
    "answers is a list",
    "Write answers as a map from question to value, or as a single value.",
  ),
  rule(
    "followup",
    ({ message, context }) => !message?.trim() && !context?.length,
    "missing_field",
    "message",
    "the followup says nothing",
    "Add message or context.",
  ),
  rule(
    "review",
    ({ rating, feedback, request_redo }) => !given(rating, feedback, request_redo),
    "missing_field",
    "rating",
    "the review says nothing",
    "Add rating (1 to 5, accept or reject), feedback or request_redo.",
  ),
];
