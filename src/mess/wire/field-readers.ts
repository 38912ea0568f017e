/**
 * Schemas of single field values: ids, times, flags, lists. Each reads every accepted form into the normal form.
 * The schemas of whole blocks are in `schema.ts`.
 */
import * as z from "zod";
import { readDuration, writeDuration } from "../durations.ts";
import type { ErrorCode } from "../errors.ts";
import type { Json } from "../json.ts";
import { buildTooLongHint } from "../lengths.ts";
import { LIMITS } from "../limits.ts";
import { isId, isTarget } from "../names.ts";
import { readStatus, STATUSES } from "../status.ts";
import { readTime } from "../times.ts";

/** Refuses a value with a specific code and hint; the caller converts the issue to a MessError with its place. */
export const addIssue = (
  ctx: z.core.$RefinementCtx,
  code: ErrorCode,
  message: string,
  hint: string,
): never => {
  ctx.issues.push({ code: "custom", message, params: { code, hint }, input: ctx.value } as never);
  return z.NEVER;
};

/** A string of at most `maxChars` characters. A longer one is refused with `code` before any other check runs. */
const charsSchema = (maxChars: number, code: ErrorCode = "bad_field") =>
  z
    .string()
    .refine((value) => value.length <= maxChars, {
      abort: true,
      error: `longer than ${maxChars} characters`,
      params: { code, hint: buildTooLongHint(maxChars) },
    })
    .meta({ maxLength: maxChars });

/** Like `charsSchema`, but also accepts a text that YAML reads as a number or boolean. */
const textSchema = (maxChars: number, code?: ErrorCode) =>
  z.union([charsSchema(maxChars, code), z.number(), z.boolean()]).transform(String);

/** Free text. */
export const freeTextSchema = textSchema(LIMITS.freeTextChars, "too_large");

/** A non-empty text, trimmed. */
const trimmedSchema = (maxChars: number) =>
  z
    .union([z.string(), z.number(), z.boolean()])
    .transform((value) => String(value).trim())
    .pipe(charsSchema(maxChars).min(1));
export const lineSchema = trimmedSchema(LIMITS.intentChars);
export const nameSchema = trimmedSchema(LIMITS.nameChars);

/** Any JSON value. */
export const jsonSchema = z.json() as unknown as z.ZodType<Json>;

/** An id that a sender gives to a request, question or suggestion (decision 5). */
export const idSchema = textSchema(LIMITS.nameChars, "bad_ref").transform((value, ctx) =>
  isId(value)
    ? value
    : addIssue(
        ctx,
        "bad_ref",
        "not an id",
        `Use 1 to ${LIMITS.nameChars} letters, digits, dots, colons, dashes or underscores; begin with a letter or digit.`,
      ),
);

/** The target of `re`: a thread ref, a message ref, a client id or `last` (decisions 4 and 5). */
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

/** A member, a domain or a web address to which a thread is passed on (decision 34). */
export const successorSchema = textSchema(LIMITS.targetChars, "bad_ref").transform((value, ctx) =>
  isTarget(value) || (/^https?:\/\//i.test(value) && URL.canParse(value))
    ? value
    : addIssue(
        ctx,
        "bad_ref",
        "neither a member nor an address",
        "Give the id of a member, a domain, or a web address.",
      ),
);

/** `re` as one target or several (decision 2). */
export const targetsSchema = z.union([
  targetSchema.transform((one) => [one]),
  z.array(targetSchema).min(1).max(LIMITS.targetsPerMessage),
]);

/** A time, kept as the sender wrote it, since the time zone may be known only later. */
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

/** A duration, normalized to ISO 8601. */
export const durationSchema = textSchema(LIMITS.durationChars, "bad_duration").transform(
  (value, ctx) => {
    const seconds = readDuration(value);
    return seconds === undefined
      ? addIssue(ctx, "bad_duration", "not a duration", "Write it as 45m, 2h15m, 1d or PT2H15M.")
      : writeDuration(seconds);
  },
);

/** An end time, given as a time or as a duration from now. */
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

/** A boolean; also accepts yes and no, which YAML 1.1 reads as booleans. */
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

/** A list, or a single item without a list. */
export const listSchema = <T extends z.ZodType>(item: T) =>
  z.union([z.array(item), item.transform((one) => [one])]) as unknown as z.ZodType<z.output<T>[]>;

/** A list with a maximum length, so that a small text cannot cause much work. */
export const limitItems = <T>(maxItems: number, items: z.ZodType<T[]>) =>
  items.transform((found, ctx): T[] =>
    found.length <= maxItems
      ? found
      : addIssue(ctx, "too_large", `more than ${maxItems} items`, `Give at most ${maxItems}.`),
  );

/** A list of 1 to `LIMITS.listItems` items. */
export const nonEmptyListSchema = <T extends z.ZodType>(item: T) =>
  limitItems(LIMITS.listItems, listSchema(item)).transform((found, ctx) =>
    found.length > 0
      ? found
      : addIssue(ctx, "bad_field", "empty", "Give at least one item, or leave the field out."),
  );

/** A status in any accepted spelling (decision 24). */
export const statusCodeSchema = textSchema(LIMITS.statusChars).transform(
  (value, ctx) =>
    readStatus(value) ??
    addIssue(ctx, "bad_field", "not a status", `Use one of ${STATUSES.join(", ")}.`),
);
