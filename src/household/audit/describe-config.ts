/** Describes a `config` block for the audit trail: the names of what it changes, without values. Pure. */
import type { ConfigChange } from "../../mess/config/config.ts";
import { isMap, type Json, type JsonMap } from "../../mess/json.ts";

/** Names of one kind; the number of the others is stated. */
const MAX_NAMES = 50;
const MAX_NAME_CHARS = 128;

function listNames(names: readonly string[]): string[] {
  const cut = names.map((name) => name.slice(0, MAX_NAME_CHARS));
  const others = names.length - MAX_NAMES;
  return others > 0 ? [...cut.slice(0, MAX_NAMES), `and ${others} more`] : cut;
}

const listKeys = (value: Json | undefined): string[] => (isMap(value) ? Object.keys(value) : []);

/** @param secrets names of the secrets that the block contained */
export function describeConfigChange(change: ConfigChange, secrets: readonly string[]): JsonMap {
  const { schedules, settings: otherSettings, ...other } = change.other;
  const named: Record<string, string[]> = {
    executors: change.executors.map(({ id }) => id),
    removed: change.removals,
    capabilities: change.capabilities.map(({ id }) => id),
    settings: [...Object.keys(change.settings), ...listKeys(otherSettings)],
    dispatch: Object.keys(change.dispatch ?? {}),
    sources: listKeys(change.sources),
    messages: listKeys(change.messages),
    access: Object.keys(change.access ?? {}),
    hooks: listKeys(change.hooks),
    schedules: listKeys(schedules),
    other: Object.keys(other),
    secrets: [...secrets],
  };
  return {
    ...Object.fromEntries(
      Object.entries(named)
        .filter(([, names]) => names.length > 0)
        .map(([kind, names]) => [kind, listNames(names)]),
    ),
    ...(change.routing ? { routing: true } : {}),
  };
}
