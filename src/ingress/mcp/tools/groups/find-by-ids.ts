/** Finds the household of a call by the ids in it, so that the caller need not name it. */
import type { Principal } from "../../../../auth/principal.ts";
import type { Outcome } from "../../../../mess/errors.ts";
import { refuseSeveralMemberships } from "../../../../mess/groups/refusals.ts";
import { hasSeveral, type McpCaller } from "../../caller.ts";

/**
 * Runs `work` for each household of the caller until one knows the ids.
 * @param id of a group or member, which is needed where the caller has several households
 */
export async function findByIds<T>(
  caller: McpCaller,
  id: string | undefined,
  work: (principal: Principal) => Promise<Outcome<T>>,
): Promise<Outcome<T>> {
  if (hasSeveral(caller) && id === undefined) return refuseSeveralMemberships("group_id", []);
  const [first, ...others] = caller.principals;
  let found = await work(first);
  for (const principal of others) {
    if (!isElsewhere(found)) return found;
    const next = await work(principal);
    // An unknown member tells more than an unknown group: it is the error of the household that has the group.
    if (next.ok || next.error.code !== "not_found") found = next;
  }
  return found;
}

/** Unknown there. An error that lists valid ids is about a part of the group. */
const isElsewhere = (found: Outcome<unknown>): boolean =>
  !found.ok &&
  ["not_found", "unknown_member"].includes(found.error.code) &&
  found.error.valid === undefined;
