/** Validates the settings of message sources and of the classifier in a `config` block. */
import { noSettingsSchema } from "../../channels/shared/config-fields.ts";
import { type Outcome, refuse } from "../../mess/errors.ts";
import { splitSource } from "../../mess/config/message-sources.ts";
import { checkMessages, getClassifierPart } from "../../mess/config/messages.ts";
import { isMap, type Json, type JsonMap } from "../../mess/json.ts";
import { getLengthHint } from "../../mess/lengths.ts";
import { ok } from "../../mess/result.ts";
import { findDeepestIssue } from "../../mess/wire/body-errors.ts";
import { findSourceKind, OFFERED_SOURCE_KINDS } from "../../source-kinds/registry.ts";
import { fillReferences, findReferences } from "../secrets/secret-references.ts";

type KnownSecrets = ReadonlyMap<string, string>;

/** False if the value refers to a secret that is not set, which has its own warning. */
const isComplete = (value: Json | undefined, known: KnownSecrets): boolean =>
  findReferences(value).every((name) => known.has(name));

function checkSource(name: string, entry: JsonMap, known: KnownSecrets): Outcome<string[]> {
  const path = `config.sources.${name}`;
  const { kind: kindName, settings } = splitSource(entry);
  const kind = findSourceKind(kindName);
  if (!kind)
    return refuse(
      "bad_field",
      `${path}.kind: this exchange does not offer ${kindName}`,
      "Use another kind.",
      {
        path: `${path}.kind`,
        valid: OFFERED_SOURCE_KINDS,
      },
    );
  const filled = fillReferences(settings, known) as JsonMap;
  // The settings of its channel are checked with `dispatch`.
  const schema = kind.channel === undefined ? kind.settings : noSettingsSchema;
  const read = schema.safeParse(filled);
  if (read.success) {
    const accepted: unknown = read.data;
    const unknown = isMap(accepted)
      ? Object.keys(settings).filter((key) => !Object.hasOwn(accepted, key))
      : [];
    return ok(
      unknown
        .filter((key) => isComplete(settings[key], known))
        .map(
          (key) => `sources.${name}.${key} is not a setting of ${kindName}; it is stored unchanged`,
        ),
    );
  }
  const found = read.error.issues.find(({ path: [key] }) =>
    isComplete(key === undefined ? settings : settings[String(key)], known),
  );
  if (!found) return ok([]);
  const issue = findDeepestIssue(found);
  const at = [path, ...issue.path.map(String)].join(".");
  const own: unknown = issue.code === "custom" ? issue.params?.["hint"] : undefined;
  const hint =
    typeof own === "string" ? own : (getLengthHint(issue) ?? `See the settings of ${kindName}.`);
  return refuse("bad_field", `${at}: ${issue.message}`, hint, { path: at });
}

/** Addresses that are too long would be accepted by no mail server. */
export function checkSourceNames(sources: JsonMap, household: string): Outcome<true> {
  for (const [name, entry] of Object.entries(sources)) {
    if (!isMap(entry)) continue;
    const kind = splitSource(entry).kind;
    const max = findSourceKind(kind)?.getMaxNameChars?.(household) ?? Infinity;
    if (name.length > max)
      return refuse(
        "bad_field",
        `config.sources.${name}: the name is too long for an address of the kind ${kind}`,
        max > 0
          ? `Choose a name of at most ${max} characters.`
          : "The id of this household is too long for sources of this kind.",
        { path: `config.sources.${name}` },
      );
  }
  return ok(true);
}

/** @returns warnings */
export function checkSources(sources: JsonMap, known: KnownSecrets): Outcome<string[]> {
  const warnings: string[] = [];
  for (const [name, entry] of Object.entries(sources)) {
    const checked = isMap(entry) ? checkSource(name, entry, known) : ok([]);
    if (!checked.ok) return checked;
    warnings.push(...checked.value);
  }
  return ok(warnings);
}

export function checkMessagesConfig(messages: JsonMap, known: KnownSecrets): Outcome<true> {
  const classifier = getClassifierPart(messages);
  const filled = { ...messages, ...(fillReferences(classifier, known) as JsonMap) };
  const checked = checkMessages(filled, (key) => isComplete(classifier[key], known));
  return checked.ok ? ok(true) : checked;
}
