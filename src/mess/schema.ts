/**
 * What each message type may hold, and the one form in which it is written: every schema reads the accepted
 * spellings of protocol 1.0, 1.1 and MESSE-AF, and yields the normal form. Unknown fields are kept.
 */
import * as z from "zod";
import { entries } from "./entries.ts";
import { readDuration, writeDuration } from "./durations.ts";
import { PRIORITIES } from "./envelope.ts";
import type { ErrorCode } from "./errors.ts";
import type { Json } from "./json.ts";
import { LIMITS } from "./limits.ts";
import { isId, isTarget } from "./names.ts";
import { readStatus, STATUSES } from "./status.ts";
import { readTime } from "./times.ts";

/** Refuses a value with a code and a hint of its own; parse turns it into a MessError with its place. */
const wrong = (
  ctx: z.core.$RefinementCtx,
  code: ErrorCode,
  message: string,
  hint: string,
): never => {
  ctx.issues.push({ code: "custom", message, params: { code, hint }, input: ctx.value } as never);
  return z.NEVER;
};

const text = z.union([z.string(), z.number(), z.boolean()]).transform(String);
const line = text.pipe(z.string().trim().min(1).max(LIMITS.intent));
const anything = z.json() as unknown as z.ZodType<Json>;

/** A sender's own name for a thing (decision 5). */
const id = text.transform((value, ctx) =>
  isId(value)
    ? value
    : wrong(
        ctx,
        "bad_ref",
        "not an id",
        `Use 1 to ${LIMITS.name} letters, digits, dots, colons, dashes or underscores, a letter or digit first.`,
      ),
);

/** What `re` may point at: a thread ref, a message ref, a client id or `last` (decisions 4 and 5). */
const target = text.transform((value, ctx) =>
  isTarget(value)
    ? value
    : wrong(
        ctx,
        "bad_ref",
        "not a reference",
        "Give the ref from the ack, your own id of the request, or last.",
      ),
);

/** `re` in any form: one target or several (decision 2). */
export const targets = z.union([
  target.transform((one) => [one]),
  z.array(target).min(1).max(LIMITS.targets),
]);

const time = text.transform((value, ctx) =>
  readTime(value, "UTC") === undefined
    ? wrong(
        ctx,
        "bad_time",
        "not a time",
        "Write ISO 8601 with an offset, such as 2026-02-01T17:00:00-08:00.",
      )
    : value.trim(),
);

const duration = text.transform((value, ctx) => {
  const seconds = readDuration(value);
  return seconds === undefined
    ? wrong(ctx, "bad_duration", "not a duration", "Write it as 45m, 2h15m, 1d or PT2H15M.")
    : writeDuration(seconds);
});

const timeOrDuration = text.transform((value, ctx) => {
  const seconds = readDuration(value);
  if (seconds !== undefined) return writeDuration(seconds);
  return readTime(value, "UTC") === undefined
    ? wrong(
        ctx,
        "bad_time",
        "neither a time nor a duration",
        "Write 2h, PT2H or 2026-02-01T17:00:00-08:00.",
      )
    : value.trim();
});

/** YAML 1.1 habits: yes and no mean true and false where only those make sense. */
const flag = z.union([
  z.boolean(),
  z
    .string()
    .trim()
    .toLowerCase()
    .pipe(z.enum(["true", "yes", "false", "no"]))
    .transform((word) => word === "true" || word === "yes"),
]);

const percent = z
  .union([
    z.number(),
    z
      .string()
      .regex(/^\s*\d{1,3}(\.\d+)?\s*%?\s*$/)
      .transform(Number.parseFloat),
  ])
  .pipe(z.number().min(0).max(100));

const list = <T extends z.ZodType>(item: T) =>
  z.union([z.array(item), item.transform((one) => [one])]) as unknown as z.ZodType<z.output<T>[]>;

/** A list with a bound, so that a small text cannot become much work. */
const atMost = <T>(most: number, items: z.ZodType<T[]>) =>
  items.transform((found, ctx): T[] =>
    found.length <= most
      ? found
      : wrong(ctx, "too_large", `more than ${most} items`, `Give at most ${most}.`),
  );

