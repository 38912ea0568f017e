/** Takes secrets out of what a `config` block says, and leaves references to them in their places. */
import { getChannelSchema } from "../../channels/schemas.ts";
import { isMap, type Json, type JsonMap } from "../../mess/json.ts";
import { isChannelKind } from "../contacts/notify-settings.ts";
import { findReferences } from "./secret-vault.ts";

/** A piece of a configuration that may hold secrets. */
export interface ConfigSection {
  /** Where it stands: `dispatch`, `executors.roomba`. */
  root: string;
  /** What the names of its secrets begin with. */
  names: readonly string[];
  /** A map by channel: `dispatch`, `dispatch.alerts`, or `notify` of one executor. */
  value: Json;
}

/** Keys that nobody gives to anything but a secret, also where no channel knows them. */
const SECRET_KEY_PATTERN = /(^|_)(secret|token|password|passwd|api_?key|private_?key)$/i;

const buildSecretName = (path: readonly string[]): string => {
  const name = path
    .join("_")
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]+/g, "_");
  return (/^[A-Z]/.test(name) ? name : `_${name}`).slice(0, 120);
};

/** Calls `visit` for every text that is a secret or a reference, and puts what it returns in its place. */
function mapSecrets(
  value: Json,
  path: readonly string[],
  isSecret: boolean,
  secrets: readonly string[],
  visit: (text: string, path: readonly string[]) => string,
): Json {
  if (typeof value === "string" || (isSecret && typeof value === "number")) {
    const text = String(value);
    const hidden = isSecret && text.trim() !== "";
    return hidden || findReferences(text).length > 0 ? visit(text, path) : value;
  }
  if (Array.isArray(value)) {
    return value.map((one, index) => {
      const inner = value.length === 1 ? path : [...path, String(index + 1)];
      return mapSecrets(one, inner, isSecret, secrets, visit);
    });
  }
  if (!isMap(value)) return value;
  const replaced: JsonMap = {};
  for (const [key, one] of Object.entries(value)) {
    const hides = isSecret || secrets.includes(key) || SECRET_KEY_PATTERN.test(key);
    replaced[key] = mapSecrets(one, [...path, key], hides, secrets, visit);
  }
  return replaced;
}

/** A part, channel by channel. */
function mapSectionSecrets(
  { value, names }: Pick<ConfigSection, "value" | "names">,
  visit: (text: string, path: readonly string[]) => string,
): Json {
  if (Array.isArray(value))
    return value.map((one) => mapSectionSecrets({ value: one, names }, visit));
  if (!isMap(value)) return value;
  const replaced: JsonMap = {};
  for (const [key, one] of Object.entries(value)) {
    const schema = isChannelKind(key) ? getChannelSchema(key) : undefined;
    const whole = schema?.secretAddress ?? SECRET_KEY_PATTERN.test(key);
    replaced[key] = mapSecrets(one, [...names, key], whole, schema?.secrets ?? [], visit);
  }
  return replaced;
}

const writePath = ({ root }: ConfigSection, path: readonly string[]): string =>
  [root, ...path].join(".");

/** The places that refer to each name. */
function listReferringPaths(parts: readonly ConfigSection[]): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const part of parts) {
    mapSectionSecrets(part, (text, path) => {
      for (const name of findReferences(text)) {
        found.set(name, (found.get(name) ?? new Set()).add(writePath(part, path)));
      }
      return text;
    });
  }
  return found;
}

/**
 * The new parts with `${NAME}` in place of every secret that was written out, and the secrets by those names. A name
 * that another place refers to, in what is there already or in the new parts, is not used again.
 */
export function extractSecrets(
  fresh: readonly ConfigSection[],
  current: readonly ConfigSection[],
): { values: Json[]; extracted: Map<string, string> } {
  const taken = listReferringPaths([...current, ...fresh]);
  const extracted = new Map<string, string>();
  const values = fresh.map((part) =>
    mapSectionSecrets(part, (text, path) => {
      if (findReferences(text).length > 0) return text;
      const at = writePath(part, path);
      const preferred = buildSecretName(path);
      let name = preferred;
      const isTaken = (): boolean =>
        (extracted.get(name) ?? text) !== text ||
        [...(taken.get(name) ?? [])].some((other) => other !== at);
      for (let n = 2; isTaken(); n++) name = `${preferred}_${n}`;
      extracted.set(name, text);
      return `\${${name}}`;
    }),
  );
  return { values, extracted };
}
