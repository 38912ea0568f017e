/** Claims an agent of a pool for a group. One transaction of the household decides it, so an agent is claimed once. */
import type { Claim, ClaimInput } from "../../../contracts/household-groups.ts";
import { defined } from "../../../mess/defined.ts";
import { type Outcome, refuse } from "../../../mess/errors.ts";
import {
  refuseGroupClosed,
  refuseGroupNotFound,
  refuseNotOps,
  refuseSeveralMemberships,
  refuseUnknownMember,
} from "../../../mess/groups/refusals.ts";
import { isPoolId, OFFLINE_AFTER_MS, type PoolId } from "../../../mess/groups/vocabulary.ts";
import { toOneLine } from "../../../mess/one-line.ts";
import { ok } from "../../../mess/result.ts";
import type { Stores } from "../../stores.ts";
import type { GroupPrincipal } from "../group-callers.ts";
import { createId, postToGroup, syncGroup } from "../group-jobs.ts";
import { hasMemberId, type StoredGroupMember } from "../group-member-store.ts";
import { checkMemberLimit } from "../join-group.ts";
import type { PoolEntry } from "./pool-store.ts";
import { getPoolStatus } from "./pool-views.ts";
import { isTaskId, takeReturnedTask } from "./returned-task.ts";
import type { SeenByGroup } from "./signs-of-life.ts";

/** Ids that a refusal lists for each status. */
const MAX_LISTED_IDS = 10;

/** The caller's membership as ops of the group for which it claims. */
export function findClaimingOps(
  { groups, groupMembers }: Stores,
  { credential }: GroupPrincipal,
  { ops_id, target_group_id }: Pick<ClaimInput, "ops_id" | "target_group_id">,
): Outcome<StoredGroupMember> {
  const own = groupMembers
    .listOfCredential(credential)
    .filter(({ group }) => !isPoolId(group))
    .filter(({ group }) => target_group_id === undefined || group === target_group_id);
  if (target_group_id !== undefined && own.length === 0) return refuseGroupNotFound();
  const named = own.filter((member) => hasMemberId(member, ops_id));
  if (named.length === 0) return refuseUnknownMember("ops_id");
  const open = named.filter(({ group }) => groups.find(group)?.status === "open");
  if (open.length === 0) return refuseGroupClosed();
  if (open.length > 1)
    return refuseSeveralMemberships(
      "target_group_id",
      open.map(({ group }) => group),
    );
  return open[0]!.role === "ops" ? ok(open[0]!) : refuseNotOps();
}

/** @param signs signs of life in the pool, which were read before: an entry without one counts by its registration */
export function claimAgent(
  stores: Stores,
  caller: GroupPrincipal,
  input: ClaimInput,
  signs: SeenByGroup,
  now: number,
): Outcome<Claim> {
  const ops = findClaimingOps(stores, caller, input);
  if (!ops.ok) return ops;
  const { group, key: by } = ops.value;
  const entry = chooseEntry(stores, input, signs, now);
  if (!entry.ok) return entry;
  const { key, pool } = entry.value;
  const agent = stores.groupMembers.find(pool, key)!;
  if (!stores.groupMembers.find(group, key)?.active) {
    const full = checkMemberLimit(stores, group);
    if (!full.ok) return full;
  }
  if (input.task !== undefined && isTaskId(input.task)) {
    const taken = takeReturnedTask(stores, group, input.task);
    if (!taken.ok) return taken;
  }
  const epoch = stores.pool.claim(key, { group, by, at: now }, now + OFFLINE_AFTER_MS);
  const name = findFreeName(stores, group, agent);
  stores.groupMembers.put({ ...agent, group, name, joined: now });
  syncGroup(stores, group, now);
  const claim = { agent_id: key, name, group_id: group, epoch };
  const task_id = input.task === undefined ? undefined : createId("msg");
  if (task_id !== undefined)
    postToGroup(
      stores,
      group,
      {
        id: task_id,
        from: ops.value.id,
        to: key,
        type: "task",
        epoch,
        content: input.task!,
      },
      now,
    );
  postToGroup(
    stores,
    pool,
    {
      id: createId("msg"),
      to: key,
      type: "message",
      importance: "high",
      content: writeAssignment(stores, ops.value, name, task_id),
    },
    now,
  );
  return ok({ ...claim, ...defined({ task_id }) });
}

