/** Durable jobs that call the object of a group: they bring it the household's record, and post what it must know. */
import { log } from "../../log.ts";
import { getGroupStub } from "../../stubs.ts";
import type { AssignmentEnd, GroupNotice, GroupRecord } from "../../contracts/groups.ts";
import { buildGroupId, type GroupIdPrefix, ID_BYTES } from "../../mess/groups/ids.ts";
import { isPoolId } from "../../mess/groups/vocabulary.ts";
import { defined } from "../../mess/defined.ts";
import { exponential } from "../../object/retry.ts";
import type { JobHandlers } from "../../object/stored-jobs.ts";
import type { HouseholdJobs } from "../jobs/job-kinds.ts";
import type { Stores } from "../stores.ts";
import { OFFER_LIFETIME_MS, type StoredGroup } from "./group-catalog.ts";

/** Later jobs of a group wait for its earlier ones, so they are tried without limit. */
const GROUP_RETRY = exponential(1_000, 60_000);

/** The kinds in the order in which one change adds them to the queue of a group. */
export const GROUP_JOB_KINDS = [
  "syncGroup",
  "endAssignment",
  "postToGroup",
  "markNotices",
] as const;
type GroupJobKind = (typeof GROUP_JOB_KINDS)[number];

/** All jobs of a group share a queue: a message can be posted only when the object knows its receiver. */
const toQueue = (group: string): string => `group ${group}`;

export const createId = (prefix: GroupIdPrefix): string =>
  buildGroupId(prefix, crypto.getRandomValues(new Uint8Array(ID_BYTES)));

/** Call it in the transaction that changes the group or its members. */
export function syncGroup({ groups, jobs }: Stores, group: string, now: number): void {
  groups.raiseRevision(group);
  jobs.put("syncGroup", toQueue(group), { group }, now);
}

export function postToGroup({ jobs }: Stores, group: string, notice: GroupNotice, now: number) {
  jobs.add("postToGroup", toQueue(group), { group, notice }, now);
}

export function endAssignment({ jobs }: Stores, group: string, end: AssignmentEnd, now: number) {
  jobs.add("endAssignment", toQueue(group), { group, end }, now);
}

/** Marks the messages as read that the exchange has sent the member so far. */
export function markNotices({ jobs }: Stores, group: string, member: string, now: number) {
  jobs.add("markNotices", toQueue(group), { group, member }, now);
}

export function createGroupHandlers(
  env: Pick<Env, "GROUPS">,
  stores: Stores,
  household: string,
): Pick<JobHandlers<HouseholdJobs>, GroupJobKind> {
  const object = (group: string) => getGroupStub(env, household, group);
  return {
    syncGroup: {
      run: async ({ group }) => {
        const record = buildRecord(stores, household, group);
        if (!record) return "give_up";
        await object(group).sync(record);
        return "done";
      },
      retryDelayMs: GROUP_RETRY,
    },
    postToGroup: {
      run: async ({ group, notice }) => {
        // The object may have forgotten an agent that left the pool.
        if (isPoolId(group) && !stores.groupMembers.find(group, notice.to)) return "done";
        await object(group).post([notice]);
        return "done";
      },
      retryDelayMs: GROUP_RETRY,
    },
    markNotices: {
      run: async ({ group, member }) => {
        await object(group).markNotices(member);
        return "done";
      },
      retryDelayMs: GROUP_RETRY,
    },
    endAssignment: {
      run: async ({ group, end }) => {
        await object(group).endAssignment(end);
        log("assignment_ended", { household, group, reason: end.reason });
        return "done";
      },
      retryDelayMs: GROUP_RETRY,
    },
  };
}

const toOffer = ({ handoff }: StoredGroup): GroupRecord["handoff"] => {
  if (handoff?.state !== "offered") return undefined;
  const { from, to, at } = handoff;
  return { from, to, until: at + OFFER_LIFETIME_MS };
};

/** The group as it is now: a job that was added for an earlier change sends the later ones, too. */
function buildRecord(
  { groups, groupMembers, pool }: Stores,
  household: string,
  id: string,
): GroupRecord | undefined {
  const group = groups.find(id);
  if (!group) return undefined;
  const epochs = new Map(pool.listClaimedFor(id).map(({ key, epoch }) => [key, epoch]));
  const { topic, description, status, revision, created, primary } = group;
  return {
    household,
    id,
    topic,
    status,
    revision,
    created,
    members: groupMembers.list(id).map(({ group: _group, ended, ...member }) => ({
      ...member,
      ...(ended ? { ended: true as const } : {}),
      ...defined({ epoch: epochs.get(member.key) }),
    })),
    ...defined({ description, primary, handoff: toOffer(group) }),
  };
}
