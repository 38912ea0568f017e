/** AI groups: who is a member of which group, handoffs, and the two pools. */
import type { Principal, Role } from "../../auth/principal.ts";
import type {
  AgentStatusView,
  Claim,
  ClaimInput,
  GroupsRpc,
  NewPoolEntry,
  PoolEntryView,
  ReleaseInput,
  RequestAssignment,
  TransferInput,
} from "../../contracts/household-groups.ts";
import type { Outcome } from "../../mess/errors.ts";
import { buildGroupId } from "../../mess/groups/ids.ts";
import { POOL_IDS, type PoolId, type PoolStatus } from "../../mess/groups/vocabulary.ts";
import { ok } from "../../mess/result.ts";
import type { HouseholdContext } from "../household-context.ts";
import type { Stores } from "../stores.ts";
import { assignRequest, endRequestClaim, postAboutRequest } from "./pools/assign-request.ts";
import { findAgent, viewAgent } from "./pools/agent-status.ts";
import { claimAgent, findClaimingOps } from "./pools/claim-agent.ts";
import { closeGroup, wipeGroups } from "./close-group.ts";
import { createGroup, type NewGroup } from "./create-group.ts";
import { checkGroupCaller, type GroupPrincipal } from "./group-callers.ts";
import { GROUP_JOB_KINDS } from "./group-jobs.ts";
import { joinGroup, type JoinInput, rejoinGroups } from "./join-group.ts";
import { listGroups, listSearchKeys } from "./list-groups.ts";
import { viewEntry, viewPool } from "./pools/pool-views.ts";
import { registerInPool } from "./pools/register-in-pool.ts";
import { releaseAgent } from "./pools/release-agent.ts";
import { findFirstResult, runOnce } from "./repeated-call.ts";
import { findRepeatedClaim, hashClaim, storeClaim } from "./pools/repeated-claim.ts";
import { checkReturnedTask, isTaskId } from "./pools/returned-task.ts";
import { listGroupsOf, readSignsOfLife, type SeenByGroup } from "./pools/signs-of-life.ts";
import { resolveMembership } from "./resolve-membership.ts";
import { transferOps } from "./transfer-ops.ts";

type GroupWork<T> = (stores: Stores, caller: GroupPrincipal, now: number) => Outcome<T>;

const NO_SIGNS: SeenByGroup = new Map();

export class GroupsFacet implements GroupsRpc {
  readonly #context: HouseholdContext;
  readonly #env: Pick<Env, "GROUPS">;

  constructor(context: HouseholdContext, env: Pick<Env, "GROUPS">) {
    this.#context = context;
    this.#env = env;
  }

