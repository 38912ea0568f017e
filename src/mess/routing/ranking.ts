/** How routing rules rank those who are capable (decisions 48 and 49). They never add anyone. */
import type { Claim } from "./capabilities.ts";
import { claimsOf } from "./capabilities.ts";
import { isMap, type Json } from "../json.ts";
import { effectivePriority } from "./priority.ts";
import type { Executor, Route, RouteRequest, RoutingConfig, RoutingRule } from "./routing.ts";
import { capabilityId } from "../wire/schema.ts";

/** Members that are equally preferred, in the order in which they are named, else by id. */
interface Rung {
  members: Executor[];
  reason?: string;
}

export interface Ranking {
  by: Exclude<Route["by"], "nobody">;
  rungs: Rung[];
  warnings: string[];
}

const SKILL: Readonly<Record<string, number>> = {
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

const skillIn = (value: Json | undefined): number =>
  typeof value === "number"
    ? value
    : typeof value === "string"
      ? (SKILL[value.toLowerCase()] ?? 0)
      : 0;

/** The best `level` or `precision` that the executor declares for what is asked. */
function skillOf(executor: Executor, asked: readonly Claim[]): number {
  const levels = claimsOf(executor)
    .filter(({ id }) => asked.length === 0 || asked.some((one) => one.id === id))
    .map(({ metadata }) =>
      isMap(metadata)
        ? Math.max(skillIn(metadata["level"]), skillIn(metadata["precision"]))
        : skillIn(metadata),
    );
  return Math.max(0, ...levels);
}

/** Strategy words: each yields a score, and those with the highest above 0 are preferred. */
const STRATEGIES: Readonly<
  Record<string, (executor: Executor, asked: readonly Claim[]) => number>
> = {
  lower_latency: ({ kind }) => (kind === "machine" ? 1 : 0),
  higher_precision: skillOf,
};

/** `lower_latency` of `Lower-Latency`; undefined when there is no such strategy. */
export function readStrategy(word: string): string | undefined {
  const plain = word
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, "_");
  return Object.hasOwn(STRATEGIES, plain) ? plain : undefined;
}

const URGENCY: Readonly<Record<string, string>> = {
  now: "urgent",
  soon: "elevated",
  whenever: "background",
};

/** All keys that the rule gives must match; `urgency` may be written as a priority too (decision 41). */
function matches(rule: RoutingRule, request: RouteRequest, asked: readonly Claim[]): boolean {
  const { capability, urgency, precision } = rule.match;
  if (capability !== undefined) {
    const wanted = capabilityId(capability);
    if (!asked.some(({ id }) => id === wanted)) return false;
  }
  if (urgency !== undefined) {
    const word = urgency.toLowerCase();
    if ((URGENCY[word] ?? word) !== effectivePriority(request)) return false;
  }
  return precision === undefined || precision.toLowerCase() === request.precision;
}

/** The members that rules which match the request prefer by name. */
export const preferredBy = (
  request: RouteRequest,
  asked: readonly Claim[],
  { rules }: RoutingConfig,
): string[] =>
  rules.flatMap((rule) =>
    typeof rule.prefer !== "string" && matches(rule, request, asked) ? rule.prefer : [],
  );

/** Puts the `chosen`, who come sorted by id, on rungs. The first rule that matches somebody comes first. */
export function ranking(
  request: RouteRequest,
  asked: readonly Claim[],
  chosen: readonly Executor[],
  config: RoutingConfig,
  byDefault: boolean,
): Ranking {
  const rungs: Rung[] = [];
  const warnings: string[] = [];
  let left = [...chosen];
  const promote = (members: Executor[], reason: string): void => {
    if (members.length === 0) return;
    rungs.push({ members, reason });
    left = left.filter((executor) => !members.includes(executor));
  };
  const named = (ids: readonly string[]): Executor[] =>
    [...new Set(ids)].flatMap((id) => left.find((executor) => executor.id === id) ?? []);

  for (const [index, rule] of config.rules.entries()) {
    if (!matches(rule, request, asked)) continue;
    const reason = `preferred by routing rule ${index + 1}`;
    if (typeof rule.prefer !== "string") {
      promote(named(rule.prefer), reason);
      continue;
    }
    const strategy = readStrategy(rule.prefer);
    if (strategy === undefined) {
      warnings.push(`routing rule ${index + 1} prefers an unknown strategy, which is ignored`);
      continue;
    }
    const scores = new Map(left.map((one) => [one, STRATEGIES[strategy]!(one, asked)]));
    const best = Math.max(0, ...scores.values());
    promote(
      left.filter((one) => best > 0 && scores.get(one) === best),
      `${reason} (${strategy})`,
    );
  }

  const ruled = rungs.length > 0;
  promote(named(config.default ?? []), "named as default");
  const ordered = asked.length === 0 && rungs.length > 0;
  const by = byDefault ? "default" : ruled ? "rule" : ordered ? "default" : "capability";
  if (left.length > 0) rungs.push({ members: left });
  return { by, rungs, warnings };
}
