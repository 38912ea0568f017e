/** Selects and orders the candidates of a request, with the reasons (decisions 46–49). */
import {
  type CapabilityClaim,
  listClaims,
  readCapabilityClaim,
  getUnmetReason,
} from "./capabilities.ts";
import type { Priority } from "../envelope.ts";
import type { Json, JsonMap } from "../json.ts";
import { listUnavailabilityReasons, getQuietHoursNote } from "./unavailability.ts";
import { getStepSeconds } from "./escalation-timeouts.ts";
import { getLeaseSeconds } from "./leases.ts";
import { getEffectivePriority } from "./priority.ts";
import { listPreferred, rankExecutors } from "./ranking.ts";
import type { Capability, Request } from "../wire/schema.ts";

/** A member that can do tasks. A `machine` completes a thread with its response (decision 28) and has short leases. */
export interface Executor {
  id: string;
  name?: string;
  kind: "person" | "machine";
  capabilities: Capability[];
  /** Areas: `home/kitchen` counts as capability `home-kitchen-access` (decision 47). */
  access?: string[];
  availability?: "always" | "schedule" | "on_demand";
  /** Cron window or `08:00-22:00` (decision 44), in `time_zone`, else in the household's zone. */
  schedule?: string;
  time_zone?: string;
  /** Seconds without a message after which its claim lapses; overrides the default of its kind. */
  lease?: number;
  /** Maximum number of unfinished threads that it holds; at this number it is offered more only after all others. */
  capacity?: number;
  /** Requests below this priority are offered to others first. */
  min_priority?: Priority;
  /** `22:00-07:00`, in `time_zone`, else in the household's zone. Notices are delayed, except urgent ones. */
  quiet_hours?: string;
  /** Its contact addresses, as the owner wrote them. */
  notify?: Json;
  /** Unknown keys of its configuration. */
  extra?: JsonMap;
}

export interface RoutingRule {
  match: { capability?: string; urgency?: string; precision?: string };
  /** Member ids in order of preference, or the name of a strategy. */
  prefer: string[] | string;
}

export interface RoutingConfig {
  rules: RoutingRule[];
  /** Candidates where no executor is capable. */
  default?: string[];
  /** Seconds of an escalation step by priority, from `dispatch.ladder`; overrides the defaults. */
  ladder?: Partial<Record<Priority, number>>;
  /** Unknown keys. */
  extra?: JsonMap;
}

export interface Candidate {
  id: string;
  kind: "person" | "machine";
  /** Seconds without a message after which a claim lapses (decision 30). */
  lease: number;
}

export interface RankedCandidate extends Candidate {
  /** Escalation step, from 1, stored and returned as `rung`. Candidates of one step are equally preferred. */
  rung: number;
  reasons: string[];
}

/** The selected candidates with the reasons, stored with the thread and returned by `GET /mess/{ref}/route`. */
export interface Route {
  /** How the candidates were found. */
  by: "rule" | "capability" | "default" | "nobody";
  candidates: RankedCandidate[];
  passed_over: { id: string; reason: string }[];
  /** Unavailable executors, offered the thread after the candidates, on their own steps from 1. */
  later?: (Candidate & { rung: number })[];
  /** Required capabilities, normalized. */
  requires: string[];
  warnings: string[];
  /** Seconds of each step; routes stored by older versions lack it and use the default of the priority. */
  rung_seconds?: number;
}

export type RouteRequest = Pick<Request, "requires" | "precision" | "priority" | "constraints">;

export interface RouteContext {
  /** Milliseconds since 1970. */
  now: number;
  /** The household's zone, used for windows of executors without `time_zone`. */
  zone: string;
  /** The requestor, which is never a candidate for its own request. */
  requestor?: string;
  /** Number of unfinished threads that each member holds, by id. */
  load?: Readonly<Record<string, number>>;
  /** Members who are away, by id, with the instant (milliseconds) of their return; null where it is unknown. */
  away?: Readonly<Record<string, number | null>>;
}

