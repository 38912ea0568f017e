/** Operations on routing: configuration, capabilities, hours, routes and dependencies. */
import { checkActorId } from "../../../src/mess/actors.ts";
import { isWindowOpen, readWindow } from "../../../src/mess/routing/availability.ts";
import {
  listClaims,
  readCapabilityClaim,
  getUnmetReason,
} from "../../../src/mess/routing/capabilities.ts";
import { readConfig } from "../../../src/mess/config/config.ts";
import { findCycle } from "../../../src/mess/routing/dependency-cycles.ts";
import type { Json, JsonMap } from "../../../src/mess/json.ts";
import { parseMessages } from "../../../src/mess/wire/parse.ts";
import { getEffectivePriority } from "../../../src/mess/routing/priority.ts";
import { type Executor, routeRequest as routeOf } from "../../../src/mess/routing/routing.ts";
import type { Capability, Request } from "../../../src/mess/wire/schema.ts";
import type { Call } from "../check.ts";
import { answer, toJson, toRefused } from "./result-json.ts";

/** Parses a request; throws if the case's request is invalid. */
function requestOf(value: Json): Request {
  const read = parseMessages(JSON.stringify({ request: value }));
  if (!read.ok) throw new Error(read.error.message);
  return read.value[0]!.blocks[0]!.body as Request;
}

/** Parses the configuration; warnings are counted, their wording is not compared. */
export const readConfigCase = ({ when }: Call): Json =>
  answer(readConfig(when as JsonMap), ({ warnings, ...change }) => ({
    ...change,
    warnings: warnings.length,
  }));

export function route({ given, when }: Call): Json {
  const { executors, routing, now, zone, requestor, load, away } = given;
  const read = readConfig({ executors: executors ?? {}, routing: routing ?? [] });
  if (!read.ok) return toRefused(read.error);
  const context = {
    now: Date.parse((now as string | undefined) ?? "2026-03-14T12:00:00Z"),
    zone: (zone as string | undefined) ?? "UTC",
    ...(typeof requestor === "string" ? { requestor } : {}),
    load: (load ?? {}) as Record<string, number>,
    away: Object.fromEntries(
      Object.entries((away ?? {}) as Record<string, string | null>).map(([id, until]) => [
        id,
        until === null ? null : Date.parse(until),
      ]),
    ),
  };
  const found = routeOf(
    requestOf(when),
    read.value.executors,
    read.value.routing ?? { rules: [] },
    context,
  );
  return {
    by: found.by,
    order: found.candidates.map(({ id }) => id),
    steps: groupByStep(found.candidates),
    later: groupByStep(found.later ?? []),
    leases: Object.fromEntries(found.candidates.map(({ id, lease }) => [id, lease])),
    requires: found.requires,
    passed_over: found.passed_over.map(({ id }) => id),
    explained: [
      ...found.candidates.map(({ reasons }) => reasons.join("")),
      ...found.passed_over.map(({ reason }) => reason),
    ].every((reason) => reason !== ""),
    warnings: found.warnings.length,
    rung_seconds: found.rung_seconds ?? null,
  };
}

function groupByStep(candidates: readonly { id: string; rung: number }[]): string[][] {
  const steps = [...new Set(candidates.map(({ rung }) => rung))];
  return steps.map((rung) => candidates.filter((one) => one.rung === rung).map(({ id }) => id));
}

/** Returns whether the capabilities of an executor meet all requirements. */
export function checkCapability({ given, when }: Call): Json {
  const claims = listClaims(given as unknown as Pick<Executor, "capabilities" | "access">);
  const asked = requestOf({ intent: "anything", requires: when }).requires ?? [];
  return (asked as Capability[]).every(
    (one) => getUnmetReason(readCapabilityClaim(one), claims) === undefined,
  );
}

export const getPriorityCase = ({ when }: Call): Json =>
  getEffectivePriority(requestOf({ intent: "anything", ...(when as JsonMap) }));

export const checkActorIdCase = ({ when }: Call): Json =>
  answer(checkActorId(when as string, "id"), (id) => id);

export const findCycleCase = ({ when }: Call): Json =>
  toJson(findCycle(new Map(Object.entries(when as Record<string, string[]>)))?.toSorted());

export function checkWindowOpen({ given, when }: Call): Json {
  const window = readWindow(given.window as string);
  return window === undefined
    ? null
    : isWindowOpen(window, Date.parse(when as string), (given.zone as string | undefined) ?? "UTC");
}
