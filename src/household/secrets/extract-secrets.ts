/** Takes secrets out of what a `config` block says, and leaves references to them in their places. */
import { channelSchema } from "../../channels/schemas.ts";
import { isMap, type Json, type JsonMap } from "../../mess/json.ts";
import { isChannel } from "../contacts/notify-settings.ts";
import { referencesIn } from "./secret-vault.ts";

/** A piece of a configuration that may hold secrets. */
export interface Part {
  /** Where it stands: `dispatch`, `executors.roomba`. */
  root: string;
  /** What the names of its secrets begin with. */
  names: readonly string[];
  /** A map by channel: `dispatch`, `dispatch.alerts`, or `notify` of one executor. */
  value: Json;
}

/** Keys that nobody gives to anything but a secret, also where no channel knows them. */
const SECRETIVE = /(^|_)(secret|token|password|passwd|api_?key|private_?key)$/i;

const nameOf = (place: readonly string[]): string => {
  const name = place
    .join("_")
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]+/g, "_");
  return (/^[A-Z]/.test(name) ? name : `_${name}`).slice(0, 120);
};

/** Calls `visit` for every text that is a secret or a reference, and puts what it returns in its place. */
function walk(
  value: Json,
  place: readonly string[],
  isSecret: boolean,
  secrets: readonly string[],
  visit: (text: string, place: readonly string[]) => string,
): Json {
  if (typeof value === "string" || (isSecret && typeof value === "number")) {
    const text = String(value);
    const hidden = isSecret && text.trim() !== "";
    return hidden || referencesIn(text).length > 0 ? visit(text, place) : value;
  }
  if (Array.isArray(value)) {
    return value.map((one, index) => {
      const inner = value.length === 1 ? place : [...place, String(index + 1)];
      return walk(one, inner, isSecret, secrets, visit);
    });
  }
  if (!isMap(value)) return value;
  const replaced: JsonMap = {};
  for (const [key, one] of Object.entries(value)) {
    const hides = isSecret || secrets.includes(key) || SECRETIVE.test(key);
    replaced[key] = walk(one, [...place, key], hides, secrets, visit);
  }
  return replaced;
}

/** A part, channel by channel. */
function walkPart(
  { value, names }: Pick<Part, "value" | "names">,
  visit: (text: string, place: readonly string[]) => string,
): Json {
  if (Array.isArray(value)) return value.map((one) => walkPart({ value: one, names }, visit));
  if (!isMap(value)) return value;
  const replaced: JsonMap = {};
  for (const [key, one] of Object.entries(value)) {
    const schema = isChannel(key) ? channelSchema(key) : undefined;
    const whole = schema?.secretAddress ?? SECRETIVE.test(key);
    replaced[key] = walk(one, [...names, key], whole, schema?.secrets ?? [], visit);
  }
  return replaced;
}

const placeOf = ({ root }: Part, place: readonly string[]): string => [root, ...place].join(".");

/** The places that refer to each name. */
function referring(parts: readonly Part[]): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const part of parts) {
    walkPart(part, (text, place) => {
      for (const name of referencesIn(text)) {
        found.set(name, (found.get(name) ?? new Set()).add(placeOf(part, place)));
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
export function liftSecrets(
  fresh: readonly Part[],
  standing: readonly Part[],
): { values: Json[]; lifted: Map<string, string> } {
  const taken = referring([...standing, ...fresh]);
  const lifted = new Map<string, string>();
  const values = fresh.map((part) =>
    walkPart(part, (text, place) => {
      if (referencesIn(text).length > 0) return text;
      const at = placeOf(part, place);
      const wished = nameOf(place);
      let name = wished;
      const isTaken = (): boolean =>
        (lifted.get(name) ?? text) !== text ||
        [...(taken.get(name) ?? [])].some((other) => other !== at);
      for (let n = 2; isTaken(); n++) name = `${wished}_${n}`;
      lifted.set(name, text);
      return `\${${name}}`;
    }),
  );
  return { values, lifted };
}
