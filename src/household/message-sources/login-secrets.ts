/**
 * Keeps the password of a source with the servers for which an owner wrote it. A key of an owner must not read it by
 * sending a reference to another server.
 */
import { splitSource } from "../../mess/config/message-sources.ts";
import type { ConfigChange } from "../../mess/config/config.ts";
import { getClassifierPart } from "../../mess/config/messages.ts";
import { type Outcome, refuse } from "../../mess/errors.ts";
import { isMap, type Json, type JsonMap } from "../../mess/json.ts";
import { ok } from "../../mess/result.ts";
import { findSourceKind } from "../../source-kinds/registry.ts";
import type { SourceKind } from "../../source-kinds/source-kind.ts";
import { findReferences } from "../secrets/secret-references.ts";
import type { NewSecret } from "../secrets/secrets.ts";
import type { Stores } from "../stores.ts";
import type { ConfiguredSource } from "./source-table.ts";

interface WrittenChange {
  change: Pick<ConfigChange, "dispatch" | "executors" | "sources" | "messages" | "hooks">;
  /** Secrets whose values the block has in plain text. */
  secrets: readonly NewSecret[];
}

type Written = Pick<ConfiguredSource, "kind" | "settings">;

const isBound = ({ kind }: Pick<Written, "kind">): boolean =>
  findSourceKind(kind)?.getLogin !== undefined;

/** Names of the secrets that are bound to the servers of a source. */
export const listLoginSecrets = ({ messageSources }: Stores): Set<string> =>
  new Set(
    messageSources
      .list()
      .filter(isBound)
      .flatMap(({ settings }) => findReferences(settings)),
  );

/** Refuses a stored secret for other servers, and one of such a source anywhere else. Call it before the change is stored. */
export function checkLoginSecrets(stores: Stores, written: WrittenChange): Outcome<true> {
  const { dispatch, executors, sources = {}, messages, hooks } = written.change;
  const bound = listLoginSecrets(stores);
  const elsewhere: Json[] = [dispatch ?? null, getClassifierPart(messages ?? {}), hooks ?? null];
  elsewhere.push(...executors.map(({ notify }) => notify ?? null));
  for (const [name, entry] of Object.entries(sources)) {
    if (!isMap(entry)) continue;
    const source = splitSource(entry);
    if (!isBound(source)) {
      elsewhere.push(source.settings);
      continue;
    }
    const checked = checkLogin(stores, name, source, written.secrets);
    if (!checked.ok) return checked;
    for (const secret of findReferences(source.settings)) bound.add(secret);
  }
  const misused = findReferences(elsewhere).find((secret) => bound.has(secret));
  return misused === undefined
    ? ok(true)
    : refuse(
        "bad_field",
        `config: \${${misused}} is the password of a source, and can be used only there`,
        "Use another name for another secret.",
        { path: "config" },
      );
}

function checkLogin(
  { messageSources, secrets }: Stores,
  name: string,
  { kind: kindName, settings }: Written,
  fresh: readonly NewSecret[],
): Outcome<true> {
  const kind = findSourceKind(kindName)!;
  const path = `config.sources.${name}`;
  const withReference = Object.keys(settings).find(
    (key) => !kind.secrets.includes(key) && findReferences(settings[key]).length > 0,
  );
  if (withReference !== undefined)
    return refuse(
      "bad_field",
      `${path}.${withReference}: refers to a secret`,
      `Write the value itself: only ${kind.secrets.join(", ")} may be a secret.`,
      { path: `${path}.${withReference}` },
    );
  const before = messageSources.find(name);
  const hasSameLogin =
    before?.kind === kindName && writeLogin(kind, before.settings) === writeLogin(kind, settings);
  const known = hasSameLogin ? findReferences(before.settings) : [];
  const misused = findReferences(settings).find(
    (secret) =>
      !known.includes(secret) &&
      !fresh.some((one) => one.name === secret) &&
      secrets.get(secret) !== undefined,
  );
  if (misused === undefined) return ok(true);
  const at = `${path}.${kind.secrets[0]}`;
  return refuse(
    "bad_field",
    `${at}: the secret ${misused} was not set for these servers and this user`,
    "Write the password itself, or refer to a name that is not set, and set it afterwards.",
    { path: at },
  );
}

const writeLogin = (kind: SourceKind, settings: JsonMap): string =>
  JSON.stringify(kind.getLogin?.(settings) ?? null);

/** Removes secrets that were bound to servers and that no such source uses any more. Call it after the change is stored. */
export function removeLeftSecrets(stores: Stores, before: ReadonlySet<string>): void {
  const still = listLoginSecrets(stores);
  for (const name of before) if (!still.has(name)) stores.secrets.remove(name);
}
