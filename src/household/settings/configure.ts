/** Applies `config` blocks, and exports everything that they have set (decision 50). */
import { UNREADABLE_HINT } from "../secrets/reseal.ts";
import { type ConfigChange, listExecutorEntries, readConfig } from "../../mess/config/config.ts";
import { getClassifierPart } from "../../mess/config/messages.ts";
import { writeExecutor } from "../../mess/config/executor.ts";
import { listNamedMembers, writeRouting } from "../../mess/config/routing-rules.ts";
import { type Outcome, refuse } from "../../mess/errors.ts";
import { isMap, type Json, type JsonMap } from "../../mess/json.ts";
import { LIMITS } from "../../mess/limits.ts";
import { ok } from "../../mess/result.ts";
import {
  checkDispatch,
  checkNotify,
  warnUnregistered,
  warnUnsetChannels,
} from "./check-channels.ts";
import {
  applySources,
  exportSourceConfig,
  exportSources,
  syncSourcesOfChannels,
} from "../message-sources/configure-sources.ts";
import {
  checkMessagesConfig,
  checkSourceNames,
  checkSources,
} from "../message-sources/check-sources.ts";
import {
  checkLoginSecrets,
  listLoginSecrets,
  removeLeftSecrets,
} from "../message-sources/login-secrets.ts";
import { endChangedConfirmations } from "../contacts/approval-chats.ts";
import { checkHooks } from "../hooks/check-hooks.ts";
import { releaseHeldNotices } from "../contacts/held-notices.ts";
import { ALERTS_BREAKER_KEY } from "../contacts/owner-alerts.ts";
import { exportSchedules, configureSchedules } from "../schedules/manage-schedules.ts";
import {
  isRetention,
  MAX_RETENTION_DAYS,
  RETENTION_SETTINGS,
} from "../memberships/group-retention.ts";
import { isCoalescingScope } from "../threads/coalesce.ts";
import { extractSecrets } from "../secrets/extract-secrets.ts";
import {
  listCurrentSections,
  listDispatchSections,
  toHooksSection,
  toMessagesSection,
  toNotifySection,
  toSourcesSection,
} from "./config-sections.ts";
import { isChannelKind } from "../../channels/registry.ts";
import type { NewSecret } from "../secrets/secrets.ts";
import type { AuditSource } from "../../contracts/audit.ts";
import { describeConfigChange } from "../audit/describe-config.ts";
import { isServingRole } from "../../auth/roles.ts";
import { revokeExecutorKeys } from "../identity/member-keys.ts";
import { removePerson } from "../identity/sign-in.ts";
import type { Stores } from "../stores.ts";
import { findReferences } from "../secrets/secret-references.ts";
import type { SecretVault } from "../secrets/secret-vault.ts";

/** A validated block, ready to be stored, with its secrets extracted and sealed. */
export interface PreparedConfig {
  change: ConfigChange;
  secrets: NewSecret[];
  warnings: string[];
}

/** Names of the secrets that the configuration refers to. */
export const listReferredSecrets = (stores: Stores): Set<string> =>
  new Set(listCurrentSections(stores).flatMap(({ value }) => findReferences(value)));

/** The configuration of channels, of executors' addresses, and of message sources. */
type ConfigWithSecrets = Pick<
  ConfigChange,
  "dispatch" | "executors" | "sources" | "messages" | "hooks"
>;

/** The change with its secrets replaced by references, and the extracted secrets. */
export function extractConfigSecrets<T extends ConfigWithSecrets>(
  stores: Stores,
  change: T,
): { change: T; extracted: Map<string, string> } {
  const withChannels = change.executors.filter(({ notify }) => notify !== undefined);
  const dispatch = listDispatchSections(change.dispatch ?? {});
  const fresh = [
    ...dispatch,
    ...withChannels.map(({ id, notify }) => toNotifySection(id, notify!)),
    toSourcesSection(change.sources ?? {}),
    toMessagesSection(change.messages ?? {}),
    toHooksSection(change.hooks ?? {}),
  ];
  const { values, extracted } = extractSecrets(
    fresh,
    listCurrentSections(stores),
    stores.secrets.listOwnerSetNames(),
  );
  const [channels, alerts] = values;
  const written: JsonMap = {};
  for (const key of Object.keys(change.dispatch ?? {})) {
    written[key] = key === "alerts" ? alerts! : (channels as JsonMap)[key]!;
  }
  const notify = new Map(
    withChannels.map(({ id }, index) => [id, values[dispatch.length + index]!]),
  );
  const [sources, classifier, hooks] = values.slice(-3) as [JsonMap, JsonMap, JsonMap];
  return {
    change: {
      ...change,
      ...(change.dispatch ? { dispatch: written } : {}),
      ...(change.sources ? { sources } : {}),
      ...(change.hooks ? { hooks } : {}),
      ...(change.messages ? { messages: { ...change.messages, ...classifier } } : {}),
      executors: change.executors.map((one) =>
        notify.has(one.id) ? { ...one, notify: notify.get(one.id)! } : one,
      ),
    },
    extracted,
  };
}

