/** Asks the objects of groups and pools when their members gave a last sign of life. */
import { log } from "../../../log.ts";
import { withTimeout } from "../../../object/with-timeout.ts";
import { getGroupStub } from "../../../stubs.ts";
import type { PoolEntry } from "./pool-store.ts";

const GROUP_TIMEOUT_MS = 2_000;

/** By group, then by key of the member. Groups that did not answer are missing. */
export type SeenByGroup = ReadonlyMap<string, Readonly<Record<string, number>>>;

export async function readSignsOfLife(
  env: Pick<Env, "GROUPS">,
  household: string,
  groups: Iterable<string>,
): Promise<SeenByGroup> {
  const read = [...new Set(groups)].map(async (group) => {
    try {
      const object = getGroupStub(env, household, group);
      return [[group, await withTimeout(GROUP_TIMEOUT_MS, object.listSeen())]] as const;
    } catch {
      log("group_unreachable", { household, group });
      return [];
    }
  });
  return new Map((await Promise.all(read)).flat());
}

/** The pool and the group for which the agent is claimed. */
export const listGroupsOf = ({ pool, claim }: PoolEntry): string[] => [
  pool,
  ...(claim ? [claim.group] : []),
];

/** In milliseconds since 1970. A claim counts as a sign of life, so that its agent has time to notice it. */
export const getLastSeen = (entry: PoolEntry, signs: SeenByGroup): number =>
  Math.max(
    entry.seen,
    entry.claim?.at ?? 0,
    ...listGroupsOf(entry).map((group) => signs.get(group)?.[entry.key] ?? 0),
  );