/** `vacuum-floor` of `Vacuum_Floor` (decision 46). */
export const capabilityId = (value: string): string =>
  value
    .trim()
    .toLowerCase()
    .replaceAll(/[\s_/]+/g, "-");

/** A capability with what the sender says of it: written `id` or `{id: metadata}` (decisions 46 and 47). */
export type Capability = string | { [id: string]: Json };

const capability = z
  .union([line, z.record(z.string(), anything)])
  .transform((value, ctx): Capability => {
    if (typeof value === "string") return capabilityId(value);
    const { capability: named, ...rest } = value;
    if (typeof named === "string") {
      const key = capabilityId(named);
      return Object.keys(rest).length > 0 ? { [key]: rest } : key;
    }
    const [pair, ...others] = Object.entries(value);
    if (!pair || others.length > 0)
      return wrong(
        ctx,
        "bad_field",
        "not a capability",
        "Write vacuum-floor, or {vacuum-floor: {areas: [kitchen]}}.",
      );
    const [key, metadata] = pair;
    return metadata === null ? capabilityId(key) : { [capabilityId(key)]: metadata };
  });

export const capabilities = atMost(LIMITS.list, list(capability));

const timing = z.looseObject({
  not_before: time.optional(),
  expires: timeOrDuration.optional(),
  urgency: z.enum(["whenever", "soon", "now"]).optional(),
  valid_for: duration.optional(),
});

const constraints = z.looseObject({
  location: anything.optional(),
  timing: timing.optional(),
  environment: atMost(LIMITS.list, list(line)).optional(),
  depends_on: atMost(LIMITS.targets, list(target)).optional(),
  /** What becomes of this request when one it depends on fails (decision 42); hold when not given. */
  on_dependency_failure: z.enum(["hold", "cancel", "proceed"]).optional(),
});

const request = z.looseObject({
  intent: line,
  id: id.optional(),
  precision: z.enum(["loose", "guided", "exact"]).optional(),
  requires: capabilities.optional(),
  context: entries.optional(),
  constraints: constraints.optional(),
  response_hint: atMost(LIMITS.list, list(anything)).optional(),
  priority: z.enum(PRIORITIES).optional(),
  needed_by: time.optional(),
  confirm_before: flag.optional(),
  compensation: anything.optional(),
  /** Whether it may join an open thread that asks the same; observations do when not given. */
  coalesce: flag.optional(),
  /** How long an answer holds, for whoever asks the same again. */
  validity: duration.optional(),
});

/** A question with its key in both spellings (decision 17). */
const question = z
  .union([
    line.transform((asked) => ({ question: asked })),
    z.looseObject({ id: id.optional(), field: id.optional(), question: line }),
  ])
  .transform((value) => value as { id?: string; field?: string; question: string; options?: Json });

const questions = atMost(LIMITS.list, list(question)).transform((asked) =>
  asked.map((one, index) => {
    const key = one.id ?? one.field ?? `q${index + 1}`;
    return { ...one, id: key, field: key };
  }),
);

const statusCode = text.transform(
  (value, ctx) =>
    readStatus(value) ??
    wrong(ctx, "bad_field", "not a status", `Use one of ${STATUSES.join(", ")}.`),
);

const status = z.looseObject({
  re: targets.optional(),
  id: id.optional(),
  code: statusCode,
  message: text.optional(),
  eta: timeOrDuration.optional(),
  estimate: duration.optional(),
  progress_pct: percent.optional(),
  waiting_for: z
    .union([
      line.transform((condition) => ({ type: "condition", condition })),
      z.looseObject({ type: line }),
    ])
    .optional(),
  reason: anything.optional(),
  attempt: z.number().int().optional(),
  max_attempts: z.number().int().optional(),
  questions: questions.optional(),
  action: line.optional(),
  consequences: text.optional(),
  reversible: flag.optional(),
  recoverable: flag.optional(),
  delegated_to: target.optional(),
  superseded_by: target.optional(),
});

