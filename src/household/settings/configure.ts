/** What a `config` block changes, and everything that such blocks have set (decision 50). */
import { type ConfigChange, executorsIn, readConfig } from "../../mess/config/config.ts";
import { writeExecutor } from "../../mess/config/executor.ts";
import { membersNamed, writeRouting } from "../../mess/config/routing-rules.ts";
import { type Outcome, refuse } from "../../mess/errors.ts";
import { isMap, type Json, type JsonMap } from "../../mess/json.ts";
import { LIMITS } from "../../mess/limits.ts";
import { ok } from "../../mess/result.ts";
import { checkDispatch, checkNotify, unregistered } from "./check-channels.ts";
import { ALERTS } from "../contacts/owner-alerts.ts";
import { configuredSchedules, configureSchedules } from "../schedules/manage-schedules.ts";
import { isCoalescing } from "../threads/coalesce.ts";
import { liftSecrets, type Part } from "../secrets/extract-secrets.ts";
import { isChannel } from "../contacts/notify-settings.ts";
import type { NewSecret } from "../secrets/secrets.ts";
import { endCredential } from "../identity/end-access.ts";
import { removePerson } from "../identity/sign-in.ts";
import type { Stores } from "../stores.ts";
import { referencesIn, type Vault } from "../secrets/secret-vault.ts";

/** A block as it will be stored: read, checked, its secrets sealed apart from it. */
export interface Prepared {
  change: ConfigChange;
  secrets: NewSecret[];
  warnings: string[];
}

const dispatchParts = ({ alerts, ...channels }: JsonMap): Part[] => [
  { root: "dispatch", names: [], value: channels },
  ...(alerts === undefined ? [] : [{ root: "dispatch.alerts", names: ["alerts"], value: alerts }]),
];

const notifyPart = (id: string, value: Json): Part => ({
  root: `executors.${id}`,
  names: [id],
  value,
});

/** All that may refer to secrets, as it stands. */
const standingParts = ({ members, settings }: Stores): Part[] => [
  ...dispatchParts(settings.dispatch()),
  ...members.executors().flatMap(({ id, notify }) => (notify ? [notifyPart(id, notify)] : [])),
];

/** Names of the secrets that the configuration refers to. */
export const referred = (stores: Stores): Set<string> =>
  new Set(standingParts(stores).flatMap(({ value }) => referencesIn(value)));

/** The change without secrets in clear, and what was taken out of it. */
function lift(
  stores: Stores,
  change: ConfigChange,
): { change: ConfigChange; lifted: Map<string, string> } {
  const reached = change.executors.filter(({ notify }) => notify !== undefined);
  const dispatch = dispatchParts(change.dispatch ?? {});
  const fresh = [...dispatch, ...reached.map(({ id, notify }) => notifyPart(id, notify!))];
  const { values, lifted } = liftSecrets(fresh, standingParts(stores));
  const [channels, alerts] = values;
  const written: JsonMap = {};
  for (const key of Object.keys(change.dispatch ?? {})) {
    written[key] = key === "alerts" ? alerts! : (channels as JsonMap)[key]!;
  }
  const notify = new Map(reached.map(({ id }, index) => [id, values[dispatch.length + index]!]));
  return {
    change: {
      ...change,
      ...(change.dispatch ? { dispatch: written } : {}),
      executors: change.executors.map((one) =>
        notify.has(one.id) ? { ...one, notify: notify.get(one.id)! } : one,
      ),
    },
    lifted,
  };
}

/** Reads and checks the block, and seals what is secret in it. Nothing is stored. */
export async function prepare(
  stores: Stores,
  vault: Vault,
  block: JsonMap,
): Promise<Outcome<Prepared>> {
  const read = readConfig(block);
  if (!read.ok) return read;
  const { change, lifted } = lift(stores, read.value);
  const { dispatch = {}, executors } = change;
  const names = referencesIn([dispatch, ...executors.map(({ notify }) => notify ?? null)]);
  const known = new Map([...(await vault.openAll(names)), ...lifted]);

  const warnings = [...change.warnings];
  const checked = checkDispatch(dispatch, known);
  if (!checked.ok) return checked;
  warnings.push(...checked.value);
  const found = executorsIn(block);
  const paths = new Map(found.ok ? found.value.map(([path, id]) => [id, path]) : []);
  for (const { id, notify } of executors) {
    if (notify === undefined) continue;
    const path = `${paths.get(id) ?? "config.executor"}.notify`;
    const fits = checkNotify(notify, path, known);
    if (!fits.ok) return fits;
    warnings.push(...fits.value);
  }
  for (const name of names) {
    if (!known.has(name)) warnings.push(`the secret ${name} is not set`);
  }
  const before = stores.settings.dispatch();
  warnings.push(...unregistered(read.value.dispatch?.["telegram"], before["telegram"]));
  const secrets = await Promise.all(
    [...lifted].map(([name, value]) => vault.seal(name, value, true)),
  );
  return ok({ change, secrets, warnings });
}

