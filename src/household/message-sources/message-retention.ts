/** Deletes old messages of sources once a day, where the household limits how long they are kept. */
import { logDefect } from "../../log.ts";
import { getSourceStub } from "../../stubs.ts";
import { getRetentionDays } from "../memberships/group-retention.ts";
import type { Stores } from "../stores.ts";

const DAY_MS = 86_400_000;
/** Calls to one source in a day; the rest follows on the next. */
const MAX_CALLS_PER_SOURCE = 100;

/** Runs in the household's alarm. A source that fails is tried again on the next day. */
export async function deleteOldSourceMessages(
  env: Pick<Env, "SOURCES">,
  stores: Stores,
  now: number,
): Promise<void> {
  const days = getRetentionDays(stores, "message_retention_days");
  if (days === undefined || (stores.settings.get("sources_pruned") ?? 0) > now - DAY_MS) return;
  stores.settings.set("sources_pruned", now);
  const { id: household } = stores.settings.getHousehold();
  for (const { name } of stores.messageSources.list())
    try {
      const { messages } = getSourceStub(env, household, name);
      for (let call = 0; call < MAX_CALLS_PER_SOURCE; call++)
        if (!(await messages.deleteOlder(now - days * DAY_MS)).more) break;
    } catch (error) {
      logDefect(error, { household, source: name, during: "retention" });
    }
}