const response = z.looseObject({
  re: targets.optional(),
  id: id.optional(),
  content: entries.optional(),
  completed_at: time.optional(),
  notes: text.optional(),
});

const reply = z.looseObject({
  re: targets.optional(),
  id: id.optional(),
  answers: anything.optional(),
  confirm: flag.optional(),
  accept: flag.optional(),
  reason: text.optional(),
  context: entries.optional(),
});

const answer = z.looseObject({ re: targets.optional(), id: id.optional(), value: anything });

const cancel = z.looseObject({ re: targets.optional(), reason: text.optional() });

const followup = z.looseObject({
  re: targets.optional(),
  id: id.optional(),
  message: text.optional(),
  context: entries.optional(),
});

const review = z.looseObject({
  re: targets.optional(),
  id: id.optional(),
  rating: z.union([z.number().int().min(1).max(5), z.enum(["accept", "reject"])]).optional(),
  feedback: text.optional(),
  request_redo: flag.optional(),
});

const suggestion = z.looseObject({
  re: targets.optional(),
  id: id.optional(),
  type: z.enum(["merge", "split", "delegate", "alternative", "defer"]),
  proposed: anything.optional(),
  reason: text.optional(),
});

/** Refuses fields that it does not know: a query is kept nowhere, so they would only be overlooked. */
const strictly = <T extends z.ZodObject>(object: T): T =>
  object.superRefine((value, ctx) => {
    const valid = Object.keys(object.shape);
    for (const field of Object.keys(value).filter((one) => !valid.includes(one))) {
      const hint = `Use ${valid.join(", ")}.`;
      const params = { code: "bad_field", hint, valid } as const;
      ctx.addIssue({ code: "custom", path: [field], message: "not known here", params });
    }
  });

const some = <T extends z.ZodType>(item: T) =>
  atMost(LIMITS.list, list(item)).transform((found, ctx) =>
    found.length > 0 ? found : wrong(ctx, "bad_field", "empty", "Give one, or leave it out."),
  );

const query = strictly(
  z.looseObject({
    type: z.enum(["status", "capabilities", "executors"]),
    filter: strictly(
      z.looseObject({
        re: targets.optional(),
        status: some(statusCode).optional(),
        executor: line.optional(),
        since: time.optional(),
        tags: some(line).optional(),
        capability: some(line).optional(),
        /** Now: within its hours, not away, and with room for more. */
        available: z.union([flag, z.literal("now").transform(() => true)]).optional(),
        /** Of threads, where the page before ended. */
        cursor: line.optional(),
      }),
    ).optional(),
  }),
).superRefine(({ type, filter }, ctx) => {
  if (filter?.cursor === undefined || type === "status") return;
  const params = { code: "bad_field", hint: `Leave it out: ${type} are told at once.` } as const;
  ctx.addIssue({ code: "custom", path: ["filter", "cursor"], message: "no pages here", params });
});

const config = z.looseObject({});

const ack = z.looseObject({
  re: target.optional(),
  ref: target.optional(),
  requests: z.array(z.looseObject({ id: id.optional(), ref: target })).optional(),
  received_at: time.optional(),
});

/** The message types of protocol 1.0 §1.2, and those that MESSE-AF and the plan add. */
export const PAYLOADS = {
  request,
  reply,
  cancel,
  query,
  config,
  ack,
  status,
  response,
  suggestion,
  answer,
  followup,
  review,
} as const;

export type MessageType = keyof typeof PAYLOADS;
export const MESSAGE_TYPES = Object.keys(PAYLOADS) as MessageType[];

type Payload<T extends MessageType> = z.output<(typeof PAYLOADS)[T]>;
export type Request = Payload<"request">;
export type StatusUpdate = Payload<"status">;
export type Query = Payload<"query">;

/** One entry of a `MESS:` list in its normal form. */
export type Block = { [T in MessageType]: { type: T; body: Payload<T> } }[MessageType];

/** The blocks of one document that share a target: what is appended to one thread as one message. */
export interface Message {
  /** The protocol version that the sender stated. */
  v?: string;
  /** The target as the sender wrote it; absent for a request, a query and a config. */
  re?: string;
  blocks: Block[];
}
