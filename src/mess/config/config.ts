/**
 * Reads a `config` block (protocol §7.4): executors, routing, capability catalog and settings, each normalized.
 * Unknown keys are kept unchanged.
 */
import { defined } from "../defined.ts";
import * as z from "zod";
import { checkActorId } from "../actors.ts";
import { type AccessSettings, readAccess } from "./access.ts";
import { readDispatch } from "./dispatch.ts";
import { readSources } from "./message-sources.ts";
import { readMessages } from "./messages.ts";
import { EXECUTOR_FIELDS, readExecutor } from "./executor.ts";
import { readHooks } from "./hooks.ts";
import { readRouting } from "./routing-rules.ts";
import { type Outcome, refuse } from "../errors.ts";
import { isMap, type Json, type JsonMap } from "../json.ts";
import { boundedTextSchema, getLengthHint, buildTooLongHint } from "../lengths.ts";
import { LIMITS } from "../limits.ts";
import { ok } from "../result.ts";
import type { Executor, RoutingConfig } from "../routing/routing.ts";
import { normalizeCapabilityId } from "../wire/schema.ts";
import { isZone } from "../times.ts";
import { warnConfigFields } from "../unknown-fields.ts";

/** An entry of the capability catalog (protocol §8.2). The catalog is informative: it restricts nothing. */
export interface CatalogEntry {
  id: string;
  description?: string;
  tags?: string[];
}

export interface ConfigChange {
  executors: Executor[];
  /** Ids of executors to remove: `executors: {id: null}` or `executor: {id, remove: true}`. */
  removals: string[];
  /** If given, replaces all rules and the default. */
  routing?: RoutingConfig;
  capabilities: CatalogEntry[];
  settings: { name?: string; time_zone?: string };
  /** `dispatch` by key, unchanged; null removes a key, and keys that are not given stay. */
  dispatch?: JsonMap;
  /** Message sources by name; null removes one, and those that are not given stay. */
  sources?: JsonMap;
  /** `messages` by key, unchanged; null removes a key, and keys that are not given stay. */
  messages?: JsonMap;
  /** `access` by field; those that are not given stay. */
  access?: Partial<AccessSettings>;
  /** Lifecycle hooks by event; null removes those of an event, and those that are not given stay. */
  hooks?: JsonMap;
  /** Unknown keys. */
  other: JsonMap;
  warnings: string[];
}

const catalogEntrySchema = z.looseObject({
  id: boundedTextSchema(LIMITS.nameChars).trim().min(1).transform(normalizeCapabilityId),
  description: boundedTextSchema(LIMITS.intentChars).optional(),
  tags: z.array(boundedTextSchema(LIMITS.nameChars).trim().min(1)).max(64).optional(),
});

const CATALOG_FIELDS = Object.keys(catalogEntrySchema.shape);

const refuseShape = (path: string, message: string, hint: string) =>
  refuse("bad_field", `${path}: ${message}`, hint, { path });

/** Lists the executors of the block with their paths; the value `null` removes an executor. */
export function listExecutorEntries(
  block: JsonMap,
): Outcome<[path: string, id: Json, value: Json][]> {
  const found: [string, Json, Json][] = [];
  const { executor, executors } = block;
  const singles = executor === undefined ? [] : Array.isArray(executor) ? executor : [executor];
  for (const [index, one] of singles.entries()) {
    const path = Array.isArray(executor) ? `config.executor[${index}]` : "config.executor";
    if (!isMap(one))
      return refuseShape(
        path,
        "not a map",
        "Write each executor as a map: executor: {id, capabilities}.",
      );
    found.push([path, one["id"] ?? null, one["remove"] === true ? null : one]);
  }
  if (Array.isArray(executors)) {
    for (const [index, one] of executors.entries()) {
      const path = `config.executors[${index}]`;
      if (!isMap(one))
        return refuseShape(path, "not a map", "Write each executor as a map: {id, capabilities}.");
      found.push([path, one["id"] ?? null, one["remove"] === true ? null : one]);
    }
  } else if (isMap(executors)) {
    for (const [id, one] of Object.entries(executors)) {
      found.push([`config.executors.${id}`, id, one]);
    }
  } else if (executors !== undefined && executors !== null) {
    return refuseShape("config.executors", "not a map", "Write executors: {id: {capabilities}}.");
  }
  return ok(found);
}

export function readCatalog(value: Json | undefined): Outcome<CatalogEntry[]> {
  if (value === undefined || value === null) return ok([]);
  const path = "config.capabilities";
  const hint = "Write a list of {id, description, tags}, or a map by id.";
  if (!isMap(value) && !Array.isArray(value)) return refuseShape(path, "not a list", hint);
  const raw: [string, Json][] = Array.isArray(value)
    ? value.map((one, index) => [`[${index}]`, typeof one === "string" ? { id: one } : one])
    : Object.entries(value).map(([id, one]) => [`.${id}`, isMap(one) ? { ...one, id } : { id }]);
  const entries: CatalogEntry[] = [];
  for (const [at, one] of raw) {
    const read = catalogEntrySchema.safeParse(one);
    if (!read.success) {
      const [issue] = read.error.issues;
      const long = getLengthHint(issue);
      const message = long === undefined ? "not a valid capability" : issue!.message;
      return refuseShape(`${path}${at}`, message, long ?? hint);
    }
    entries.push(read.data as CatalogEntry);
  }
  return ok(entries);
}

