/**
 * Schemas of the message types. Every schema reads the accepted spellings (protocol §11) into the normal form and
 * keeps unknown fields.
 */
import * as z from "zod";
import { entriesSchema } from "./content/entries.ts";
import { PRIORITIES } from "../envelope.ts";
import {
  jsonSchema,
  limitItems,
  durationSchema,
  flagSchema,
  freeTextSchema,
  idSchema,
  lineSchema,
  listSchema,
  nameSchema,
  percentSchema,
  nonEmptyListSchema,
  statusCodeSchema,
  targetSchema,
  successorSchema,
  targetsSchema,
  timeSchema,
  timeOrDurationSchema,
  addIssue,
} from "./field-readers.ts";
import type { Json } from "../json.ts";
import { boundedTextSchema, buildTooLongHint } from "../lengths.ts";
import { LIMITS } from "../limits.ts";

/** Normalizes a capability id, such as `Vacuum_Floor` to `vacuum-floor` (decision 46). */
export const normalizeCapabilityId = (value: string): string =>
  value
    .trim()
    .toLowerCase()
    .replaceAll(/[\s_/]+/g, "-");

/** A capability, written `id` or `{id: metadata}` (decisions 46 and 47). */
export type Capability = string | { [id: string]: Json };

/** Checks the length of the id before normalizing it. */
const readCapabilityKey = (value: string, ctx: z.core.$RefinementCtx): string =>
  value.trim().length <= LIMITS.nameChars
    ? normalizeCapabilityId(value)
    : addIssue(ctx, "bad_field", "a capability is too long", buildTooLongHint(LIMITS.nameChars));

const capabilitySchema = z
  .union([nameSchema, z.record(boundedTextSchema(LIMITS.keyChars), jsonSchema)])
  .transform((value, ctx): Capability => {
    if (typeof value === "string") return normalizeCapabilityId(value);
    const { capability: namedId, ...otherFields } = value;
    if (typeof namedId === "string") {
      const key = readCapabilityKey(namedId, ctx);
      return Object.keys(otherFields).length > 0 ? { [key]: otherFields } : key;
    }
    const [pair, ...others] = Object.entries(value);
    if (!pair || others.length > 0)
      return addIssue(
        ctx,
        "bad_field",
        "not a valid capability",
        "Write vacuum-floor, or {vacuum-floor: {areas: [kitchen]}}.",
      );
    const [key, metadata] = pair;
    const id = readCapabilityKey(key, ctx);
    return metadata === null ? id : { [id]: metadata };
  });

export const capabilitiesSchema = limitItems(LIMITS.listItems, listSchema(capabilitySchema));

const timingSchema = z.looseObject({
  not_before: timeSchema.optional(),
  expires: timeOrDurationSchema.optional(),
  urgency: z.enum(["whenever", "soon", "now"]).optional(),
  valid_for: durationSchema.optional(),
});

const constraintsSchema = z.looseObject({
  location: jsonSchema.optional(),
  timing: timingSchema.optional(),
  environment: limitItems(LIMITS.listItems, listSchema(lineSchema)).optional(),
  depends_on: limitItems(LIMITS.targetsPerMessage, listSchema(targetSchema)).optional(),
  /** The consequence for this request when one it depends on fails (decision 42); the default is hold. */
  on_dependency_failure: z.enum(["hold", "cancel", "proceed"]).optional(),
});

const requestSchema = z.looseObject({
  intent: lineSchema,
  id: idSchema.optional(),
  precision: z.enum(["loose", "guided", "exact"]).optional(),
  requires: capabilitiesSchema.optional(),
  context: entriesSchema.optional(),
  constraints: constraintsSchema.optional(),
  response_hint: limitItems(LIMITS.listItems, listSchema(jsonSchema)).optional(),
  priority: z.enum(PRIORITIES).optional(),
  needed_by: timeSchema.optional(),
  confirm_before: flagSchema.optional(),
  compensation: jsonSchema.optional(),
  /** Whether it may join an open thread with an equal request; by default only observations may. */
  coalesce: flagSchema.optional(),
  /** How long an answer is valid for equal requests. */
  validity: durationSchema.optional(),
});

/** A question, with both spellings of its key (decision 17). */
const questionSchema = z
  .union([
    lineSchema.transform((text) => ({ question: text })),
    z.looseObject({ id: idSchema.optional(), field: idSchema.optional(), question: lineSchema }),
  ])
  .transform((value) => value as { id?: string; field?: string; question: string; options?: Json });

const questionsSchema = limitItems(LIMITS.listItems, listSchema(questionSchema)).transform(
  (items) =>
    items.map((one, index) => {
      const key = one.id ?? one.field ?? `q${index + 1}`;
      return { ...one, id: key, field: key };
    }),
);

const statusSchema = z.looseObject({
  re: targetsSchema.optional(),
  id: idSchema.optional(),
  code: statusCodeSchema,
  message: freeTextSchema.optional(),
  eta: timeOrDurationSchema.optional(),
  estimate: durationSchema.optional(),
  progress_pct: percentSchema.optional(),
  waiting_for: z
    .union([
      lineSchema.transform((condition) => ({ type: "condition", condition })),
      z.looseObject({ type: lineSchema }),
    ])
    .optional(),
  reason: jsonSchema.optional(),
  attempt: z.number().int().optional(),
  max_attempts: z.number().int().optional(),
  questions: questionsSchema.optional(),
  action: lineSchema.optional(),
  consequences: freeTextSchema.optional(),
  reversible: flagSchema.optional(),
  recoverable: flagSchema.optional(),
  delegated_to: successorSchema.optional(),
  superseded_by: targetSchema.optional(),
});