function apply(stores: Stores, change: ConfigChange, now: number): void {
  const { members, credentials, people, routing, settings, breakers } = stores;
  for (const id of change.removals) {
    if (members.executor(id)) stores.revocations.endMembership(id, members.membership(id), now);
    members.retire(id);
    for (const key of credentials.revokeExecutor(id, now)) endCredential(stores, `key:${key}`, now);
    if (people.person(id)?.role === "executor") removePerson(stores, id, now);
    breakers.resetExecutor(id);
    if (!people.person(id) && !credentials.roleOf(id)) stores.subscriptions.removeAll(id);
  }
  for (const executor of change.executors) {
    members.put(executor, now);
    stores.revocations.restore(executor.id);
    breakers.resetExecutor(executor.id);
  }
  if (change.routing) routing.replace(change.routing);
  for (const entry of change.capabilities) routing.describe(entry);
  if (change.dispatch) {
    settings.setDispatch(change.dispatch);
    for (const key of Object.keys(change.dispatch)) {
      if (isChannel(key)) breakers.resetChannel(key);
      if (key === "alerts") breakers.resetExecutor(ALERTS);
    }
  }
  settings.set("name", change.settings.name);
  settings.set("time_zone", change.settings.time_zone);
  const { schedules: _schedules, ...other } = change.other;
  settings.keep(other);
}

/**
 * To be run in one transaction. Executors are added or replaced one by one, channels and schedules too, routing as a
 * whole.
 * @param by the owner who configures
 */
export function configure(
  stores: Stores,
  { change, secrets, warnings }: Prepared,
  by: string,
  now: number,
): Outcome<{ warnings: string[] }> {
  apply(stores, change, now);
  const scheduled = configureSchedules(stores, change.other["schedules"], by, now);
  if (!scheduled.ok) return scheduled;
  for (const secret of secrets) stores.secrets.put(secret, now);
  stores.secrets.keepReferred(referred(stores));
  const fault = stores.secrets.tooMany() ?? tooLarge(stores);
  if (fault) return fault;
  const strangers = membersNamed(stores.routing.config()).filter(
    (id) => stores.members.executor(id) === undefined,
  );
  return ok({
    warnings: [
      ...warnings,
      ...strangers.map((id) => `routing names ${id}, which is no executor here`),
      ...scheduled.value,
      ...coalescingWarnings(change.other),
    ],
  });
}

/** Blocks add up; what they have set stays within what one block may hold. */
function tooLarge({ settings }: Stores): Outcome<never> | undefined {
  const size = JSON.stringify([settings.dispatch(), settings.get("other") ?? {}]).length;
  return size <= LIMITS.text
    ? undefined
    : refuse(
        "too_large",
        `the configuration holds more than ${LIMITS.text} characters`,
        "Take keys out of dispatch that are no longer needed, by null.",
      );
}

function coalescingWarnings({ settings }: JsonMap): string[] {
  const said = isMap(settings) ? settings["coalesce"] : undefined;
  return said === undefined || isCoalescing(said)
    ? []
    : ["settings.coalesce is none of household, own and off, and counts as household"];
}

/** What refers to the secret is tried again: a token that was revoked may be the reason why it takes nothing. */
export function secretChanged(stores: Stores, name: string): void {
  const { members, settings, breakers } = stores;
  for (const [key, written] of Object.entries(settings.dispatch())) {
    if (!referencesIn(written).includes(name)) continue;
    if (isChannel(key)) breakers.resetChannel(key);
    if (key === "alerts") breakers.resetExecutor(ALERTS);
  }
  for (const { id, notify } of members.executors()) {
    if (referencesIn(notify).includes(name)) breakers.resetExecutor(id);
  }
}

/** A `config` body that sets all this again. */
export function configurationOf(stores: Stores): JsonMap {
  const { members, routing, settings } = stores;
  const { id: _id, ...own } = settings.household();
  const catalog = routing.catalog();
  const dispatch = settings.dispatch();
  const { settings: unknown, ...other } = settings.get("other") ?? {};
  return {
    settings: { ...(isMap(unknown) ? unknown : {}), ...own },
    executors: Object.fromEntries(members.executors().map((one) => [one.id, writeExecutor(one)])),
    routing: writeRouting(routing.config()),
    ...(catalog.length > 0 ? { capabilities: catalog as unknown as Json } : {}),
    ...(Object.keys(dispatch).length > 0 ? { dispatch } : {}),
    ...configuredSchedules(stores),
    ...other,
  };
}
