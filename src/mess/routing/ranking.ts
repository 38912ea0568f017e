/** Ranks capable executors by routing rules (decisions 48 and 49). Rules never add an executor. */
import type { CapabilityClaim } from "./capabilities.ts";
import { listClaims } from "./capabilities.ts";
import { isMap, type Json } from "../json.ts";
import { getEffectivePriority } from "./priority.ts";
import type { Executor, Route, RouteRequest, RoutingConfig, RoutingRule } from "./routing.ts";
import { normalizeCapabilityId } from "../wire/schema.ts";

/** Equally preferred members, in the order in which a rule names them, else by id. */
interface Step {
  members: Executor[];
  reason?: string;
}

export interface Ranking {
  by: Exclude<Route["by"], "nobody">;
  steps: Step[];
  warnings: string[];
}

const SKILL_LEVELS: Readonly<Record<string, number>> = {
  loose: 1,
  novice: 1,
  basic: 1,
  low: 1,
  guided: 2,
  intermediate: 2,
  medium: 2,
  exact: 3,
  expert: 3,
  high: 3,
};

const readSkillLevel = (value: Json | undefined): number =>
  typeof value === "number"
    ? value
    : typeof value === "string"
      ? (SKILL_LEVELS[value.toLowerCase()] ?? 0)
      : 0;

/** Returns the highest `level` or `precision` that the executor declares for the required capabilities. */
function getSkillLevel(executor: Executor, required: readonly CapabilityClaim[]): number {
  const levels = listClaims(executor)
    .filter(({ id }) => required.length === 0 || required.some((one) => one.id === id))
    .map(({ metadata }) =>
      isMap(metadata)
        ? Math.max(readSkillLevel(metadata["level"]), readSkillLevel(metadata["precision"]))
        : readSkillLevel(metadata),
    );
  return Math.max(0, ...levels);
}

/** Strategies: each computes a score, and the executors with the highest score above 0 are preferred. */
const STRATEGIES: Readonly<
  Record<string, (executor: Executor, required: readonly CapabilityClaim[]) => number>
> = {
  lower_latency: ({ kind }) => (kind === "machine" ? 1 : 0),
  higher_precision: getSkillLevel,
};

/** Normalizes the name of a strategy (`Lower-Latency` to `lower_latency`); undefined for an unknown one. */
export function readStrategy(name: string): string | undefined {
  const plain = name
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, "_");
  return Object.hasOwn(STRATEGIES, plain) ? plain : undefined;
}

const PRIORITY_BY_URGENCY: Readonly<Record<string, string>> = {
  now: "urgent",
  soon: "elevated",
  whenever: "background",
};

/** True where all keys of the rule match; `urgency` may also be written as a priority (decision 41). */
function matchesRule(
  rule: RoutingRule,
  request: RouteRequest,
  required: readonly CapabilityClaim[],
): boolean {
  const { capability, urgency, precision } = rule.match;
  if (capability !== undefined) {
    const requiredId = normalizeCapabilityId(capability);
    if (!required.some(({ id }) => id === requiredId)) return false;
  }
  if (urgency !== undefined) {
    const urgencyName = urgency.toLowerCase();
    if ((PRIORITY_BY_URGENCY[urgencyName] ?? urgencyName) !== getEffectivePriority(request))
      return false;
  }
  return precision === undefined || precision.toLowerCase() === request.precision;
}

/** Lists the members that the matching rules prefer by name. */
export const listPreferred = (
  request: RouteRequest,
  required: readonly CapabilityClaim[],
  { rules }: RoutingConfig,
): string[] =>
  rules.flatMap((rule) =>
    typeof rule.prefer !== "string" && matchesRule(rule, request, required) ? rule.prefer : [],
  );

/** Ranks the `chosen` executors, sorted by id, into steps. The first rule that matches gives the first step. */
export function rankExecutors(
  request: RouteRequest,
  required: readonly CapabilityClaim[],
  chosen: readonly Executor[],
  config: RoutingConfig,
  byDefault: boolean,
): Ranking {
  const steps: Step[] = [];
  const warnings: string[] = [];
  let left = [...chosen];
  const promote = (members: Executor[], reason: string): void => {
    if (members.length === 0) return;
    steps.push({ members, reason });
    left = left.filter((executor) => !members.includes(executor));
  };
  const pickByIds = (ids: readonly string[]): Executor[] =>
    [...new Set(ids)].flatMap((id) => left.find((executor) => executor.id === id) ?? []);

  for (const [index, rule] of config.rules.entries()) {
    if (!matchesRule(rule, request, required)) continue;
    const reason = `preferred by routing rule ${index + 1}`;
    if (typeof rule.prefer !== "string") {
      promote(pickByIds(rule.prefer), reason);
      continue;
    }
    const strategy = readStrategy(rule.prefer);
    if (strategy === undefined) {
      warnings.push(`routing rule ${index + 1} prefers an unknown strategy, which is ignored`);
      continue;
    }
    const scores = new Map(left.map((one) => [one, STRATEGIES[strategy]!(one, required)]));
    const best = Math.max(0, ...scores.values());
    promote(
      left.filter((one) => best > 0 && scores.get(one) === best),
      `${reason} (${strategy})`,
    );
  }

  const hasSteps = steps.length > 0;
  promote(pickByIds(config.default ?? []), "named as default");
  const ordered = required.length === 0 && steps.length > 0;
  const by = byDefault ? "default" : hasSteps ? "rule" : ordered ? "default" : "capability";
  if (left.length > 0) steps.push({ members: left });
  return { by, steps, warnings };
}