/** Validates the block and seals its secrets. Stores nothing. */
export async function prepareConfig(
  stores: Stores,
  vault: SecretVault,
  block: JsonMap,
): Promise<Outcome<PreparedConfig>> {
  const read = readConfig(block);
  if (!read.ok) return read;
  const { change, extracted } = extractConfigSecrets(stores, read.value);
  const { dispatch = {}, executors, sources = {}, messages = {}, hooks = {} } = change;
  const names = findReferences([
    dispatch,
    sources,
    hooks,
    getClassifierPart(messages),
    ...executors.map(({ notify }) => notify ?? null),
  ]);
  const secretValues = new Map([...(await vault.openAll(names)), ...extracted]);

  const warnings = [...change.warnings];
  const checked = checkDispatch(dispatch, secretValues);
  if (!checked.ok) return checked;
  const checkedSources = checkSources(sources, secretValues);
  if (!checkedSources.ok) return checkedSources;
  const checkedNames = checkSourceNames(sources, stores.settings.getHousehold().id);
  if (!checkedNames.ok) return checkedNames;
  const checkedMessages = checkMessagesConfig(messages, secretValues);
  if (!checkedMessages.ok) return checkedMessages;
  const checkedHooks = checkHooks(hooks, secretValues);
  if (!checkedHooks.ok) return checkedHooks;
  warnings.push(...checked.value, ...checkedSources.value);
  const found = listExecutorEntries(block);
  const paths = new Map(found.ok ? found.value.map(([path, id]) => [id, path]) : []);
  for (const { id, notify } of executors) {
    if (notify === undefined) continue;
    const path = `${paths.get(id) ?? "config.executor"}.notify`;
    const checked = checkNotify(notify, path, secretValues);
    if (!checked.ok) return checked;
    const channels = { ...stores.settings.getDispatch(), ...dispatch };
    warnings.push(
      ...checked.value,
      ...warnUnsetChannels(notify, path.slice("config.".length), channels),
    );
  }
  for (const name of names) {
    if (!secretValues.has(name))
      warnings.push(
        stores.secrets.get(name)
          ? `the secret ${name} cannot be opened. ${UNREADABLE_HINT}`
          : `the secret ${name} is not set`,
      );
  }
  const before = stores.settings.getDispatch();
  warnings.push(...warnUnregistered(read.value.dispatch?.["telegram"], before["telegram"]));
  const secrets = await Promise.all(
    [...extracted].map(([name, value]) => vault.seal(name, value, true)),
  );
  return ok({ change, secrets, warnings });
}

function applyConfig(stores: Stores, change: ConfigChange, source: AuditSource, now: number): void {
  const { members, credentials, people, routing, settings, circuitBreakers: breakers } = stores;
  for (const id of change.removals) {
    if (members.findExecutor(id))
      stores.revocations.endMembership(id, members.getMembership(id), now);
    members.removeExecutor(id);
    revokeExecutorKeys(stores, id, source, now);
    const role = people.find(id)?.role;
    if (role && isServingRole(role)) removePerson(stores, id, source, now);
    breakers.resetExecutor(id);
    if (!people.find(id) && !credentials.getRole(id)) stores.subscriptions.removeAll(id);
  }
  for (const executor of change.executors) {
    members.putExecutor(executor, now);
    releaseHeldNotices(stores, executor.id, now);
    stores.revocations.restore(executor.id);
    breakers.resetExecutor(executor.id);
  }
  if (change.routing) routing.replace(change.routing);
  for (const entry of change.capabilities) routing.putCatalogEntry(entry);
  if (change.dispatch) {
    settings.setDispatch(change.dispatch);
    for (const key of Object.keys(change.dispatch)) {
      if (isChannelKind(key)) breakers.resetChannel(key);
      if (key === "alerts") breakers.resetExecutor(ALERTS_BREAKER_KEY);
    }
  }
  if (change.hooks) settings.setHooks(change.hooks);
  if (change.access) settings.setAccess(change.access);
  settings.set("name", change.settings.name);
  settings.set("time_zone", change.settings.time_zone);
  const { schedules: _schedules, ...other } = change.other;
  settings.mergeOther(other);
}

/**
 * Stores a prepared block. Run it in one transaction. Executors, channels and schedules are added or replaced one by
 * one; routing is replaced as a whole.
 * @param source the owner who configures
 */
