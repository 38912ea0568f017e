/** Query parameters and the `Idempotency-Key`, each checked before anything is touched. */
import * as z from "zod";
import { INBOX_GROUPS } from "../../exchange/list-inbox.ts";
import { type Outcome, refuse } from "../../mess/errors.ts";
import { boundedText } from "../../mess/lengths.ts";
import { LIMITS } from "../../mess/limits.ts";
import { MAX_FILE_NAME_CHARACTERS } from "../../mess/file-names.ts";
import { ok } from "../../mess/result.ts";
import { PARTITIONS, readStatus, STATUSES } from "../../mess/status.ts";
import { readTime } from "../../mess/times.ts";
import { conform } from "./request-body.ts";

/** What each schema makes of a query that is not there, as most are not. */
const withoutQuery = new WeakMap<z.ZodType, Outcome<unknown>>();

/** The query as the schema reads it, not to be changed; a parameter that is unknown or given twice is refused. */
export function readQuery<T>(request: Request, schema: z.ZodType<T>): Outcome<T> {
  const start = request.url.indexOf("?");
  if (start >= 0) return readParameters(request.url.slice(start), schema);
  const known = withoutQuery.get(schema) as Outcome<T> | undefined;
  const read = known ?? readParameters("", schema);
  withoutQuery.set(schema, read);
  return read;
}

function readParameters<T>(query: string, schema: z.ZodType<T>): Outcome<T> {
  const given: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const [name, value] of new URLSearchParams(query)) {
    if (name in given)
      return refuse("bad_parameter", "a query parameter is given twice", "Give each once.", {
        path: name.slice(0, 64),
      });
    given[name] = value;
  }
  return conform(schema, given, "bad_parameter");
}

const number = (least: number, most: number) =>
  boundedText(LIMITS.numberChars)
    .regex(/^\d{1,16}$/, "not a whole number")
    .transform(Number)
    .pipe(z.number().min(least).max(most))
    .meta({ type: "integer", minimum: least, maximum: most });

const short = boundedText(256).min(1);
/** A place in a list, as an earlier answer gave it. */
const listCursor = boundedText(1_024).min(1).exactOptional();

const time = boundedText(LIMITS.timeChars)
  .transform((text, ctx) => {
    const instant = readTime(text, "UTC");
    if (instant !== undefined) return instant;
    ctx.issues.push({ code: "custom", message: "not an ISO 8601 time", input: text });
    return z.NEVER;
  })
  .meta({ type: "string", format: "date-time" });

/** One or several statuses, parted by commas, in any spelling (decision 24). */
const statuses = boundedText(512)
  .transform((text, ctx) => {
    const read = text.split(",").map((part) => readStatus(part));
    if (read.every((status) => status !== undefined)) return read;
    ctx.issues.push({ code: "invalid_value", values: [...STATUSES], input: text });
    return z.NEVER;
  })
  .meta({ type: "string", description: `Comma-separated: ${STATUSES.join(", ")}.` });

const partition = z.preprocess(
  (text) => (text === "cancelled" ? "canceled" : text),
  z.enum(PARTITIONS),
);

export const listQuery = z.strictObject({
  state: partition.exactOptional(),
  status: statuses.exactOptional(),
  executor: short.exactOptional(),
  requestor: short.exactOptional(),
  since: time.exactOptional(),
  q: short.exactOptional(),
  limit: number(1, 200).default(50),
  cursor: listCursor,
  /** The caller's tasks, from the household itself: with `wait` and `since_cursor` only. */
  for: z.literal("me").exactOptional(),
  /** Seconds. */
  wait: number(0, 45).exactOptional(),
  since_cursor: number(0, Number.MAX_SAFE_INTEGER).exactOptional(),
});

/** A place in a thread or in the events, as an earlier answer gave it. */
const cursor = number(0, Number.MAX_SAFE_INTEGER).exactOptional();

/** Which household's thread of this ref is meant, for a page that has links to several. */
export const session = boundedText(12)
  .regex(/^[0-9a-f]{12}$/)
  .exactOptional();

export const threadQuery = z.strictObject({ cursor, session });
export const waitQuery = z.strictObject({ cursor, session, timeout: number(0, 45).default(30) });
export const eventsQuery = z.strictObject({ cursor, limit: number(1, 500).default(100) });
export const partQuery = z.strictObject({
  after: short.exactOptional(),
  limit: number(1, 1_000).exactOptional(),
});
export const uploadQuery = z.strictObject({
  name: boundedText(MAX_FILE_NAME_CHARACTERS).min(1).exactOptional(),
  /** Whether a photo that comes by a link keeps the place where it was taken. */
  keep_location: boundedText(LIMITS.wordChars).pipe(z.stringbool()).default(false),
  session,
});
/** A link's token where no header can carry it. */
export const linkQuery = z.strictObject({
  token: boundedText(LIMITS.tokenChars).exactOptional(),
  session,
});
/** The thread that is meant where the message does not say. */
export const sayQuery = z.strictObject({ ref: short.exactOptional(), session });
export const sessionQuery = z.strictObject({ session });
/** The thread that a page's session is for. */
export const pageQuery = z.strictObject({ ref: short, session });
export const liveQuery = z.strictObject({ ref: short, cursor, session });

/** Which household is meant, where the browser is signed in to several. */
export const householdQuery = z.strictObject({ session });
export const inboxQuery = z.strictObject({
  group: z.enum(INBOX_GROUPS).exactOptional(),
  q: short.exactOptional(),
  limit: number(1, 100).default(50),
  cursor: listCursor,
  session,
});

const KEY = /^[\x21-\x7e]{1,255}$/;

/** The call's `Idempotency-Key`; undefined when none was sent. */
export function readKey(request: Request): Outcome<string | undefined> {
  const key = request.headers.get("Idempotency-Key");
  if (key === null) return ok(undefined);
  return KEY.test(key)
    ? ok(key)
    : refuse(
        "bad_parameter",
        "the Idempotency-Key is not one",
        "Use 1 to 255 visible ASCII characters, such as a UUID.",
        { path: "Idempotency-Key" },
      );
}
