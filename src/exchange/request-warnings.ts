/** Warnings in the ack of a request: it is stored, but something in it is likely a mistake. */
import { defined } from "../mess/defined.ts";
import { readDuration } from "../mess/durations.ts";
import { isMap, type Json } from "../mess/json.ts";
import { findNearest } from "../mess/nearest-word.ts";
import type { Route } from "../mess/routing/routing.ts";
import { readTime } from "../mess/times.ts";
import { warnUnknownFields } from "../mess/unknown-fields.ts";
import { PAYLOADS, type Request } from "../mess/wire/schema.ts";
import { raiseVersion } from "../mess/wire/versions.ts";

const REQUEST_FIELDS = Object.keys(PAYLOADS.request.shape);
/** Executors that cannot do it, that one warning lists. */
const MAX_LISTED = 6;

/**
 * @param version of the protocol, as the sender stated it
 * @param route absent where it does not matter, since the request joins another
 * @param now milliseconds since 1970 UTC
 */
export const listRequestWarnings = (
  request: Request,
  version: string | undefined,
  route: Route | undefined,
  zone: string,
  now: number,
): string[] => [
  ...warnUnknownFields(Object.keys(request), REQUEST_FIELDS, "a request", "kept for the executor"),
  ...(request.response_hint ?? []).flatMap(warnHint),
  ...warnPastDeadline(request, zone, now),
  ...warnVersion(request, version),
  ...(route?.by === "nobody" ? [describeNobody(route)] : []),
];

/** The words from which the response page builds its form (protocol §3.2). */
const HINT_WORDS =
  "text image audio video file location confirmation draft structured json form schema json_schema choice select option enum choices multiple boolean bool yes_no number integer float count rating stars date time datetime date_time email url uri photo array list object string".split(
    " ",
  );

/** A hint may be a sentence, or a map of several fields, of which nothing is known. */
function warnHint(hint: Json): string[] {
  const [entry, ...others] = isMap(hint) ? Object.entries(hint) : [];
  const [key, details] = entry ?? [hint, undefined];
  if (typeof key !== "string" || others.length > 0 || !/^\w{1,40}$/.test(key)) return [];
  const word = key.toLowerCase();
  const near = HINT_WORDS.includes(word) ? word : findNearest(word, HINT_WORDS);
  if (near !== word && (near !== undefined || !isMap(hint)))
    return [
      `response_hint: ${key} is not a known hint${near === undefined ? "" : `; did you mean ${near}?`}`,
    ];
  const { min, max } = isMap(details) ? details : {};
  return typeof min === "number" && typeof max === "number" && min > max
    ? [`response_hint: the min of ${key} is above its max, so no value is valid`]
    : [];
}

function warnVersion(body: Request, version: string | undefined): string[] {
  const { warning } = raiseVersion({
    ...defined({ v: version }),
    blocks: [{ type: "request", body }],
  });
  return warning === undefined ? [] : [warning];
}

function warnPastDeadline(request: Request, zone: string, now: number): string[] {
  const field = request.needed_by === undefined ? "constraints.timing.expires" : "needed_by";
  const text = request.needed_by ?? request.constraints?.timing?.expires;
  if (text === undefined || readDuration(text) !== undefined) return [];
  const at = readTime(text, zone);
  return at !== undefined && at <= now
    ? [`${field} lies in the past, so the request expires at once`]
    : [];
}

const describeNobody = ({ passed_over }: Route): string =>
  passed_over.length === 0
    ? "nobody can be asked: an owner must add an executor; the request stays open"
    : `nobody here can do it: ${passed_over
        .slice(0, MAX_LISTED)
        .map(({ id, reason }) => `${id} ${reason}`)
        .join(", ")}; the request stays open`;
