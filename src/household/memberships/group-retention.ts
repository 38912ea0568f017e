/** Deletes old messages of AI groups once a day, where the household limits how long they are kept. */
import { logDefect } from "../../log.ts";
import { isMap, type Json } from "../../mess/json.ts";
import { getGroupStub } from "../../stubs.ts";
import type { Stores } from "../stores.ts";

const DAY_MS = 86_400_000;
export const MAX_RETENTION_DAYS = 3_650;
/** Calls to one group in a day; the rest follows on the next. */
const MAX_CALLS_PER_GROUP = 100;

export const isRetention = (days: Json | undefined): days is number =>
  typeof days === "number" && Number.isInteger(days) && days >= 1 && days <= MAX_RETENTION_DAYS;

export const RETENTION_SETTINGS = ["group_retention_days", "message_retention_days"] as const;

/** Undefined where all are kept. */
export function getRetentionDays(
  { settings }: Stores,
  name: (typeof RETENTION_SETTINGS)[number],
): number | undefined {
  const { settings: own } = settings.get("other") ?? {};
  const days = isMap(own) ? own[name] : undefined;
  return isRetention(days) ? days : undefined;
}

/** Runs in the household's alarm. A group that fails is tried again on the next day. */
export async function deleteOldGroupMessages(
  env: Pick<Env, "GROUPS">,
  stores: Stores,
  now: number,
): Promise<void> {
  const days = getRetentionDays(stores, "group_retention_days");
  if (days === undefined || (stores.settings.get("groups_pruned") ?? 0) > now - DAY_MS) return;
  stores.settings.set("groups_pruned", now);
  const { id: household } = stores.settings.getHousehold();
  for (const group of stores.groups.listIds())
    try {
      const stub = getGroupStub(env, household, group);
      for (let call = 0; call < MAX_CALLS_PER_GROUP; call++)
        if (!(await stub.deleteOlder(now - days * DAY_MS)).more) break;
    } catch (error) {
      logDefect(error, { household, group, during: "retention" });
    }
}
