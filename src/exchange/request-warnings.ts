/** Warnings in the ack of a request: it is stored, but something in it is likely a mistake. */
import { defined } from "../mess/defined.ts";
import { readDuration } from "../mess/durations.ts";
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
  ...warnPastDeadline(request, zone, now),
  ...warnVersion(request, version),
  ...(route?.by === "nobody" ? [describeNobody(route)] : []),
];

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