export function configure(
  stores: Stores,
  { change, secrets, warnings }: PreparedConfig,
  source: AuditSource,
  now: number,
): Outcome<{ warnings: string[] }> {
  const kept = checkLoginSecrets(stores, { change, secrets });
  if (!kept.ok) return kept;
  const loginSecrets = listLoginSecrets(stores);
  endChangedConfirmations(stores, { change, secrets });
  applyConfig(stores, change, source, now);
  const scheduled = configureSchedules(stores, change.other["schedules"], source.actor, now);
  if (!scheduled.ok) return scheduled;
  const sources = applySources(stores, change, source, now);
  if (!sources.ok) return sources;
  syncSourcesOfChannels(stores, Object.keys(change.dispatch ?? {}), now);
  removeLeftSecrets(stores, loginSecrets);
  for (const secret of secrets) stores.secrets.put(secret, now);
  stores.secrets.deleteUnreferenced(listReferredSecrets(stores));
  const error = stores.secrets.checkLimit() ?? checkConfigSize(stores);
  if (error) return error;
  const detail = describeConfigChange(
    change,
    secrets.map(({ name }) => name),
  );
  stores.audit.append({ action: "config_changed", source, detail }, now);
  const unknownMembers = listNamedMembers(stores.routing.getRules()).filter(
    (id) => stores.members.findExecutor(id) === undefined,
  );
  return ok({
    warnings: [
      ...warnings,
      ...unknownMembers.map(
        (id) => `routing names ${id}, which is not an executor of this household`,
      ),
      ...scheduled.value,
      ...buildCoalescingWarnings(change.other),
      ...buildRetentionWarnings(change.other),
    ],
  });
}

/** Blocks are merged, so the merged configuration is held to the size limit of one block. */
function checkConfigSize(stores: Stores): Outcome<never> | undefined {
  const { settings } = stores;
  const size = JSON.stringify([
    settings.getDispatch(),
    exportSources(stores),
    settings.getMessages(),
    settings.getHooks(),
    settings.get("other") ?? {},
  ]).length;
  return size <= LIMITS.textBytes
    ? undefined
    : refuse(
        "too_large",
        `the configuration holds more than ${LIMITS.textBytes} characters`,
        "Remove keys of dispatch or sources that are no longer needed by setting them to null.",
      );
}

function buildCoalescingWarnings({ settings }: JsonMap): string[] {
  const scope = isMap(settings) ? settings["coalesce"] : undefined;
  return scope === undefined || isCoalescingScope(scope)
    ? []
    : ["settings.coalesce must be household, own or off; household is used"];
}

function buildRetentionWarnings({ settings }: JsonMap): string[] {
  return RETENTION_SETTINGS.flatMap((name) => {
    const days = isMap(settings) ? settings[name] : undefined;
    return days === undefined || days === null || isRetention(days)
      ? []
      : [
          `settings.${name} must be a whole number from 1 to ${MAX_RETENTION_DAYS}; all messages are kept`,
        ];
  });
}

/** Resets the breakers of channels that refer to the secret, since a revoked token may have caused their failures. */
export function resetBreakersOfSecret(stores: Stores, name: string): void {
  const { members, settings, circuitBreakers: breakers } = stores;
  for (const [key, written] of Object.entries(settings.getDispatch())) {
    if (!findReferences(written).includes(name)) continue;
    if (isChannelKind(key)) breakers.resetChannel(key);
    if (key === "alerts") breakers.resetExecutor(ALERTS_BREAKER_KEY);
  }
  for (const { id, notify } of members.listExecutors()) {
    if (findReferences(notify).includes(name)) breakers.resetExecutor(id);
  }
}

/** A `config` body that restores the whole configuration. */
export function exportConfiguration(stores: Stores): JsonMap {
  const { members, routing, settings } = stores;
  const { id: _id, ...own } = settings.getHousehold();
  const catalog = routing.listCatalog();
  const dispatch = settings.getDispatch();
  const access = settings.get("access");
  const hooks = settings.getHooks();
  const { settings: unknown, ...other } = settings.get("other") ?? {};
  return {
    settings: { ...(isMap(unknown) ? unknown : {}), ...own },
    executors: Object.fromEntries(
      members.listExecutors().map((one) => [one.id, writeExecutor(one)]),
    ),
    routing: writeRouting(routing.getRules()),
    ...(catalog.length > 0 ? { capabilities: catalog as unknown as Json } : {}),
    ...(Object.keys(dispatch).length > 0 ? { dispatch } : {}),
    ...(Object.keys(hooks).length > 0 ? { hooks } : {}),
    ...(access === undefined ? {} : { access: { ...access } }),
    ...exportSourceConfig(stores),
    ...exportSchedules(stores),
    ...other,
  };
}
