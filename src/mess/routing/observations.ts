/**
 * Coalescing: recognizes requests for an observation, and equal observations, so that executors are not asked to
 * observe the same thing twice (protocol §3.6).
 */
import { defined } from "../defined.ts";
import { readDuration } from "../durations.ts";
import { PRIORITIES, type Priority } from "../envelope.ts";
import type { Entry } from "../wire/content/entries.ts";
import { toCanonicalJson, isMap } from "../json.ts";
import { listReferences } from "../wire/content/context-references.ts";
import { isMedia } from "../wire/content/media.ts";
import { getEffectivePriority } from "./priority.ts";
import type { Request } from "../wire/schema.ts";
import { readTime } from "../times.ts";

/** Capabilities that only observe or measure. */
const OBSERVING_PATTERN = /^(?:take-photo|check-.+|visual-sensor|audio-sensor|measure-.+)$/;
/** Capabilities that give access to a place. */
const ACCESS_PATTERN = /-access$/;

/** The properties of an observation that decide whether one request may join another. */
export interface Observation {
  priority: Priority;
  /** When the request expires, in milliseconds since 1970 UTC. */
  deadline?: number;
  /** Seconds for which an answer is valid, if the request states it. */
  validity?: number;
}

/**
 * True for a request that only asks for an observation, unless it states `coalesce: false` or has conditions that
 * another request cannot share. `coalesce: true` makes any request an observation.
 */
function isObservation(request: Request): boolean {
  const required = (request.requires ?? []).map((one) =>
    typeof one === "string" ? one : (Object.keys(one)[0] ?? ""),
  );
  const requiresObserving = required.some((id) => OBSERVING_PATTERN.test(id));
  const requiresOnlyReading = required.every(
    (id) => OBSERVING_PATTERN.test(id) || ACCESS_PATTERN.test(id),
  );
  if (!(request.coalesce ?? (requiresObserving && requiresOnlyReading))) return false;
  const { confirm_before, compensation, constraints, context = [] } = request;
  const isBinding = confirm_before || compensation !== undefined || constraints?.depends_on?.length;
  // Two files with the same name may have different contents.
  // The meaning of a reference depends on its sender.
  return !isBinding && !context.some(isFileReference) && listReferences(context).length === 0;
}

const isFileReference = (entry: Entry): boolean =>
  typeof entry === "object" &&
  Object.entries(entry).some(([kind, value]) => isMedia(kind) && isMap(value) && "file" in value);

/** Reads the properties of an observation that decide about joining. */
export function readObservation(request: Request, now: number, zone: string): Observation {
  const { timing } = request.constraints ?? {};
  const deadlineText = request.needed_by ?? timing?.expires;
  const seconds = deadlineText === undefined ? undefined : readDuration(deadlineText);
  const deadline =
    deadlineText === undefined
      ? undefined
      : seconds === undefined
        ? readTime(deadlineText, zone)
        : now + seconds * 1_000;
  const validSeconds = readDuration(request.validity ?? timing?.valid_for ?? "");
  return {
    priority: getEffectivePriority(request),
    ...defined({ deadline, validity: validSeconds }),
  };
}

/**
 * Returns a text that is equal for equal observations; undefined for any other request. Ids, priority, deadlines,
 * letter case, punctuation and repeated spaces do not count. The context counts, so that a requestor that joins
 * a thread reads nothing in the request that it did not write itself.
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

/** Removes punctuation, except in a number: 5 is not -5. */
const normalizeText = (text: string): string =>
  text
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/(?:(?!-\d|(?<=\d)[.,:]\d)[\p{P}\p{Z}\p{C}])+/gu, " ")
    .trim();

/**
 * Decides whether the second of two equal observations may join the first: joining must not delay its answer.
 * @returns seconds for which an existing answer is valid for the second; undefined where it may not join
 */
export function getJoinableSeconds(first: Observation, second: Observation): number | undefined {
  const isLessUrgent = PRIORITIES.indexOf(first.priority) < PRIORITIES.indexOf(second.priority);
  const later =
    second.deadline !== undefined &&
    (first.deadline === undefined || first.deadline > second.deadline);
  if (isLessUrgent || later) return undefined;
  return second.validity ?? first.validity ?? 0;
}
