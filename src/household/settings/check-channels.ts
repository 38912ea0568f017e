/**
 * Validates the channels and addresses of a `config` block. Unknown keys are warned about, known ones must be valid.
 */
import type * as z from "zod";
import { type ChannelKind, CHANNELS, isChannelKind } from "../../channels/registry.ts";
import { type Outcome, refuse } from "../../mess/errors.ts";
import { isMap, type Json, type JsonMap } from "../../mess/json.ts";
import { getLengthHint } from "../../mess/lengths.ts";
import { ok } from "../../mess/result.ts";
import { fillReferences } from "../secrets/secret-references.ts";

type KnownSecrets = ReadonlyMap<string, string>;

/** The first issue; within a union, the one of the branch that matched deepest. */
function findDeepestIssue(issue: z.core.$ZodIssue): z.core.$ZodIssue {
  if (issue.code !== "invalid_union") return issue;
  const inner = issue.errors
    .flatMap((branch) => branch[0] ?? [])
    .map((one) => findDeepestIssue(one));
  const [best] = inner.toSorted((a, b) => rankIssue(b) - rankIssue(a));
  return best ? { ...best, path: [...issue.path, ...best.path] } : issue;
}

const rankIssue = (issue: z.core.$ZodIssue): number =>
  2 * issue.path.length + (issue.code === "invalid_type" ? 0 : 1);

const refuseIssue = (path: string, issue: z.core.$ZodIssue, channel: ChannelKind) => {
  const deepestIssue = findDeepestIssue(issue);
  const at = [path, ...deepestIssue.path.map(String)].join(".");
  const hint: unknown = deepestIssue.code === "custom" ? deepestIssue.params?.["hint"] : undefined;
  return refuse(
    "bad_field",
    `${at}: ${deepestIssue.message}`,
    typeof hint === "string"
      ? hint
      : (getLengthHint(deepestIssue) ?? `See the settings of ${channel}.`),
    { path: at },
  );
};

const findUnknownKeys = (written: JsonMap, read: unknown): string[] =>
  isMap(read) ? Object.keys(written).filter((key) => !Object.hasOwn(read, key)) : [];

function checkSettings(kind: ChannelKind, written: Json, known: KnownSecrets): Outcome<string[]> {
  const path = `config.dispatch.${kind}`;
  if (written === null || written === true) return ok([]);
  if (!isMap(written)) {
    return refuse("bad_field", `${path}: must be a map`, "Write its settings as a map.", { path });
  }
  const notes =
    kind === "slack" && written["signing_secret"] === undefined
      ? ["slack sends notifications without buttons: signing_secret is missing"]
      : [];
  const read = CHANNELS[kind].settings.safeParse(fillReferences(written, known));
  if (read.success) {
    const unknown = findUnknownKeys(written, read.data);
    return ok([
      ...unknown.map(
        (key) => `dispatch.${kind}.${key} is not a setting of ${kind}; it is stored unchanged`,
      ),
      ...notes,
    ]);
  }
  const missing = read.error.issues.filter(
    ({ path: [key] }) => !Object.hasOwn(written, String(key)),
  );
  const relevantIssue = read.error.issues.find(
    (issue) => !missing.includes(issue) && hasValue(written, issue.path, known),
  );
  if (relevantIssue) return refuseIssue(path, relevantIssue, kind);
  const keys = missing.map((issue) => String(issue.path[0]));
  return ok([
    ...(keys.length > 0 ? [`${kind} is not set up: ${keys.join(", ")} missing`] : []),
    ...notes,
  ]);
}

/** False if the value refers to a secret that is not set, which has its own warning. */
const hasValue = (written: JsonMap, path: readonly PropertyKey[], known: KnownSecrets): boolean =>
  fillReferences(written[String(path[0])] ?? null, known) !== undefined;

/** Validates `dispatch`: unknown keys are stored with a warning, invalid values are refused. */
export function checkDispatch(dispatch: JsonMap, known: KnownSecrets): Outcome<string[]> {
  const warnings: string[] = [];
  for (const [key, written] of Object.entries(dispatch)) {
    if (key === "ladder") continue;
    const checked = isChannelKind(key)
      ? checkSettings(key, written, known)
      : key === "alerts"
        ? checkNotify(written, "config.dispatch.alerts", known)
        : ok([`dispatch.${key} is not a channel of this exchange; it is stored unchanged`]);
    if (!checked.ok) return checked;
    warnings.push(...checked.value);
  }
  return ok(warnings);
}

/** Warns of addresses in channels that need settings of the household, and have none. */
export const warnUnsetChannels = (notify: Json, path: string, dispatch: JsonMap): string[] => [
  ...new Set(
    [notify]
      .flat()
      .flatMap((one) =>
        Object.entries(isMap(one) ? one : {}).flatMap(([kind, address]) =>
          isChannelKind(kind) &&
          address !== null &&
          address !== false &&
          lacksSettings(kind, dispatch)
            ? [
                `${path}.${kind}: nothing is sent there until an owner sets up config.dispatch.${kind}`,
              ]
            : [],
        ),
      ),
  ),
];

const lacksSettings = (kind: ChannelKind, dispatch: JsonMap): boolean =>
  (dispatch[kind] === undefined || dispatch[kind] === null) &&
  !CHANNELS[kind].settings.safeParse({}).success;

/** Warns that the webhook must be registered again after a new bot token or address of the service. */
export function warnUnregistered(given: Json | undefined, stored: Json | undefined): string[] {
  const before = isMap(stored) ? stored : {};
  return !isMap(given) || ["bot_token", "api"].every((key) => given[key] === before[key])
    ? []
    : [
        "dispatch.telegram: replies are not received until you call POST /api/v1/channels/telegram/register, which sets the bot's webhook",
      ];
}

/** Validates `notify` of an executor, or `dispatch.alerts`, at `path`. */
export function checkNotify(notify: Json, path: string, known: KnownSecrets): Outcome<string[]> {
  if (notify === null) return ok([]);
  const warnings: string[] = [];
  if (Array.isArray(notify)) {
    for (const [index, one] of notify.entries()) {
      const checked = checkNotify(one, `${path}[${index}]`, known);
      if (!checked.ok) return checked;
      warnings.push(...checked.value);
    }
    return ok(warnings);
  }
  if (!isMap(notify)) {
    const hint = "Write addresses by channel, such as {slack: U04ABCDEF} or {webhook: https://…}.";
    return refuse("bad_field", `${path}: must be a map`, hint, { path });
  }
  for (const [key, written] of Object.entries(notify)) {
    if (!isChannelKind(key)) {
      warnings.push(
        `${path.slice("config.".length)}.${key} is not a channel of this exchange; it is stored unchanged`,
      );
      continue;
    }
    const address = written === false ? null : written;
    const filled = address === null ? undefined : fillReferences(address, known);
    if (filled === undefined) continue;
    const read = CHANNELS[key].address.safeParse(filled);
    if (!read.success) return refuseIssue(`${path}.${key}`, read.error.issues[0]!, key);
    if (isMap(filled)) {
      for (const unknown of findUnknownKeys(filled, read.data)) {
        warnings.push(
          `${path.slice("config.".length)}.${key}.${unknown} is not a known key; it is stored unchanged`,
        );
      }
    }
  }
  return ok(warnings);
}
