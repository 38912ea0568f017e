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
export const wrong = (
  ctx: z.core.$RefinementCtx,
  code: ErrorCode,
  message: string,
  hint: string,
): never => {
  ctx.issues.push({ code: "custom", message, params: { code, hint }, input: ctx.value } as never);
  return z.NEVER;
};

/** A string of at most `most` characters. A longer one is refused with `code` before anything else looks at it. */
const chars = (most: number, code: ErrorCode = "bad_field") =>
  z
    .string()
    .refine((value) => value.length <= most, {
      abort: true,
      error: `longer than ${most} characters`,
      params: { code, hint: tooLongHint(most) },
    })
    .meta({ maxLength: most });

/** The same, also where YAML reads a number or a flag. */
const text = (most: number, code?: ErrorCode) =>
  z.union([chars(most, code), z.number(), z.boolean()]).transform(String);

/** Words of any kind. */
export const freeText = text(LIMITS.freeTextChars, "too_large");

/** A text with something in it; white space around it does not count. */
const trimmed = (most: number) =>
  z
    .union([z.string(), z.number(), z.boolean()])
    .transform((value) => String(value).trim())
    .pipe(chars(most).min(1));
export const line = trimmed(LIMITS.intent);
export const name = trimmed(LIMITS.name);

/** Any JSON. */
export const anything = z.json() as unknown as z.ZodType<Json>;

/** A sender's own name for a thing (decision 5). */
export const id = text(LIMITS.name, "bad_ref").transform((value, ctx) =>
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
export const target = text(LIMITS.targetChars, "bad_ref").transform((value, ctx) =>
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

/** A moment, kept as it was written: whose clock it goes by may be known only later. */
export const time = text(LIMITS.timeChars, "bad_time").transform((value, ctx) =>
  readTime(value, "UTC") === undefined
    ? wrong(
        ctx,
        "bad_time",
        "not a time",
        "Write ISO 8601 with an offset, such as 2026-02-01T17:00:00-08:00.",
      )
    : value.trim(),
);

/** A length of time, written as ISO 8601 has it. */
export const duration = text(LIMITS.durationChars, "bad_duration").transform((value, ctx) => {
  const seconds = readDuration(value);
  return seconds === undefined
    ? wrong(ctx, "bad_duration", "not a duration", "Write it as 45m, 2h15m, 1d or PT2H15M.")
    : writeDuration(seconds);
});

/** Until when: a moment, or how long from now. */
export const timeOrDuration = text(LIMITS.timeChars, "bad_time").transform((value, ctx) => {
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
export const flag = z.union([
  z.boolean(),
  chars(LIMITS.wordChars)
    .trim()
    .toLowerCase()
    .pipe(z.enum(["true", "yes", "false", "no"]))
    .transform((word) => word === "true" || word === "yes"),
]);

/** `40`, `"40"` or `40%`. */
export const percent = z
  .union([
    z.number(),
    chars(LIMITS.numberChars)
      .regex(/^\s*\d{1,3}(\.\d+)?\s*(?:%\s*)?$/)
      .transform(Number.parseFloat),
  ])
  .pipe(z.number().min(0).max(100));

/** Several, or one that stands alone. */
export const list = <T extends z.ZodType>(item: T) =>
  z.union([z.array(item), item.transform((one) => [one])]) as unknown as z.ZodType<z.output<T>[]>;

/** A list with a bound, so that a small text cannot become much work. */
export const atMost = <T>(most: number, items: z.ZodType<T[]>) =>
  items.transform((found, ctx): T[] =>
    found.length <= most
      ? found
      : wrong(ctx, "too_large", `more than ${most} items`, `Give at most ${most}.`),
  );

/** At least one, and no more than a list may have. */
export const some = <T extends z.ZodType>(item: T) =>
  atMost(LIMITS.list, list(item)).transform((found, ctx) =>
    found.length > 0 ? found : wrong(ctx, "bad_field", "empty", "Give one, or leave it out."),
  );

/** A status in any accepted spelling (decision 24). */
export const statusCode = text(LIMITS.statusChars).transform(
  (value, ctx) =>
    readStatus(value) ??
    wrong(ctx, "bad_field", "not a status", `Use one of ${STATUSES.join(", ")}.`),
);
