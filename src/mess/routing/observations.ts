/**
 * The same look asked for twice: which requests ask for an observation only, and when one asks for the same as
 * another, so that nobody is sent to look again (coalescing).
 */
import { readDuration } from "../durations.ts";
import { PRIORITIES, type Priority } from "../envelope.ts";
import type { Entry } from "../wire/entries.ts";
import { toCanonicalJson, isMap } from "../json.ts";
import { isMedia } from "../wire/media.ts";
import { getEffectivePriority } from "./priority.ts";
import type { Request } from "../wire/schema.ts";
import { readTime } from "../times.ts";

/** Capabilities that look, listen or measure, and change nothing. */
const OBSERVING_PATTERN = /^(?:take-photo|check-.+|visual-sensor|audio-sensor|measure-.+)$/;
/** Where one must be able to go for it. */
const ACCESS_PATTERN = /-access$/;

/** What counts of a request that may be joined, or may join another that asks the same. */
export interface Observation {
  priority: Priority;
  /** When the request is stale, in milliseconds since 1970 UTC. */
  deadline?: number;
  /** Seconds for which an answer holds, where the request says so. */
  validity?: number;
}

/**
 * True for a request that asks for an observation and nothing else, unless it says `coalesce: false` or is bound to
 * conditions of its own. `coalesce: true` makes any request one.
 */
function isObservation(request: Request): boolean {
  const required = (request.requires ?? []).map((one) =>
    typeof one === "string" ? one : (Object.keys(one)[0] ?? ""),
  );
  const looks = required.some((id) => OBSERVING_PATTERN.test(id));
  const only = required.every((id) => OBSERVING_PATTERN.test(id) || ACCESS_PATTERN.test(id));
  if (!(request.coalesce ?? (looks && only))) return false;
  const { confirm_before, compensation, constraints, context = [] } = request;
  const bound = confirm_before || compensation !== undefined || constraints?.depends_on?.length;
  // Files of one name may differ.
  return !bound && !context.some(isFileReference);
}

const isFileReference = (entry: Entry): boolean =>
  typeof entry === "object" &&
  Object.entries(entry).some(([kind, value]) => isMedia(kind) && isMap(value) && "file" in value);

/** How an observation may be put together with another. */
export function readObservation(request: Request, now: number, zone: string): Observation {
  const { timing } = request.constraints ?? {};
  const bound = request.needed_by ?? timing?.expires;
  const seconds = bound === undefined ? undefined : readDuration(bound);
  const deadline =
    bound === undefined
      ? undefined
      : seconds === undefined
        ? readTime(bound, zone)
        : now + seconds * 1_000;
  const holds = readDuration(request.validity ?? timing?.valid_for ?? "");
  return {
    priority: getEffectivePriority(request),
    ...(deadline === undefined ? {} : { deadline }),
    ...(holds === undefined ? {} : { validity: holds }),
  };
}

/**
 * What an observation asks for, equal for those who ask the same; undefined for any other request. Everything counts
 * that is asked, whatever its name, its hurry and its spelling: words without case, punctuation and double
 * spaces. The context counts too, so that who joins learns nothing that it has not said itself.
 */
export function buildObservationText(request: Request): string | undefined {
  if (!isObservation(request)) return undefined;
  const {
    id: _id,
    priority: _priority,
    needed_by: _needed,
    coalesce: _coalesce,
    validity: _validity,
    intent,
    requires = [],
    constraints = {},
    ...otherFields
  } = request;
  const { timing = {}, ...bounds } = constraints;
  const { urgency: _urgency, expires: _expires, valid_for: _valid, ...times } = timing;
  const observed = {
    intent: normalizeText(intent),
    requires: requires.map((one) => toCanonicalJson(one)).toSorted(),
    ...(Object.keys(bounds).length > 0 ? { bounds } : {}),
    ...(Object.keys(times).length > 0 ? { times } : {}),
    ...otherFields,
  };
  return toCanonicalJson(observed);
}

/** Marks that belong to a number stay: 5 is not -5. */
const normalizeText = (text: string): string =>
  text
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/(?:(?!-\d|(?<=\d)[.,:]\d)[\p{P}\p{Z}\p{C}])+/gu, " ")
    .trim();

/**
 * Whether the second of two who ask the same may leave it to the first: it must not become slower, nor lose its deadline.
 * @returns seconds for which an answer that was given holds for the second, or undefined where it may not
 */
export function getJoinableSeconds(first: Observation, second: Observation): number | undefined {
  const slower = PRIORITIES.indexOf(first.priority) < PRIORITIES.indexOf(second.priority);
  const later =
    second.deadline !== undefined &&
    (first.deadline === undefined || first.deadline > second.deadline);
  if (slower || later) return undefined;
  return second.validity ?? first.validity ?? 0;
}
