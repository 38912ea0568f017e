/** Applies `sources` and `messages` of a `config` block, and exports them. */
import type { AuditSource } from "../../contracts/audit.ts";
import type { ClassifierExample } from "../../contracts/household-sources.ts";
import { defined } from "../../mess/defined.ts";
import { splitSource, writeSource } from "../../mess/config/message-sources.ts";
import { type Outcome, refuse } from "../../mess/errors.ts";
import { isMap, type Json, type JsonMap } from "../../mess/json.ts";
import { ok } from "../../mess/result.ts";
import { SOURCE_LIMITS } from "../../mess/sources/vocabulary.ts";
import { SECRETARY_POLICY } from "../../mess/sources/secretary.ts";
import { findSourceKind } from "../../source-kinds/registry.ts";
import { findReferences } from "../secrets/secret-references.ts";
import type { Stores } from "../stores.ts";
import { changePolicy, changeRules, replaceExamples } from "./guide-watcher.ts";
import { catchUpSources, eraseSource, syncSource } from "./source-jobs.ts";
import type { ConfiguredSource, StoredSource } from "./source-table.ts";

/** Later than any record that the source's object may have, also of a removed source of the same name. */
const raiseRevision = (before: StoredSource | undefined, now: number): number =>
  Math.max(now, (before?.revision ?? 0) + 1);

/** Stores the source with a new revision, and queues the call that sends it to its object. */
export function putSource(stores: Stores, source: ConfiguredSource, now: number): void {
  const before = stores.messageSources.find(source.name);
  const revision = raiseRevision(before, now);
  stores.messageSources.put({ ...source, revision, created: before?.created ?? now });
  syncSource(stores, source.name, now);
}

/** Removes a source and everything of it; its object is emptied by a job. */
function removeSource(stores: Stores, name: string, by: AuditSource, now: number): void {
  if (!stores.messageSources.find(name)) return;
  stores.messageSources.remove(name);
  stores.secrets.removeGenerated(`source.${name}.`);
  stores.messageGuidance.removeCorrections(name);
  stores.messageNotices.removeSource(name);
  eraseSource(stores, name, now);
  stores.audit.append({ action: "source_removed", source: by, target: name }, now);
}

/** Call it in the transaction of the configuration. */
export function applySources(
  stores: Stores,
  { sources = {}, messages }: { sources?: JsonMap; messages?: JsonMap },
  by: AuditSource,
  now: number,
): Outcome<true> {
  for (const [name, entry] of Object.entries(sources)) {
    if (!isMap(entry)) {
      removeSource(stores, name, by, now);
      continue;
    }
    const before = stores.messageSources.find(name);
    const { kind, title, status, settings } = splitSource(entry);
    if (before && before.kind !== kind)
      return refuse(
        "bad_field",
        `config.sources.${name}.kind: the source is of the kind ${before.kind}`,
        "Use another name, or remove the source with its messages first.",
        { path: `config.sources.${name}.kind` },
      );
    const newStatus = status ?? before?.status ?? "connected";
    putSource(stores, { name, kind, settings, status: newStatus, ...defined({ title }) }, now);
    if (!before)
      stores.audit.append(
        { action: "source_registered", source: by, target: name, detail: { kind } },
        now,
      );
  }
  const twice = findSecondOfKind(stores);
  if (twice)
    return refuse(
      "bad_field",
      `config.sources.${twice.name}.kind: the household has a source of the kind ${twice.kind} already`,
      "One source gets all messages of the kind: change the other one, or remove it first.",
      { path: `config.sources.${twice.name}.kind` },
    );
  if (stores.messageSources.list().length > SOURCE_LIMITS.sourcesPerHousehold)
    return refuse(
      "too_many",
      `more than ${SOURCE_LIMITS.sourcesPerHousehold} message sources`,
      "Remove message sources that are not needed.",
    );
  return messages ? applyMessages(stores, messages, by, now) : ok(true);
}

/** Policy, rules and examples are rows of their own; the other keys are settings. */
function applyMessages(
  stores: Stores,
  { policy, rules, examples, ...settings }: JsonMap,
  by: AuditSource,
  now: number,
): Outcome<true> {
  stores.settings.setMessages(settings);
  if ("classifier" in settings) catchUpSources(stores, now);
  if (policy !== undefined) {
    const text = typeof policy === "string" ? policy : SECRETARY_POLICY;
    const changed = changePolicy(stores, text, by, now);
    if (!changed.ok) return changed;
  }
  if (rules !== undefined) {
    const changed = changeRules(stores, rules ?? [], by, now);
    if (!changed.ok) return changed;
  }
  if (examples !== undefined)
    replaceExamples(stores, (examples ?? []) as unknown as ClassifierExample[]);
  return ok(true);
}

function findSecondOfKind({ messageSources }: Stores): StoredSource | undefined {
  const singles = messageSources
    .list()
    .filter(({ kind }) => findSourceKind(kind)?.isSingle)
    .toSorted((a, b) => a.created - b.created);
  return singles.find((one, index) => singles.findIndex(({ kind }) => kind === one.kind) < index);
}

/** All sources as `config` blocks write them. */
export const exportSources = ({ messageSources }: Stores): JsonMap =>
  Object.fromEntries(messageSources.list().map((one) => [one.name, writeSource(one)]));

/** The keys of a configuration that restore the sources. */
export function exportSourceConfig(stores: Stores): JsonMap {
  const sources = exportSources(stores);
  const { messageGuidance: guidance, settings } = stores;
  const { version, text } = guidance.getPolicy();
  const rules = guidance.listRules();
  const examples = guidance.listExamples();
  const messages: JsonMap = {
    ...settings.getMessages(),
    ...(version > 0 ? { policy: text } : {}),
    ...(rules.length > 0 ? { rules } : {}),
    ...(examples.length > 0 ? { examples: examples as unknown as Json } : {}),
  };
  return defined({
    sources: Object.keys(sources).length > 0 ? sources : undefined,
    messages: Object.keys(messages).length > 0 ? messages : undefined,
  }) as JsonMap;
}

/** Sends the sources of the channels to their objects again: with other settings of a channel they may send or not. */
export function syncSourcesOfChannels(
  stores: Stores,
  channels: readonly string[],
  now: number,
): void {
  for (const source of stores.messageSources.list()) {
    const channel = findSourceKind(source.kind)?.channel;
    if (channel !== undefined && channels.includes(channel)) putSource(stores, source, now);
  }
}

/** Sends the sources that refer to the secret to their objects again: they may poll with it now. */
export function syncSourcesOfSecret(stores: Stores, secret: string, now: number): void {
  for (const source of stores.messageSources.list())
    if (findReferences(source.settings).includes(secret)) putSource(stores, source, now);
  const ofSecret = Object.entries(stores.settings.getDispatch())
    .filter(([, written]) => findReferences(written).includes(secret))
    .map(([channel]) => channel);
  syncSourcesOfChannels(stores, ofSecret, now);
  const classifier: Json | undefined = stores.settings.getMessages()["classifier"];
  if (findReferences(classifier).includes(secret)) catchUpSources(stores, now);
}
