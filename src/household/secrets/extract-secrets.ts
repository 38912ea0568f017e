/** Extracts the secrets from a `config` block, and leaves references to them in their places. */
import { CHANNELS, isChannelKind } from "../../channels/registry.ts";
import { ADDRESS_KEYS } from "../../channels/shared/config-fields.ts";
import { isMap, type Json, type JsonMap } from "../../mess/json.ts";
import type { SourceKindName } from "../../mess/sources/vocabulary.ts";
import { findSourceKind } from "../../source-kinds/registry.ts";
import { isAddress, maskAddress } from "./mask-address.ts";
import { isSecretKey, looksSecret } from "./secret-keys.ts";
import { findReferences } from "./secret-references.ts";

/** A part of a configuration that may contain secrets. */
export interface ConfigSection {
  /** Path of the part, such as `dispatch` or `executors.roomba`. */
  root: string;
  /** Prefix of the names of its secrets. */
  names: readonly string[];
  /** A map by channel: `dispatch`, `dispatch.alerts`, or `notify` of one executor; else see `of`. */
  value: Json;
  /** `kinds`: a map by name, each a map that names its `kind`, such as `sources`. `hooks`: lists of hooks by event. */
  of?: "kinds" | "hooks";
}

const buildSecretName = (path: readonly string[]): string => {
  const name = path
    .join("_")
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]+/g, "_");
  return (/^[A-Z]/.test(name) ? name : `_${name}`).slice(0, 120);
};

/** The secret part of a text: all of it, all but the origin of an address, or nothing. */
type Secrecy = "secret" | "address" | "plain";

type Visit = (text: string, path: readonly string[], secrecy: Secrecy) => string;

/** The rules of the channel that a text belongs to. */
interface Rules {
  readonly secrets: readonly string[];
  readonly addresses: readonly string[];
  /** True for an unknown channel. Its texts are secret if they look like secrets. */
  readonly foreign: boolean;
}

const UNKNOWN_CHANNEL_RULES: Rules = { secrets: [], addresses: [], foreign: true };

function getSecrecy(text: string, { foreign }: Rules): Secrecy {
  if (isAddress(text)) return "address";
  return foreign && looksSecret(text) ? "secret" : "plain";
}

/** Replaces every text by the result of `visit`. `secrecy` is determined by the key, if the key has a rule. */
function mapSecrets(
  value: Json,
  path: readonly string[],
  secrecy: Secrecy | undefined,
  rules: Rules,
  visit: Visit,
): Json {
  if (typeof value === "string") return visit(value, path, secrecy ?? getSecrecy(value, rules));
  if (typeof value === "number" && secrecy === "secret") return visit(String(value), path, secrecy);
  if (Array.isArray(value)) {
    return value.map((one, index) => {
      const inner = value.length === 1 ? path : [...path, String(index + 1)];
      return mapSecrets(one, inner, secrecy, rules, visit);
    });
  }
  if (!isMap(value)) return value;
  const replaced: JsonMap = {};
  for (const [key, one] of Object.entries(value)) {
    const isSecret = secrecy === "secret" || rules.secrets.includes(key) || isSecretKey(key);
    const named = rules.addresses.includes(key) ? "address" : undefined;
    replaced[key] = mapSecrets(one, [...path, key], isSecret ? "secret" : named, rules, visit);
  }
  return replaced;
}

/** Visits a part, channel by channel or source by source. */
function mapSectionSecrets({ value, names, of }: Omit<ConfigSection, "root">, visit: Visit): Json {
  if (Array.isArray(value))
    return value.map((one) => mapSectionSecrets({ value: one, names }, visit));
  if (!isMap(value)) return value;
  const replaced: JsonMap = {};
  for (const [key, one] of Object.entries(value)) {
    const [secrecy, rules] =
      of === "kinds" ? kindRules(one) : of === "hooks" ? HOOK_RULES : channelRules(key);
    replaced[key] = mapSecrets(one, [...names, key], secrecy, rules, visit);
  }
  return replaced;
}