const responseSchema = z.looseObject({
  re: targetsSchema.optional(),
  id: idSchema.optional(),
  content: entriesSchema.optional(),
  completed_at: timeSchema.optional(),
  notes: freeTextSchema.optional(),
});

const replySchema = z.looseObject({
  re: targetsSchema.optional(),
  id: idSchema.optional(),
  answers: jsonSchema.optional(),
  confirm: flagSchema.optional(),
  accept: flagSchema.optional(),
  reason: freeTextSchema.optional(),
  context: entriesSchema.optional(),
});

const answerSchema = z.looseObject({
  re: targetsSchema.optional(),
  id: idSchema.optional(),
  value: jsonSchema,
});

const cancelSchema = z.looseObject({
  re: targetsSchema.optional(),
  reason: freeTextSchema.optional(),
});

const followupSchema = z.looseObject({
  re: targetsSchema.optional(),
  id: idSchema.optional(),
  message: freeTextSchema.optional(),
  context: entriesSchema.optional(),
});

const reviewSchema = z.looseObject({
  re: targetsSchema.optional(),
  id: idSchema.optional(),
  rating: z.union([z.number().int().min(1).max(5), z.enum(["accept", "reject"])]).optional(),
  feedback: freeTextSchema.optional(),
  request_redo: flagSchema.optional(),
});

const suggestionSchema = z.looseObject({
  re: targetsSchema.optional(),
  id: idSchema.optional(),
  type: z.enum(["merge", "split", "delegate", "alternative", "defer"]),
  proposed: jsonSchema.optional(),
  reason: freeTextSchema.optional(),
});

/** Refuses unknown fields: a query is not stored, so an unknown field could only be ignored silently. */
const refuseUnknownFields = <T extends z.ZodObject>(object: T): T =>
  object.superRefine((value, ctx) => {
    const valid = Object.keys(object.shape);
    for (const field of Object.keys(value).filter((one) => !valid.includes(one))) {
      const hint = `Use ${valid.join(", ")}.`;
      const params = { code: "bad_field", hint, valid } as const;
      ctx.addIssue({ code: "custom", path: [field], message: "unknown field", params });
    }
  });

const querySchema = refuseUnknownFields(
  z.looseObject({
    type: z.enum(["status", "capabilities", "executors"]),
    filter: refuseUnknownFields(
      z.looseObject({
        re: targetsSchema.optional(),
        status: nonEmptyListSchema(statusCodeSchema).optional(),
        executor: nameSchema.optional(),
        since: timeSchema.optional(),
        tags: nonEmptyListSchema(nameSchema).optional(),
        capability: nonEmptyListSchema(nameSchema).optional(),
        /** Available now: within its hours, not away, and below its capacity. */
        available: z.union([flagSchema, z.literal("now").transform(() => true)]).optional(),
        /** Only for threads: `next_cursor` of the previous page. */
        cursor: lineSchema.optional(),
      }),
    ).optional(),
  }),
).superRefine(({ type, filter }, ctx) => {
  if (filter?.cursor === undefined || type === "status") return;
  const params = {
    code: "bad_field",
    hint: `Leave cursor out: all ${type} are returned in one response.`,
  } as const;
  ctx.addIssue({
    code: "custom",
    path: ["filter", "cursor"],
    message: "this query has no pages",
    params,
  });
});

const configSchema = z.looseObject({});

const ackSchema = z.looseObject({
  re: targetSchema.optional(),
  ref: targetSchema.optional(),
  requests: z.array(z.looseObject({ id: idSchema.optional(), ref: targetSchema })).optional(),
  received_at: timeSchema.optional(),
});

/** The schema of each message type (protocol §1.2). */
export const PAYLOADS = {
  request: requestSchema,
  reply: replySchema,
  cancel: cancelSchema,
  query: querySchema,
  config: configSchema,
  ack: ackSchema,
  status: statusSchema,
  response: responseSchema,
  suggestion: suggestionSchema,
  answer: answerSchema,
  followup: followupSchema,
  review: reviewSchema,
} as const;

export type MessageType = keyof typeof PAYLOADS;
export const MESSAGE_TYPES = Object.keys(PAYLOADS) as MessageType[];

type PayloadBody<T extends MessageType> = z.output<(typeof PAYLOADS)[T]>;
export type Request = PayloadBody<"request">;
export type StatusUpdate = PayloadBody<"status">;
export type Query = PayloadBody<"query">;

/** One item of a `MESS:` list in the normal form. */
export type Block = { [T in MessageType]: { type: T; body: PayloadBody<T> } }[MessageType];

/** A block before it is checked: any accepted form of each field. */
export type BlockInput = {
  [T in MessageType]: { readonly type: T; readonly body: z.input<(typeof PAYLOADS)[T]> };
}[MessageType];

/** A message that a program builds, before it is checked. Every `Message` is one too. */
export interface MessageInput {
  readonly v?: string;
  readonly re?: string;
  readonly blocks: readonly BlockInput[];
}

/** The blocks of one document with the same target, which are appended to one thread as one message. */
export interface Message {
  /** The protocol version that the sender stated. */
  v?: string;
  /** The target as the sender wrote it; absent for a request, a query and a config. */
  re?: string;
  blocks: Block[];
}
