/**
 * One value of a message at a time, read from every spelling that is accepted into the one in which it is written:
 * names, times, flags, lists. What a message is made of is in `schema.ts`.
 */
import * as z from "zod";
import { readDuration, writeDuration } from "../durations.ts";
import type { ErrorCode } from "../errors.ts";
import type { Json } from "../json.ts";
import { tooLongHint } from "../lengths.ts";
import { LIMITS } from "../limits.ts";
import { isId, isTarget } from "../names.ts";
import { readStatus, STATUSES } from "../status.ts";
import { readTime } from "../times.ts";

/** Refuses a value with a code and a hint of its own; parse turns it into a MessError with its place. */
export const addIssue = (
  ctx: z.core.$RefinementCtx,
  code: ErrorCode,
  message: string,
  hint: string,
): never => {
  ctx.issues.push({ code: "custom", message, params: { code, hint }, input: ctx.value } as never);
  return z.NEVER;
};

/** A string of at most `maxChars` characters. A longer one is refused with `code` before anything else looks at it. */
const charsSchema = (maxChars: number, code: ErrorCode = "bad_field") =>
  z
    .string()
    .refine((value) => value.length <= maxChars, {
      abort: true,
      error: `longer than ${maxChars} characters`,
      params: { code, hint: tooLongHint(maxChars) },
    })
    .meta({ maxLength: maxChars });

/** The same, also where YAML reads a number or a flag. */
const textSchema = (maxChars: number, code?: ErrorCode) =>
  z.union([charsSchema(maxChars, code), z.number(), z.boolean()]).transform(String);

/** Words of any kind. */
export const freeTextSchema = textSchema(LIMITS.freeTextChars, "too_large");

/** A text with something in it; white space around it does not count. */
const trimmedSchema = (maxChars: number) =>
  z
    .union([z.string(), z.number(), z.boolean()])
    .transform((value) => String(value).trim())
    .pipe(charsSchema(maxChars).min(1));
export const lineSchema = trimmedSchema(LIMITS.intentChars);
export const nameSchema = trimmedSchema(LIMITS.nameChars);

/** Any JSON. */
export const jsonSchema = z.json() as unknown as z.ZodType<Json>;

/** A sender's own name for a thing (decision 5). */
export const idSchema = textSchema(LIMITS.nameChars, "bad_ref").transform((value, ctx) =>
  isId(value)
    ? value
    : addIssue(
        ctx,
        "bad_ref",
        "not an id",
        `Use 1 to ${LIMITS.nameChars} letters, digits, dots, colons, dashes or underscores, a letter or digit first.`,
      ),
);

/** What `re` may point at: a thread ref, a message ref, a client id or `last` (decisions 4 and 5). */
export const targetSchema = textSchema(LIMITS.targetChars, "bad_ref").transform((value, ctx) =>
  isTarget(value)
    ? value
    : addIssue(
        ctx,
        "bad_ref",
        "not a reference",
        "Give the ref from the ack, your own id of the request, or last.",
      ),
);

/** `re` in any form: one target or several (decision 2). */
export const targetsSchema = z.union([
  targetSchema.transform((one) => [one]),
  z.array(targetSchema).min(1).max(LIMITS.targetsPerMessage),
]);

/** A moment, kept as it was written: whose clock it goes by may be known only later. */
export const timeSchema = textSchema(LIMITS.timeChars, "bad_time").transform((value, ctx) =>
  readTime(value, "UTC") === undefined
    ? addIssue(
        ctx,
        "bad_time",
        "not a time",
        "Write ISO 8601 with an offset, such as 2026-02-01T17:00:00-08:00.",
      )
    : value.trim(),
);

/** A length of time, written as ISO 8601 has it. */
export const durationSchema = textSchema(LIMITS.durationChars, "bad_duration").transform(
  (value, ctx) => {
    const seconds = readDuration(value);
    return seconds === undefined
      ? addIssue(ctx, "bad_duration", "not a duration", "Write it as 45m, 2h15m, 1d or PT2H15M.")
      : writeDuration(seconds);
  },
);

/** Until when: a moment, or how long from now. */
export const timeOrDurationSchema = textSchema(LIMITS.timeChars, "bad_time").transform(
  (value, ctx) => {
    const seconds = readDuration(value);
    if (seconds !== undefined) return writeDuration(seconds);
    return readTime(value, "UTC") === undefined
      ? addIssue(
          ctx,
          "bad_time",
          "neither a time nor a duration",
          "Write 2h, PT2H or 2026-02-01T17:00:00-08:00.",
        )
      : value.trim();
  },
);

/** YAML 1.1 habits: yes and no mean true and false where only those make sense. */
export const flagSchema = z.union([
  z.boolean(),
  charsSchema(LIMITS.wordChars)
    .trim()
    .toLowerCase()
    .pipe(z.enum(["true", "yes", "false", "no"]))
    .transform((word) => word === "true" || word === "yes"),
]);

/** `40`, `"40"` or `40%`. */
export const percentSchema = z
  .union([
    z.number(),
    charsSchema(LIMITS.numberChars)
      .regex(/^\s*\d{1,3}(\.\d+)?\s*(?:%\s*)?$/)
      .transform(Number.parseFloat),
  ])
  .pipe(z.number().min(0).max(100));

/** Several, or one that stands alone. */
export const listOf = <T extends z.ZodType>(item: T) =>
  z.union([z.array(item), item.transform((one) => [one])]) as unknown as z.ZodType<z.output<T>[]>;

/** A list with a bound, so that a small text cannot become much work. */
export const limitItems = <T>(maxItems: number, items: z.ZodType<T[]>) =>
  items.transform((found, ctx): T[] =>
    found.length <= maxItems
      ? found
      : addIssue(ctx, "too_large", `more than ${maxItems} items`, `Give at most ${maxItems}.`),
  );

/** At least one, and no more than a list may have. */
export const nonEmptyListOf = <T extends z.ZodType>(item: T) =>
  limitItems(LIMITS.listItems, listOf(item)).transform((found, ctx) =>
    found.length > 0 ? found : addIssue(ctx, "bad_field", "empty", "Give one, or leave it out."),
  );

/** A status in any accepted spelling (decision 24). */
export const statusCodeSchema = textSchema(LIMITS.statusChars).transform(
  (value, ctx) =>
    readStatus(value) ??
    addIssue(ctx, "bad_field", "not a status", `Use one of ${STATUSES.join(", ")}.`),
);
