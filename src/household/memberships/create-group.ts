/** Creates AI groups. */
import type { NewMembership } from "../../contracts/household-groups.ts";
import { defined } from "../../mess/defined.ts";
import { type Outcome, refuse } from "../../mess/errors.ts";
import { GROUP_LIMITS } from "../../mess/groups/vocabulary.ts";
import { ok } from "../../mess/result.ts";
import type { Stores } from "../stores.ts";
import type { GroupPrincipal } from "./group-callers.ts";
import { createId, syncGroup } from "./group-jobs.ts";
import { toNewMembership } from "./membership-views.ts";

/** Within this time, the same call returns the first group: clients repeat calls whose answer was lost. */
const REPEATED_CALL_MS = 60_000;

/** The caller becomes the primary ops. */
export function createGroup(
  stores: Stores,
  { actor, credential }: GroupPrincipal,
  { topic, my_name: name = actor, description }: NewGroup,
  now: number,
): Outcome<NewMembership> {
  const same = stores.groups.findRecent({ credential, name, topic }, now - REPEATED_CALL_MS);
  if (same?.primary !== undefined)
    return ok(toNewMembership(stores, { group: same.id, key: same.primary }, true));
  if (stores.groups.countOpenOf(actor) >= GROUP_LIMITS.openGroupsPerMember)
    return refuse(
      "too_many",
      `you are the primary ops of ${GROUP_LIMITS.openGroupsPerMember} open groups`,
      "Close groups that are finished.",
    );
  if (stores.groups.countOpen() >= GROUP_LIMITS.openGroupsPerHousehold)
    return refuse(
      "too_many",
      `the household has ${GROUP_LIMITS.openGroupsPerHousehold} open groups`,
      "Close groups that are finished.",
    );
  const group = createId("g");
  const key = createId("o");
  stores.groups.add({ id: group, topic, created: now, primary: key, ...defined({ description }) });
  stores.groupMembers.put({ group, key, name, role: "ops", actor, credential, joined: now });
  syncGroup(stores, group, now);
  return ok(toNewMembership(stores, { group, key }, false));
}

export interface NewGroup {
  topic: string;
  my_name?: string;
  description?: string;
}