export const toCandidate = (executor: Executor): Candidate => ({
  id: executor.id,
  kind: executor.kind,
  lease: executor.lease ?? getLeaseSeconds(executor.kind),
});

const listUnmetReasons = (executor: Executor, required: readonly CapabilityClaim[]): string[] => {
  const claims = listClaims(executor);
  return required
    .map((one) => getUnmetReason(one, claims))
    .filter((reason) => reason !== undefined);
};

const describeMatch = (required: readonly CapabilityClaim[]): string =>
  required.length > 0
    ? `has ${required.map(({ id }) => id).join(", ")}`
    : "the request requires no capability";

const toList = (text: string | undefined): string[] => (text === undefined ? [] : [text]);

const compareById = (a: { id: string }, b: { id: string }): number =>
  a.id < b.id ? -1 : a.id > b.id ? 1 : 0;

/**
 * Filters executors by capability, then ranks them by the rules (decision 48). Unavailable executors come after the
 * available ones. The result does not depend on the order of `executors`.
 */
export function routeRequest(
  request: RouteRequest,
  executors: readonly Executor[],
  config: RoutingConfig,
  context: RouteContext,
): Route {
  const required = (request.requires ?? []).map(readCapabilityClaim);
  const passed_over: Route["passed_over"] = [];
  const others = executors.toSorted(compareById).filter(({ id }) => {
    if (id === context.requestor) passed_over.push({ id, reason: "is the requestor" });
    return id !== context.requestor;
  });

  const unmetReasons = new Map(
    others.map((executor) => [executor.id, listUnmetReasons(executor, required)]),
  );
  const isCapable = ({ id }: Executor) => unmetReasons.get(id)?.length === 0;
  const capable = others.filter(isCapable);
  const byDefault = capable.length === 0;
  const fitting = byDefault ? others.filter(({ id }) => config.default?.includes(id)) : capable;

  const preferred = listPreferred(request, required, config);
  const unavailability = new Map(
    fitting.map((one) => [
      one,
      listUnavailabilityReasons(one, request, context, preferred.includes(one.id)),
    ]),
  );
  const getWeight = (one: Executor) =>
    Math.max(0, ...(unavailability.get(one) ?? []).map((each) => each.weight));
  const describeUnavailability = (one: Executor) =>
    (unavailability.get(one) ?? []).map(({ reason }) => reason).join("; ");
  const minWeight = Math.min(...fitting.map(getWeight));
  const chosen = fitting.filter((one) => getWeight(one) === minWeight);
  const weights = [...new Set(fitting.map(getWeight))].toSorted((a, b) => a - b);
  const later = fitting
    .filter((one) => !chosen.includes(one))
    .map((one) => ({ ...toCandidate(one), rung: weights.indexOf(getWeight(one)) }))
    .toSorted((a, b) => a.rung - b.rung);
  for (const executor of others) {
    if (chosen.includes(executor)) continue;
    const reason = fitting.includes(executor)
      ? describeUnavailability(executor)
      : (unmetReasons.get(executor.id) ?? []).join("; ");
    passed_over.push({ id: executor.id, reason });
  }

  const rank = rankExecutors(request, required, chosen, config, byDefault);
  const candidates = rank.steps.flatMap((step, index) =>
    step.members.map((executor) => ({
      ...toCandidate(executor),
      rung: index + 1,
      reasons: [
        byDefault
          ? `no executor is capable: ${unmetReasons.get(executor.id)?.join("; ")}`
          : describeMatch(required),
        ...(step.reason === undefined ? [] : [step.reason]),
        ...(minWeight === 0
          ? []
          : [`${describeUnavailability(executor)}, but no other executor is available`]),
        ...toList(getQuietHoursNote(executor, request, context)),
      ],
    })),
  );
  return {
    by: candidates.length === 0 ? "nobody" : rank.by,
    candidates,
    passed_over: passed_over.toSorted(compareById),
    ...(later.length > 0 ? { later } : {}),
    requires: required.map(({ id }) => id),
    warnings: rank.warnings,
    rung_seconds: getStepSeconds(getEffectivePriority(request), config.ladder),
  };
}

export type { Capability };