/** The secrecy of the value of a channel's key, and the rules for the keys below it. */
function channelRules(key: string): [Secrecy | undefined, Rules] {
  if (!isChannelKind(key)) return [isSecretKey(key) ? "secret" : undefined, UNKNOWN_CHANNEL_RULES];
  const { secrets, secretAddress } = CHANNELS[key];
  const rules: Rules = { secrets, addresses: ADDRESS_KEYS, foreign: false };
  if (secretAddress === "whole") return ["secret", rules];
  return [secretAddress === "beyond origin" ? "address" : undefined, rules];
}

/** Addresses are secret beyond their origin, headers often carry a token. */
const HOOK_RULES: [undefined, Rules] = [
  undefined,
  { secrets: ["secret", "headers"], addresses: ADDRESS_KEYS, foreign: false },
];

/** Settings of message sources and classifiers: their kind is a value in them. */
function kindRules(entry: Json): [undefined, Rules] {
  const kind = isMap(entry) ? findSourceKind(entry["kind"] as SourceKindName) : undefined;
  return [undefined, { secrets: kind?.secrets ?? [], addresses: ADDRESS_KEYS, foreign: false }];
}

const writePath = ({ root }: ConfigSection, path: readonly string[]): string =>
  [root, ...path].join(".");

/** The paths at which each secret name is referenced. */
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

/** Collects extracted secrets, and chooses a name for each. */
class ExtractedSecrets {
  readonly secrets = new Map<string, string>();
  readonly #taken: Map<string, Set<string>>;
  readonly #reserved: ReadonlySet<string>;

  constructor(taken: Map<string, Set<string>>, reserved: ReadonlySet<string>) {
    this.#taken = taken;
    this.#reserved = reserved;
  }

  /**
   * Stores the secret and returns its reference.
   * @param existingReferences names that the same text refers to already
   */
  hide(
    part: ConfigSection,
    path: readonly string[],
    secret: string,
    existingReferences: readonly string[],
  ): string {
    const at = writePath(part, path);
    const preferred = buildSecretName(path);
    let name = preferred;
    for (let n = 2; existingReferences.includes(name) || this.#isTaken(name, at, secret); n++)
      name = `${preferred}_${n}`;
    this.secrets.set(name, secret);
    return `\${${name}}`;
  }

  #isTaken(name: string, at: string, secret: string): boolean {
    const paths = this.#taken.get(name);
    return (
      (this.secrets.get(name) ?? secret) !== secret ||
      [...(paths ?? [])].some((other) => other !== at) ||
      (this.#reserved.has(name) && !paths?.has(at))
    );
  }
}

/**
 * Replaces every secret in the new parts by a reference `${NAME}`; returns the parts and the secrets by name. A name
 * that another path refers to, in the stored or the new configuration, is not used again.
 * @param reserved names of secrets that owners set by name; one that has no reference yet must not be overwritten
 */
export function extractSecrets(
  fresh: readonly ConfigSection[],
  current: readonly ConfigSection[],
  reserved: ReadonlySet<string>,
): { values: Json[]; extracted: Map<string, string> } {
  const extracted = new ExtractedSecrets(listReferringPaths([...current, ...fresh]), reserved);
  const values = fresh.map((part) =>
    mapSectionSecrets(part, (text, path, secrecy) => {
      if (secrecy === "plain" || text.trim() === "") return text;
      const existingReferences = findReferences(text);
      const masked =
        secrecy === "address"
          ? maskAddress(text, (piece, addressPart) =>
              extracted.hide(
                part,
                addressPart === "user" ? [...path, addressPart] : path,
                piece,
                existingReferences,
              ),
            )
          : undefined;
      return (
        masked ?? (existingReferences.length > 0 ? text : extracted.hide(part, path, text, []))
      );
    }),
  );
  return { values, extracted: extracted.secrets };
}