  async initiate(
    principal: Principal,
    { key, ...input }: NewGroup & { key?: string },
  ): ReturnType<GroupsRpc["initiate"]> {
    return await this.#change(principal, "agent", (stores, caller, now) =>
      runOnce(stores, caller, { kind: "initiate", key }, () =>
        createGroup(stores, caller, input, now),
      ),
    );
  }

  async join(principal: Principal, input: JoinInput): ReturnType<GroupsRpc["join"]> {
    return await this.#change(principal, "executor", (stores, caller, now) =>
      joinGroup(stores, caller, input, now),
    );
  }

  async rejoin(
    principal: Principal,
    input: { my_name: string; group_id?: string },
  ): ReturnType<GroupsRpc["rejoin"]> {
    return await this.#change(principal, "executor", (stores, caller, now) =>
      rejoinGroups(stores, caller, input, now),
    );
  }

  async list(principal: Principal): ReturnType<GroupsRpc["list"]> {
    return this.#transact(principal, "executor", (stores, caller) =>
      ok(listGroups(stores, caller)),
    );
  }

  async resolve(
    principal: Principal,
    ids: { group_id?: string; my_id?: string },
  ): ReturnType<GroupsRpc["resolve"]> {
    return this.#transact(principal, "executor", (stores, caller) =>
      resolveMembership(stores, caller, ids),
    );
  }

  async close(
    principal: Principal,
    input: { group_id: string; my_ops_id?: string },
  ): ReturnType<GroupsRpc["close"]> {
    return await this.#change(principal, "executor", (stores, caller, now) =>
      closeGroup(stores, caller, input, now),
    );
  }

  async transfer(principal: Principal, input: TransferInput): ReturnType<GroupsRpc["transfer"]> {
    return await this.#change(principal, "agent", (stores, caller, now) =>
      transferOps(stores, caller, input, now),
    );
  }

  async register(principal: Principal, entry: NewPoolEntry): Promise<Outcome<PoolEntryView>> {
    const least = entry.pool === "ops" ? "agent" : "executor";
    return await this.#change(principal, least, (stores, caller, now) => {
      const key = registerInPool(stores, caller, entry, now);
      if (!key.ok) return key;
      const entries = viewPool(stores, entry.pool, caller, NO_SIGNS, now);
      return ok(entries.find(({ agent_id }) => agent_id === key.value)!);
    });
  }

  async listPool(
    principal: Principal,
    { pool, status }: { pool: PoolId; status?: PoolStatus },
  ): Promise<Outcome<PoolEntryView[]>> {
    const places = this.#transact(principal, "executor", (stores) =>
      ok(stores.pool.list(pool).flatMap(listGroupsOf)),
    );
    if (!places.ok) return places;
    const signs = await this.#readSigns(principal, places.value);
    return this.#transact(principal, "executor", (stores, caller, now) => {
      const entries = viewPool(stores, pool, caller, signs, now);
      return ok(entries.filter((entry) => status === undefined || entry.status === status));
    });
  }

  async claim(principal: Principal, input: ClaimInput): Promise<Outcome<Claim>> {
    const call = { kind: "claim", key: input.key } as const;
    const hash = await hashClaim(input);
    const first = this.#transact(principal, "agent", (stores, caller, now) => {
      const result = findFirstResult(stores, caller, call) as Claim | undefined;
      return ok(result ?? findRepeatedClaim(stores, hash, now));
    });
    if (!first.ok) return first;
    if (first.value) return ok(first.value);
    const ops = this.#transact(principal, "agent", (stores, caller) =>
      findClaimingOps(stores, caller, input),
    );
    if (!ops.ok) return ops;
    if (input.task !== undefined && isTaskId(input.task)) {
      const task = await checkReturnedTask(this.#env, principal, ops.value, input.task);
      if (!task.ok) return task;
    }
    const signs = await this.#readSigns(
      principal,
      input.agent_id === undefined ? [input.pool] : POOL_IDS,
    );
    return await this.#change(principal, "agent", (stores, caller, now) =>
      runOnce(stores, caller, call, () => {
        const repeated = findRepeatedClaim(stores, hash, now);
        if (repeated) return ok(repeated);
        const claimed = claimAgent(stores, caller, input, signs, now);
        if (claimed.ok) storeClaim(stores, hash, claimed.value, now);
        return claimed;
      }),
    );
  }

  async release(principal: Principal, input: ReleaseInput): Promise<Outcome<PoolEntryView>> {
    const released = await this.#change(principal, "executor", (stores, caller, now) =>
      releaseAgent(stores, caller, input, now),
    );
    if (!released.ok) return released;
    const { pool } = released.value;
    const signs = await this.#readSigns(principal, [pool]);
    return this.#transact(principal, "executor", (stores, caller, now) => {
      const entries = viewPool(stores, pool, caller, signs, now);
      const left = entries.find(({ agent_id }) => agent_id === released.value.key);
      if (left) return ok(left);
      const { claim: _claim, ...removed } = released.value;
      const view = viewEntry(stores, removed, undefined, caller, NO_SIGNS, now);
      return ok({ ...view, status: "offline" as const });
    });
  }

  async assignRequest(assignment: RequestAssignment): ReturnType<GroupsRpc["assignRequest"]> {
    const entry = this.#context.openStores()?.pool.find(assignment.agent);
    const household = this.#context.openStores()?.settings.getHousehold().id;
    if (!entry || household === undefined) return "unavailable";
    const signs = await readSignsOfLife(this.#env, household, [entry.pool]);
    if (!signs.has(entry.pool)) return "unknown";
    const assigned = await this.#context.transactAndSetAlarm((stores, now) =>
      ok(assignRequest(stores, assignment, signs, now)),
    );
    return assigned.ok && assigned.value ? "assigned" : "unavailable";
  }

  async postAboutRequest(
    assignment: RequestAssignment,
    { id, type, content }: { id: string; type: "task" | "message"; content: string },
  ): Promise<void> {
    const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(id));
    const message = { id: buildGroupId("msg", new Uint8Array(digest)), type, content };
    this.#context.write((stores, now) => postAboutRequest(stores, assignment, message, now));
    await this.#context.runJobsNow(...GROUP_JOB_KINDS);
  }

  async withdrawRequest(assignment: RequestAssignment): Promise<void> {
    this.#context.write((stores, now) => endRequestClaim(stores, assignment, now));
    await this.#context.runJobsNow(...GROUP_JOB_KINDS);
  }

  async agentStatus(
    principal: Principal,
    { agent_id }: { agent_id: string },
  ): Promise<Outcome<AgentStatusView>> {
    const found = this.#transact(principal, "executor", (stores, caller) =>
      findAgent(stores, caller, agent_id),
    );
    if (!found.ok) return found;
    const groups = found.value.map(({ group }) => group);
    const signs = await this.#readSigns(principal, groups);
    return this.#transact(principal, "executor", (stores, caller, now) =>
      ok(viewAgent(stores, caller, found.value, signs, now)),
    );
  }

  async wipe(principal: Principal): ReturnType<GroupsRpc["wipe"]> {
    return await this.#change(principal, "executor", (stores, caller, now) =>
      wipeGroups(stores, caller, now),
    );
  }

  async listSearchKeys(
    principal: Principal,
    { member }: { member?: string },
  ): ReturnType<GroupsRpc["listSearchKeys"]> {
    return this.#transact(principal, "executor", (stores, caller) =>
      ok(listSearchKeys(stores, caller, member)),
    );
  }

  async listIds(): Promise<string[]> {
    return this.#context.openStores()?.groups.listIds() ?? [];
  }

  #transact<T>(principal: Principal, least: Role, work: GroupWork<T>): Outcome<T> {
    return this.#context.transact((stores, now) => {
      const caller = checkGroupCaller(stores, principal, least, now);
      return caller.ok ? work(stores, caller.value, now) : caller;
    });
  }

  /** A transaction after which the groups' objects must know more: the caller's next call may be to one of them. */
  async #change<T>(principal: Principal, least: Role, work: GroupWork<T>): Promise<Outcome<T>> {
    const outcome = this.#transact(principal, least, work);
    if (outcome.ok) await this.#context.runJobsNow(...GROUP_JOB_KINDS);
    return outcome;
  }

  #readSigns({ household }: Principal, groups: readonly string[]): Promise<SeenByGroup> {
    return readSignsOfLife(this.#env, household, groups);
  }
}
