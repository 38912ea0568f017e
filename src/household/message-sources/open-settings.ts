/** Fills the secrets into the settings of a message source and of the classifier, for immediate use. */
import type { ClassifierConfig } from "../../contracts/household-sources.ts";
import { checkMessages } from "../../mess/config/messages.ts";
import { isMap, type JsonMap } from "../../mess/json.ts";
import { findSourceKind } from "../../source-kinds/registry.ts";
import { loadChannelSettings } from "../contacts/contacts.ts";
import type { GeneratedSecrets } from "../secrets/generated-secrets.ts";
import { fillReferences, findReferences } from "../secrets/secret-references.ts";
import type { SecretVault } from "../secrets/secret-vault.ts";
import type { Stores } from "../stores.ts";
import type { StoredSource } from "./source-table.ts";

/** Undefined where a secret is lost: nothing may be sent or accepted without it. */
async function fill(vault: SecretVault, written: JsonMap): Promise<JsonMap | undefined> {
  const names = findReferences(written);
  const known = await vault.openAll(names);
  if (names.some((name) => !known.has(name))) return undefined;
  return fillReferences(written, known) as JsonMap;
}

/** The settings in the form that the kind expects; null while they are incomplete. */
export async function openSourceSettings(
  vault: SecretVault,
  generated: GeneratedSecrets,
  stores: Stores,
  { kind: kindName, settings }: StoredSource,
): Promise<JsonMap | null> {
  const kind = findSourceKind(kindName);
  if (kind?.channel !== undefined) {
    const read = kind.settings.safeParse(
      await loadChannelSettings(stores, generated, vault, kind.channel),
    );
    return read.success ? (read.data as JsonMap) : null;
  }
  const filled = await fill(vault, settings);
  if (!kind || !filled) return null;
  const read = kind.settings.safeParse(filled);
  return read.success ? (read.data as JsonMap) : null;
}

/** Undefined where none is set up, or a secret of it is lost. */
export async function openClassifier(
  vault: SecretVault,
  { classifier }: JsonMap,
): Promise<ClassifierConfig | undefined> {
  const filled = isMap(classifier) ? await fill(vault, { classifier }) : undefined;
  const checked = filled && checkMessages(filled, () => true);
  return checked?.ok ? (checked.value.classifier ?? undefined) : undefined;
}
