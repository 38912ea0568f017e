/** What a `config` block changes, and everything that such blocks have set (decision 50). */
import { type ConfigChange, readConfig } from "../mess/config.ts";
import { writeExecutor } from "../mess/config-executor.ts";
import { membersNamed, writeRouting } from "../mess/config-routing.ts";
import type { Outcome } from "../mess/errors.ts";
import type { Json, JsonMap } from "../mess/json.ts";
import { ok } from "../mess/result.ts";
import { removePerson } from "./sign-in.ts";
import type { Stores } from "./stores.ts";

function apply(stores: Stores, change: ConfigChange, now: number): void {
  const { members, credentials, people, routing, settings } = stores;
  for (const id of change.removals) {
    members.retire(id);
    credentials.revokeExecutor(id, now);
    if (people.person(id)?.role === "executor") removePerson(stores, id);
  }
  for (const executor of change.executors) members.put(executor, now);
  if (change.routing) routing.replace(change.routing);
  for (const entry of change.capabilities) routing.describe(entry);
  settings.set("name", change.settings.name);
  settings.set("time_zone", change.settings.time_zone);
  settings.keep(change.other);
}

/** To be run in one transaction. Executors are added or replaced one by one, routing as a whole. */
export function configure(
  stores: Stores,
  block: JsonMap,
  now: number,
): Outcome<{ warnings: string[] }> {
  const change = readConfig(block);
  if (!change.ok) return change;
  apply(stores, change.value, now);
  const strangers = membersNamed(stores.routing.config()).filter(
    (id) => stores.members.executor(id) === undefined,
  );
  const warnings = strangers.map((id) => `routing names ${id}, which is no executor here`);
  return ok({ warnings: [...change.value.warnings, ...warnings] });
}

/** A `config` body that sets all this again. */
export function configurationOf({ members, routing, settings }: Stores): JsonMap {
  const { id: _id, ...own } = settings.household();
  const catalog = routing.catalog();
  return {
    settings: own,
    executors: Object.fromEntries(members.executors().map((one) => [one.id, writeExecutor(one)])),
    routing: writeRouting(routing.config()),
    ...(catalog.length > 0 ? { capabilities: catalog as unknown as Json } : {}),
    ...settings.get("other"),
  };
}
