/** Builds the requests that replace others: one merged from several, or the parts of a split one (protocol §7.5). */
import { toForeignEntries } from "../wire/content/content.ts";
import type { Entry } from "../wire/content/entries.ts";
import { PRIORITIES, type Envelope } from "../envelope.ts";
import { toCanonicalJson, type Json } from "../json.ts";
import type { Request } from "../wire/schema.ts";

/** A request with its thread. */
export interface RequestInThread {
  envelope: Pick<Envelope, "ref" | "priority" | "expires" | "blocked_by">;
  request: Request;
}

const PRECISIONS = ["loose", "guided", "exact"] as const;

/** Removes duplicates, ignoring the order of keys. */
const dedupe = <T>(values: readonly T[]): T[] => [
  ...new Map(values.map((value) => [toCanonicalJson(value), value])).values(),
];

const buildRefEntry = (ref: string): Entry => ({ ref });

/** Returns the value that all requests which state one agree on, else undefined. */
function findAgreedValue(values: readonly (Json | undefined)[]): Json | undefined {
  const statedValues = dedupe(values.filter((value) => value !== undefined));
  return statedValues.length === 1 ? statedValues[0] : undefined;
}

/** Returns an object to spread, without the key where the value is undefined or an empty list. */
const toOptionalField = <K extends string, V>(key: K, value: V | undefined): { [P in K]?: V } =>
  (value === undefined || (Array.isArray(value) && value.length === 0) ? {} : { [key]: value }) as {
    [P in K]?: V;
  };

/**
 * Merges requests into one: it has the requirements of all, the highest priority and the earliest deadline, and
 * refers to each original. A location is kept only where all requests that state one agree.
 */
export function mergeRequests(parts: readonly RequestInThread[], intent: string): Request {
  const requests = parts.map(({ request }) => request);
  const collectAll = <T>(pick: (request: Request) => readonly T[] | undefined): T[] =>
    dedupe(requests.flatMap((request) => pick(request) ?? []));
  const refs = parts.map(({ envelope }) => envelope.ref);
  const [deadline] = parts
    .flatMap(({ envelope }) => envelope.expires ?? [])
    .toSorted((a, b) => Date.parse(a) - Date.parse(b));
  const urgency = Math.max(...parts.map(({ envelope }) => PRIORITIES.indexOf(envelope.priority)));
  const precision = Math.max(
    ...requests.map((request) => PRECISIONS.indexOf(request.precision ?? "loose")),
  );
  const compensations = collectAll((request) =>
    request.compensation === undefined ? [] : [request.compensation],
  );
  const constraints = {
    ...toOptionalField(
      "location",
      findAgreedValue(requests.map((request) => request.constraints?.location)),
    ),
    ...toOptionalField(
      "environment",
      collectAll((request) => request.constraints?.environment),
    ),
    ...toOptionalField(
      "depends_on",
      dedupe(parts.flatMap(({ envelope }) => envelope.blocked_by ?? [])).filter(
        (ref) => !refs.includes(ref),
      ),
    ),
  };
  return {
    intent,
    priority: PRIORITIES[urgency] ?? "normal",
    ...(precision > 0 ? { precision: PRECISIONS[precision]! } : {}),
    ...toOptionalField(
      "requires",
      collectAll((request) => request.requires),
    ),
    context: parts.flatMap(({ envelope: { ref }, request }): Entry[] => [
      buildRefEntry(ref),
      request.intent,
      ...toForeignEntries(request.context ?? [], ref),
    ]),
    ...toOptionalField(
      "constraints",
      Object.keys(constraints).length > 0 ? constraints : undefined,
    ),
    ...toOptionalField(
      "response_hint",
      collectAll((request) => request.response_hint),
    ),
    ...toOptionalField("needed_by", deadline),
    ...(requests.some((request) => request.confirm_before) ? { confirm_before: true } : {}),
    ...toOptionalField("compensation", compensations.length > 1 ? compensations : compensations[0]),
  };
}

/**
 * Builds one part of a split request. It inherits what it does not state: priority, deadline, location, and whether
 * actions must be confirmed.
 */
export function buildPartRequest({ envelope, request }: RequestInThread, part: Request): Request {
  const { location } = request.constraints ?? {};
  const { timing, ...bounds } = part.constraints ?? {};
  const bounded = part.needed_by !== undefined || timing?.expires !== undefined;
  const isUrgent = part.priority !== undefined || timing?.urgency !== undefined;
  const constraints = {
    ...toOptionalField("location", location),
    ...bounds,
    ...toOptionalField("timing", timing),
  };
  return {
    ...part,
    ...(isUrgent ? {} : { priority: envelope.priority }),
    ...(bounded ? {} : toOptionalField("needed_by", envelope.expires)),
    ...(request.confirm_before ? { confirm_before: true } : {}),
    ...toOptionalField(
      "constraints",
      Object.keys(constraints).length > 0 ? constraints : undefined,
    ),
    context: [buildRefEntry(envelope.ref), ...(part.context ?? [])],
  };
}
