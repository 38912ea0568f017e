/** Parses query parameters and the `Idempotency-Key`; every value is validated before the handler runs. */
import * as z from "zod";
import { INBOX_GROUPS } from "../../exchange/lists/list-inbox.ts";
import { type Outcome, refuse } from "../../mess/errors.ts";
import { boundedTextSchema } from "../../mess/lengths.ts";
import { LIMITS } from "../../mess/limits.ts";
import { MAX_FILE_NAME_CHARACTERS } from "../../mess/file-names.ts";
import { ok } from "../../mess/result.ts";
import { PARTITIONS, readStatus, STATUSES } from "../../mess/status.ts";
import { readTime } from "../../mess/times.ts";
import { parseWithSchema } from "./request-body.ts";

/** Caches each schema's result for an absent query, the common case. */
const emptyQueryResults = new WeakMap<z.ZodType, Outcome<unknown>>();

/** Parses the query with the schema. The result must not be changed. Refuses unknown and repeated parameters. */
export function readQuery<T>(request: Request, schema: z.ZodType<T>): Outcome<T> {
  const start = request.url.indexOf("?");
  if (start >= 0) return readParameters(request.url.slice(start), schema);
  const known = emptyQueryResults.get(schema) as Outcome<T> | undefined;
  const read = known ?? readParameters("", schema);
  emptyQueryResults.set(schema, read);
  return read;
}

function readParameters<T>(query: string, schema: z.ZodType<T>): Outcome<T> {
  const values: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const [name, value] of new URLSearchParams(query)) {
    if (name in values)
      return refuse(
        "bad_parameter",
        "a query parameter is given twice",
        "Send each parameter once.",
        {
          path: name.slice(0, 64),
        },
      );
    values[name] = value;
  }
  return parseWithSchema(schema, values, "bad_parameter");
}

export const numberSchema = (min: number, max: number) =>
  boundedTextSchema(LIMITS.numberChars)
    .regex(/^\d{1,16}$/, "not a whole number")
    .transform(Number)
    .pipe(z.number().min(min).max(max))
    .meta({ type: "integer", minimum: min, maximum: max });

/** `true` or `false`; false where it is absent. */
export const flagSchema = boundedTextSchema(LIMITS.wordChars).pipe(z.stringbool()).default(false);

export const shortTextSchema = boundedTextSchema(256).min(1);
/** A list position from an earlier response. */
export const listCursor = boundedTextSchema(1_024).min(1).exactOptional();

export const timeSchema = boundedTextSchema(LIMITS.timeChars)
  .transform((text, ctx) => {
    const instant = readTime(text, "UTC");
    if (instant !== undefined) return instant;
    ctx.issues.push({ code: "custom", message: "not an ISO 8601 time", input: text });
    return z.NEVER;
  })
  .meta({ type: "string", format: "date-time" });

/** One or several statuses, separated by commas, in any spelling (decision 24). */
export const statusesSchema = boundedTextSchema(512)
  .transform((text, ctx) => {
    const read = text.split(",").map((part) => readStatus(part));
    if (read.every((status) => status !== undefined)) return read;
    ctx.issues.push({ code: "invalid_value", values: [...STATUSES], input: text });
    return z.NEVER;
  })
  .meta({ type: "string", description: `Comma-separated: ${STATUSES.join(", ")}.` });

const partitionSchema = z.preprocess(
  (text) => (text === "cancelled" ? "canceled" : text),
  z.enum(PARTITIONS),
);

export const listQuerySchema = z.strictObject({
  state: partitionSchema.exactOptional(),
  status: statusesSchema.exactOptional(),
  executor: shortTextSchema.exactOptional(),
  requestor: shortTextSchema.exactOptional(),
  since: timeSchema.exactOptional(),
  q: shortTextSchema.exactOptional(),
  limit: numberSchema(1, 200).default(50),
  cursor: listCursor,
  /** The caller's tasks, read from the household; only with `wait` and `since_cursor`. */
  for: z.literal("me").exactOptional(),
  /** Seconds. */
  wait: numberSchema(0, 45).exactOptional(),
  since_cursor: numberSchema(0, Number.MAX_SAFE_INTEGER).exactOptional(),
});

/** A position in a thread or in the events, from an earlier response. */
export const cursorSchema = numberSchema(0, Number.MAX_SAFE_INTEGER).exactOptional();

/** The household of the thread, for a page with links to several households. */
export const sessionSchema = boundedTextSchema(12)
  .regex(/^[0-9a-f]{12}$/)
  .exactOptional();

export const threadQuerySchema = z.strictObject({
  cursor: cursorSchema,
  /** Messages of one page; without it, all of them. */
  limit: numberSchema(1, 1_000).exactOptional(),
  session: sessionSchema,
});
export const waitQuerySchema = z.strictObject({
  cursor: cursorSchema,
  session: sessionSchema,
  timeout: numberSchema(0, 45).default(30),
});
export const eventsQuerySchema = z.strictObject({
  cursor: cursorSchema,
  limit: numberSchema(1, 500).default(100),
});
export const rangeQuerySchema = z.strictObject({
  after: shortTextSchema.exactOptional(),
  limit: numberSchema(1, 1_000).exactOptional(),
});
export const uploadQuerySchema = z.strictObject({
  name: boundedTextSchema(MAX_FILE_NAME_CHARACTERS).min(1).exactOptional(),
  /** Whether a photo uploaded by a link keeps its location data. */
  keep_location: flagSchema,
  session: sessionSchema,
});
/** A link's token, for requests that cannot send a header. */
export const linkQuerySchema = z.strictObject({
  token: boundedTextSchema(LIMITS.tokenChars).exactOptional(),
  session: sessionSchema,
});
/** The target thread, if the message does not name it. */
export const postQuerySchema = z.strictObject({
  ref: shortTextSchema.exactOptional(),
  session: sessionSchema,
});
export const sessionQuerySchema = z.strictObject({ session: sessionSchema });
/** The thread of the page's session. */
export const pageQuerySchema = z.strictObject({ ref: shortTextSchema, session: sessionSchema });
export const liveQuerySchema = z.strictObject({
  ref: shortTextSchema,
  cursor: cursorSchema,
  session: sessionSchema,
});

/** The household, if the browser is signed in to several. */
export const householdQuerySchema = z.strictObject({ session: sessionSchema });
export const inboxQuerySchema = z.strictObject({
  group: z.enum(INBOX_GROUPS).exactOptional(),
  q: shortTextSchema.exactOptional(),
  limit: numberSchema(1, 100).default(50),
  cursor: listCursor,
  session: sessionSchema,
});

const KEY_PATTERN = /^[\x21-\x7e]{1,255}$/;

/** Reads the call's `Idempotency-Key`; undefined if the header is missing. */
export function readKey(request: Request): Outcome<string | undefined> {
  const key = request.headers.get("Idempotency-Key");
  if (key === null) return ok(undefined);
  return KEY_PATTERN.test(key)
    ? ok(key)
    : refuse(
        "bad_parameter",
        "the Idempotency-Key is not valid",
        "Use 1 to 255 visible ASCII characters, such as a UUID.",
        { path: "Idempotency-Key" },
      );
}
