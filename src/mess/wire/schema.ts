/**
 * What each message type may hold, and the one form in which it is written: every schema reads the accepted
 * spellings (protocol §11), and yields the normal form. Unknown fields are kept.
 */
import * as z from "zod";
import { entries } from "./entries.ts";
import { PRIORITIES } from "../envelope.ts";
import {
  anything,
  atMost,
  duration,
  flag,
  freeText,
  id,
  line,
  list,
  name,
  percent,
  some,
  statusCode,
  target,
  targets,
  time,
  timeOrDuration,
  wrong,
} from "./field-readers.ts";
import type { Json } from "../json.ts";
import { boundedText, tooLongHint } from "../lengths.ts";
import { LIMITS } from "../limits.ts";

/** `vacuum-floor` of `Vacuum_Floor` (decision 46). */
export const capabilityId = (value: string): string =>
  value
    .trim()
    .toLowerCase()
    .replaceAll(/[\s_/]+/g, "-");

/** A capability with what the sender says of it: written `id` or `{id: metadata}` (decisions 46 and 47). */
export type Capability = string | { [id: string]: Json };

/** The id as it was written, whose length is checked before it is normalized. */
const capabilityKey = (value: string, ctx: z.core.$RefinementCtx): string =>
  value.trim().length <= LIMITS.name
    ? capabilityId(value)
    : wrong(ctx, "bad_field", "a capability is too long", tooLongHint(LIMITS.name));

const capability = z
  .union([name, z.record(boundedText(LIMITS.keyChars), anything)])
  .transform((value, ctx): Capability => {
    if (typeof value === "string") return capabilityId(value);
    const { capability: named, ...rest } = value;
    if (typeof named === "string") {
      const key = capabilityKey(named, ctx);
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
    const id = capabilityKey(key, ctx);
    return metadata === null ? id : { [id]: metadata };
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

const status = z.looseObject({
  re: targets.optional(),
  id: id.optional(),
  code: statusCode,
  message: freeText.optional(),
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
  consequences: freeText.optional(),
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
  notes: freeText.optional(),
});

const reply = z.looseObject({
  re: targets.optional(),
  id: id.optional(),
  answers: anything.optional(),
  confirm: flag.optional(),
  accept: flag.optional(),
  reason: freeText.optional(),
  context: entries.optional(),
});

const answer = z.looseObject({ re: targets.optional(), id: id.optional(), value: anything });

const cancel = z.looseObject({ re: targets.optional(), reason: freeText.optional() });

const followup = z.looseObject({
  re: targets.optional(),
  id: id.optional(),
  message: freeText.optional(),
  context: entries.optional(),
});

const review = z.looseObject({
  re: targets.optional(),
  id: id.optional(),
  rating: z.union([z.number().int().min(1).max(5), z.enum(["accept", "reject"])]).optional(),
  feedback: freeText.optional(),
  request_redo: flag.optional(),
});

const suggestion = z.looseObject({
  re: targets.optional(),
  id: id.optional(),
  type: z.enum(["merge", "split", "delegate", "alternative", "defer"]),
  proposed: anything.optional(),
  reason: freeText.optional(),
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

const query = strictly(
  z.looseObject({
    type: z.enum(["status", "capabilities", "executors"]),
    filter: strictly(
      z.looseObject({
        re: targets.optional(),
        status: some(statusCode).optional(),
        executor: name.optional(),
        since: time.optional(),
        tags: some(name).optional(),
        capability: some(name).optional(),
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

/** The message types (protocol §1.2). */
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
