/** The households of the deployment with their health and use, for its operator. */
import type { HouseholdOverview } from "../contracts/settings.ts";
import type { Outcome } from "../mess/errors.ts";
import { ok } from "../mess/result.ts";
import { readIndex } from "../partitions/index-timeout.ts";
import { listHouseholdIds } from "../partitions/household-list.ts";
import { getHouseholdStub } from "../stubs.ts";

/** A household that does not respond is listed without its numbers. */
type ListedHousehold = HouseholdOverview | { id: string; health: { unavailable: true } };

/** @param after the last id of the previous page; empty for the first page */
export async function listHouseholds(
  env: Pick<Env, "INDEX" | "HOUSEHOLDS">,
  after: string,
  limit: number,
): Promise<Outcome<{ households: ListedHousehold[]; next_cursor?: string }>> {
  const listed = await readIndex(listHouseholdIds(env.INDEX, after, limit + 1));
  if (!listed.ok) return listed;
  const ids = listed.value.slice(0, limit);
  const found = await Promise.all(
    ids.map((id) =>
      getHouseholdStub(env, id)
        .settings.describeForOperator()
        .catch((): ListedHousehold => ({ id, health: { unavailable: true } })),
    ),
  );
  const households = found.filter((one) => one !== null);
  const last = ids.at(-1);
  const hasMore = listed.value.length > limit && last !== undefined;
  return ok({ households, ...(hasMore ? { next_cursor: last } : {}) });
}