function readSettings(block: JsonMap): Outcome<ConfigChange["settings"]> {
  const inner = block["settings"] ?? {};
  if (!isMap(inner)) {
    return refuseShape("config.settings", "not a map", "Write settings: {name, time_zone}.");
  }
  const settings: ConfigChange["settings"] = {};
  const zone = inner["time_zone"] ?? block["time_zone"];
  if (typeof zone === "string" && zone.length > LIMITS.timeZoneChars) {
    return refuseShape(
      "config.settings.time_zone",
      `longer than ${LIMITS.timeZoneChars} characters`,
      buildTooLongHint(LIMITS.timeZoneChars),
    );
  }
  if (zone !== undefined && (typeof zone !== "string" || !isZone(zone))) {
    return refuseShape(
      "config.settings.time_zone",
      "unknown time zone",
      "Use a name such as Europe/Rome.",
    );
  }
  const name = inner["name"];
  if (name !== undefined && (typeof name !== "string" || name.length > LIMITS.nameChars)) {
    return refuseShape(
      "config.settings.name",
      "not a valid name",
      `Write a text of at most ${LIMITS.nameChars} characters.`,
    );
  }
  if (zone !== undefined) settings.time_zone = zone;
  if (name !== undefined) settings.name = name;
  return ok(settings);
}

export const KNOWN_KEYS = [
  "executor",
  "executors",
  "routing",
  "capabilities",
  "settings",
  "time_zone",
  "dispatch",
  "sources",
  "messages",
  "access",
  "hooks",
];

const SETTINGS_FIELDS = [
  "name",
  "time_zone",
  "coalesce",
  "group_retention_days",
  "message_retention_days",
];

const omitKeys = (map: JsonMap, keys: readonly string[]): JsonMap =>
  Object.fromEntries(Object.entries(map).filter(([key]) => !keys.includes(key)));

/** Collects the unknown keys of the block and of its `settings`. */
function collectOtherKeys(block: JsonMap): JsonMap {
  const settings = isMap(block["settings"]) ? block["settings"] : {};
  const unknown = omitKeys(settings, ["name", "time_zone"]);
  return {
    ...omitKeys(block, KNOWN_KEYS),
    ...(Object.keys(unknown).length > 0 ? { settings: unknown } : {}),
  };
}

/** Reads the body of a `config` block. Refuses the whole block at the first error, with its path. */
export function readConfig(block: JsonMap): Outcome<ConfigChange> {
  const found = listExecutorEntries(block);
  if (!found.ok) return found;
  const executors: Executor[] = [];
  const removals: string[] = [];
  const warnings = warnConfigFields([block], [...KNOWN_KEYS, "schedules"], "config");
  for (const [path, rawId, value] of found.value) {
    if (typeof rawId !== "string") {
      return refuse("missing_field", `${path}.id: missing`, "Give the executor an id.", { path });
    }
    const id = checkActorId(rawId, path);
    if (!id.ok) return id;
    if (value === null) {
      removals.push(id.value);
      continue;
    }
    const executor = readExecutor(id.value, value, path);
    if (!executor.ok) return executor;
    executors.push(executor.value);
    const { extra = {} } = executor.value;
    warnings.push(...warnConfigFields([extra], EXECUTOR_FIELDS, `the executor ${id.value}`));
  }
  const routing = readRouting(block["routing"]);
  if (!routing.ok) return routing;
  warnings.push(...(routing.value?.warnings ?? []));
  const capabilities = readCatalog(block["capabilities"]);
  if (!capabilities.ok) return capabilities;
  warnings.push(...warnConfigFields(capabilities.value, CATALOG_FIELDS, "a capability"));
  const settings = readSettings(block);
  if (!settings.ok) return settings;
  const { settings: written } = block;
  if (isMap(written)) warnings.push(...warnConfigFields([written], SETTINGS_FIELDS, "settings"));
  const dispatch = readDispatch(block["dispatch"]);
  if (!dispatch.ok) return dispatch;
  const sources = readSources(block["sources"]);
  if (!sources.ok) return sources;
  const messages = readMessages(block["messages"]);
  if (!messages.ok) return messages;
  const access = readAccess(block["access"]);
  if (!access.ok) return access;
  const hooks = readHooks(block["hooks"]);
  if (!hooks.ok) return hooks;
  return ok({
    executors,
    removals,
    ...defined({ routing: routing.value?.config }),
    capabilities: capabilities.value,
    settings: settings.value,
    ...defined({
      dispatch: dispatch.value,
      sources: sources.value,
      messages: messages.value,
      access: access.value,
      hooks: hooks.value,
    }),
    other: collectOtherKeys(block),
    warnings,
  });
}
