/** Lists the household in D1: when it is created, and once a day in case the list was lost. */
import { listHousehold } from "../../partitions/household-list.ts";
import { withTimeout } from "../../object/with-timeout.ts";
import type { Stores } from "../stores.ts";

const LIST_INTERVAL_MS = 20 * 60 * 60 * 1000;
const RETRY_DELAY_MS = 60_000;
const LIST_TIMEOUT_MS = 5_000;

/** When a failed listing is repeated, in milliseconds since 1970. */
export const getNextListing = ({ settings }: Stores): number | undefined =>
  settings.get("list_after") ?? undefined;

/** Runs in the daily alarm. */
export async function listDaily(
  env: Pick<Env, "INDEX">,
  stores: Stores,
  now: number,
): Promise<void> {
  const next = getNextListing(stores);
  const last = stores.settings.get("listed") ?? 0;
  if (next === undefined ? last <= now - LIST_INTERVAL_MS : next <= now)
    await listSelf(env, stores, false, now);
}

/** Never rejects: the alarm repeats a failed listing. */
export async function listSelf(
  { INDEX }: Pick<Env, "INDEX">,
  { settings }: Stores,
  isNew: boolean,
  now: number,
): Promise<void> {
  try {
    const { id } = settings.getHousehold();
    await withTimeout(LIST_TIMEOUT_MS, listHousehold(INDEX, id, isNew, now));
    settings.set("listed", now);
    if (settings.get("list_after") !== undefined) settings.set("list_after", null);
  } catch {
    settings.set("list_after", now + RETRY_DELAY_MS);
  }
}
