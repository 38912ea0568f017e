/** The `routing` of a `config` block, written as a list with `default` or as `rules` (decision 49). */
import { defined } from "../defined.ts";
import * as z from "zod";
import { type Outcome, refuse } from "../errors.ts";
import type { Json, JsonMap } from "../json.ts";
import { boundedTextSchema, getLengthHint } from "../lengths.ts";
import { LIMITS } from "../limits.ts";
import { readStrategy } from "../routing/ranking.ts";
import { ok } from "../result.ts";
import type { RoutingConfig, RoutingRule } from "../routing/routing.ts";
import { warnConfigFields } from "../unknown-fields.ts";
import { normalizeCapabilityId } from "../wire/schema.ts";

const shortTextSchema = boundedTextSchema(LIMITS.nameChars).trim().min(1);
const preferSchema = z.union([shortTextSchema, z.array(shortTextSchema).max(64)]);
const fallbackSchema = z.union([
  preferSchema,
  z.object({ prefer: preferSchema }).transform(({ prefer: preferred }) => preferred),
]);

const ruleSchema = z.looseObject({
  match: z
    .strictObject({
      capability: shortTextSchema.transform(normalizeCapabilityId).optional(),
      urgency: shortTextSchema.optional(),
      precision: shortTextSchema.optional(),
    })
    .default({}),
  prefer: preferSchema,
});

/** `prefer` beside an empty `default`, as some programs indent it. */
const preferBesideDefaultSchema = z
  .strictObject({ default: z.null(), prefer: preferSchema })
  .transform(({ prefer: preferred }) => ({ default: preferred }));

const entrySchema = z.union([
  z.strictObject({ default: fallbackSchema }),
  preferBesideDefaultSchema,
  ruleSchema,
]);
const wrappedSchema = z.looseObject({
  rules: z.array(entrySchema).max(256).default([]),
  default: fallbackSchema.optional(),
});
const routingSchema = z.union([
  z
    .array(entrySchema)
    .max(256)
    .transform((rules) => ({ rules, default: undefined })),
  wrappedSchema,
]);

const ROUTING_HINT =
  "Write rules: [{match: {capability}, prefer: [id]}] and default: [id], or all entries in one list.";

/** Returns the most deeply nested issue, including those inside unions, with its whole path. */
function findDeepestPath(issue: z.core.$ZodIssue): z.core.$ZodIssue {
  if (issue.code !== "invalid_union") return issue;
  const [inner] = issue.errors
    .flatMap((branch) => branch.slice(0, 1).map(findDeepestPath))
    .toSorted((a, b) => b.path.length - a.path.length);
  return inner ? { ...inner, path: [...issue.path, ...inner.path] } : issue;
}

/** Reads `routing`, which replaces the stored rules and default; undefined where the block has none. */
export function readRouting(
  value: Json | undefined,
): Outcome<{ config: RoutingConfig; warnings: string[] } | undefined> {
  if (value === undefined) return ok(undefined);
  const read = routingSchema.safeParse(value ?? []);
  if (!read.success) {
    const issue = findDeepestPath(read.error.issues[0]!);
    const path = ["config.routing", ...issue.path.map(String)].join(".");
    const long = getLengthHint(issue);
    const message = long === undefined ? "not a valid routing" : issue.message;
    return refuse("bad_field", `${path}: ${message}`, long ?? ROUTING_HINT, { path });
  }
  const rules: RoutingRule[] = [];
  const { rules: listed, default: outer, ...extra } = read.data;
  let last: string | string[] | undefined = outer;
  for (const one of listed) {
    if ("match" in one) rules.push(one as RoutingRule);
    else last = one.default;
  }
  const warnings = [
    ...warnConfigFields([extra], ["rules", "default"], "routing"),
    ...warnConfigFields(rules, Object.keys(ruleSchema.shape), "a routing rule"),
  ];
  for (const [index, { prefer: preferred }] of rules.entries()) {
    if (typeof preferred === "string" && readStrategy(preferred) === undefined) {
      warnings.push(`routing rule ${index + 1} prefers an unknown strategy, which is ignored`);
    }
  }
  const members = typeof last === "string" ? [last] : last;
  const config: RoutingConfig = {
    rules,
    ...defined({ default: members }),
    ...(Object.keys(extra).length > 0 ? { extra: extra as JsonMap } : {}),
  };
  return ok({ config, warnings });
}

/** Lists the member ids that the routing names, without duplicates. */
export const listNamedMembers = ({ rules, default: members }: RoutingConfig): string[] => [
  ...new Set([
    ...rules.flatMap(({ prefer: preferred }) => (typeof preferred === "string" ? [] : preferred)),
    ...(members ?? []),
  ]),
];

/** Writes the form with `rules` and `default`, which `readRouting` reads back. `ladder` belongs to `dispatch`. */
export const writeRouting = ({ extra, ladder: _ladder, ...config }: RoutingConfig): JsonMap => ({
  ...(config as unknown as JsonMap),
  ...extra,
});