/** The given entry, or the one that has waited longest. */
function chooseEntry(
  stores: Stores,
  { pool, agent_id, capability }: ClaimInput,
  signs: SeenByGroup,
  now: number,
): Outcome<PoolEntry> {
  const given = agent_id === undefined ? undefined : findPoolEntry(stores, agent_id);
  if (agent_id !== undefined && !given) return refuseUnknownAgent();
  const entries = given
    ? [given]
    : stores.pool
        .list(pool)
        .filter((entry) => capability === undefined || entry.capabilities.includes(capability));
  const free = entries.filter(({ claim }) => !claim);
  const chosen = free.find((entry) => getPoolStatus(stores, entry, signs, now) === "available");
  if (chosen) return ok(chosen);
  if (entries.length === 0) return refuseNobodyFits(stores, pool, capability);
  const taken = entries.filter(({ claim }) => claim);
  return refuse(
    "nobody_available",
    `nobody is available in the pool: claimed ${listIds(taken)}, offline ${listIds(free)}`,
    "Claim again later, have another agent call pool_register, or ask for another id or capability.",
  );
}

function refuseNobodyFits(
  stores: Stores,
  pool: PoolId,
  capability: string | undefined,
): Outcome<never> {
  const known = [...new Set(stores.pool.list(pool).flatMap(({ capabilities }) => capabilities))];
  return capability === undefined
    ? refuse(
        "nobody_available",
        `nobody is in the pool ${pool}`,
        `Have another agent call ${pool === "ops" ? "pool_register_ops" : "pool_register"} with a key of its own, or do the task yourself.`,
      )
    : refuse(
        "nobody_available",
        `capability: nobody in the pool ${pool} has it`,
        "Give one that pool_list shows, or leave it out to claim any.",
        { valid: known.slice(0, MAX_LISTED_IDS) },
      );
}

const listIds = (entries: readonly PoolEntry[]): string =>
  entries.length === 0
    ? "none"
    : entries
        .slice(0, MAX_LISTED_IDS)
        .map(({ key }) => key)
        .join(", ");

/** @param id that of the pool, or the one that a handoff gave */
export const findPoolEntry = ({ pool, groupMembers }: Stores, id: string): PoolEntry | undefined =>
  pool.find(groupMembers.listById(id)[0]?.key ?? id);

export const refuseUnknownAgent = () =>
  refuse(
    "unknown_member",
    "agent_id: no such entry in the pools",
    "Call pool_list to see the agents of the pools.",
  );

/** The agent's name in the pool, with a number where another member of the group has this name. */
function findFreeName({ groupMembers }: Stores, group: string, agent: StoredGroupMember): string {
  const before = groupMembers.find(group, agent.key);
  if (before?.active) return before.name;
  for (let number = 1; ; number++) {
    const name = number === 1 ? agent.name : `${agent.name} ${number}`;
    if (!groupMembers.findByName(group, name)) return name;
  }
}

function writeAssignment(
  { groups }: Stores,
  ops: StoredGroupMember,
  name: string,
  task_id: string | undefined,
): string {
  const { topic } = groups.find(ops.group)!;
  return [
    "You are assigned to a group.",
    `group_id: ${ops.group}`,
    `topic: ${toOneLine(topic)}`,
    `ops: ${ops.id} (${toOneLine(ops.name)})`,
    ...(task_id === undefined ? [] : [`task: ${task_id}`]),
    `Next: call join with this group_id, my_name "${toOneLine(name)}" and assigned_by ${ops.id}.`,
    task_id === undefined
      ? `Then wait in the group: ${ops.id} will send you a task.`
      : `Then read your task in the group with other_id ${ops.id}, and do it.`,
    "Call heartbeat every two minutes while you work.",
    `Report to ${ops.id} with message_type report and reply_to ${task_id ?? "the id of the task"}.`,
  ].join("\n");
}
