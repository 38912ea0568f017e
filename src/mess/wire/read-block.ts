/**
 * Reads one payload of a `MESS:` list: expands shorthand, validates fields by their schema, and checks rules over
 * several fields. Its targets are moved out of the body (decision 1).
 */
import { RESERVED_ACTORS } from "../actors.ts";
import { readDuration } from "../durations.ts";
import type { ErrorCode } from "../errors.ts";
import { type BodyError, toBodyErrors } from "./body-errors.ts";
import { isMap, type Json, type JsonMap } from "../json.ts";
import { checkLeafLengths } from "./leaf-lengths.ts";
import { LIMITS } from "../limits.ts";
import { fail, ok, type Result } from "../result.ts";
import { type Block, type MessageType, PAYLOADS } from "./schema.ts";
import type { Path } from "./syntax/source-document.ts";

export interface ReadBlock {
  block: Block;
  /** The targets that the payload names. */
  re?: string[];
}

/** The field that receives a payload that is not a map. */
const SHORTHAND_FIELD: Readonly<Record<MessageType, (value: Json) => string | undefined>> = {
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

/** Converts the payload to a map; undefined when that is impossible. Fields without a value are removed. */
function expandShorthand(type: MessageType, raw: Json): JsonMap | undefined {
  if (raw === null) return {};
  if (!isMap(raw)) {
    const field = SHORTHAND_FIELD[type](raw);
    return field === undefined ? undefined : { [field]: raw };
  }
  const body = { ...raw };
  for (const field of Object.keys(PAYLOADS[type].shape))
    if (body[field] === null && field !== "value") delete body[field];
  return body;
}

/** Reads the payload at `path`. A suggestion keeps its `re`, which names related threads. */
export function readBlock(
  type: MessageType,
  raw: Json,
  path: Path,
): Result<ReadBlock, BodyError[]> {
  const body = expandShorthand(type, raw);
  if (!body)
    return fail([
      {
        code: "bad_shape",
        message: `${type} is not a map`,
        hint: `Write the fields of ${type}.`,
        path,
      },
    ]);
  const long = checkLeafLengths(body, path);
  if (long) return fail([long]);
  // The acting member is the authenticated caller, never a field of the body (decision 35).
  if (type === "status" || type === "response") {
    delete body.executor;
    delete body.from;
  }
  const read = PAYLOADS[type].safeParse(body);
  if (!read.success) return fail(toBodyErrors(read.error.issues, body, path));
  const block = { type, body: read.data } as Block;
  if (block.type === "status") normalizeStatus(block.body);
  const errors = BLOCK_RULES.filter(
    ([of, broken]) => of === type && broken(block.body as never),
  ).map(([, , code, field, message, hint]): BodyError => ({
    code,
    message,
    hint,
    path: field === "" ? path : [...path, field],
  }));
  if (errors.length > 0) return fail(errors);
  if (type === "request" || type === "ack" || !("re" in block.body)) return ok({ block });
  const { re, ...otherFields } = block.body as { re?: string[] };
  if (type === "suggestion") return ok({ block, ...(re?.[0] ? { re: [re[0]] } : {}) });
  return ok({ block: { type, body: otherFields } as Block, ...(re ? { re } : {}) });
}

type BlockBody<T extends MessageType> = Extract<Block, { type: T }>["body"];

/** Reads `eta` as time or duration (decision 39), and the question from `message` where none is given (decision 17). */
function normalizeStatus(body: BlockBody<"status">): void {
  if (body.eta !== undefined && readDuration(body.eta) !== undefined) {
    body.estimate ??= body.eta;
    delete body.eta;
  }
  if (body.code === "needs_input" && !body.questions?.length && body.message?.trim()) {
    body.questions = [{ question: body.message, id: "q1", field: "q1" }];
  }
}

const isAnyGiven = (...values: unknown[]): boolean => values.some((value) => value !== undefined);

type BlockRule = readonly [
  type: MessageType,
  broken: (body: never) => boolean,
  code: ErrorCode,
  field: string,
  message: string,
  hint: string,
];

const defineRule = <T extends MessageType>(
  type: T,
  broken: (body: BlockBody<T>) => boolean,
  code: ErrorCode,
  field: string,
  message: string,
  hint: string,
): BlockRule => [type, broken, code, field, message, hint];

/** Rules over several fields. */
const BLOCK_RULES: readonly BlockRule[] = [
  defineRule(
    "request",
    ({ id }) => id !== undefined && RESERVED_ACTORS.includes(id.toLowerCase()),
    "reserved_id",
    "id",
    "this id is reserved for the exchange",
    `Use an id other than ${RESERVED_ACTORS.join(", ")}.`,
  ),
  defineRule(
    "status",
    ({ code, action }) => code === "needs_confirmation" && action === undefined,
    "missing_field",
    "action",
    "the action to confirm is missing",
    "Add action: a text that says what will be done after the confirmation.",
  ),
  defineRule(
    "status",
    ({ code, questions }) => code === "needs_input" && !questions?.length,
    "missing_field",
    "questions",
    "the question is missing",
    "Add questions, or write the question in message.",
  ),
  defineRule(
    "status",
    // A message without questions becomes the question.
    ({ questions }) =>
      (questions ?? []).some(({ question }) => question.length > LIMITS.intentChars),
    "bad_field",
    "message",
    `the question is longer than ${LIMITS.intentChars} characters`,
    `Give at most ${LIMITS.intentChars} characters, and send the rest as a followup.`,
  ),
  defineRule(
    "status",
    ({ questions }) => new Set(questions?.map(({ id }) => id)).size < (questions?.length ?? 0),
    "bad_field",
    "questions",
    "two questions have the same id",
    "Give each question a different id.",
  ),
  defineRule(
    "status",
    ({ code, delegated_to }) => code === "delegated" && delegated_to === undefined,
    "missing_field",
    "delegated_to",
    "the new executor is missing",
    "Add delegated_to with the id of the member who takes over.",
  ),
  defineRule(
    "response",
    ({ content, notes }) => !content?.length && !notes?.trim(),
    "missing_field",
    "content",
    "the response is empty",
    "Add content: a text, or a list of texts, images and other entries.",
  ),
  defineRule(
    "reply",
    ({ answers, confirm, accept, context, reason }) =>
      !isAnyGiven(answers, confirm, accept, context, reason),
    "missing_field",
    "",
    "the reply is empty",
    "Add answers, confirm, accept, reason or context.",
  ),
  defineRule(
    "reply",
    ({ answers }) => Array.isArray(answers),
    "bad_field",
    "answers",
    "answers is a list",
    "Write answers as a map from question to value, or as a single value.",
  ),
  defineRule(
    "followup",
    ({ message, context }) => !message?.trim() && !context?.length,
    "missing_field",
    "message",
    "the followup is empty",
    "Add message or context.",
  ),
  defineRule(
    "review",
    ({ rating, feedback, request_redo }) => !isAnyGiven(rating, feedback, request_redo),
    "missing_field",
    "rating",
    "the review is empty",
    "Add rating (1 to 5, accept or reject), feedback or request_redo.",
  ),
];
