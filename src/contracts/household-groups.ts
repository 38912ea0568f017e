/**
 * RPC surface of the household for AI groups: which groups there are, who is a member by which credential, handoffs and
 * the two pools. Claims are decided here, so that an agent is claimed once. Types only.
 */
import type { Principal } from "../auth/principal.ts";
import type { Outcome } from "../mess/errors.ts";
import type { GroupRole, PoolId, PoolStatus } from "../mess/groups/vocabulary.ts";

export interface GroupMembership {
  group_id: string;
  my_id: string;
  my_name: string;
  role: GroupRole;
  topic: string;
  status: "open" | "closed";
}

export interface NewMembership extends GroupMembership {
  /** Ops of the group, the primary first. */
  ops: { id: string; name: string }[];
  /** The membership existed before: the same name and credential joined. */
  rejoined?: true;
}

/** A group in the list of its members and owners; times are ISO 8601 in UTC. */
export interface GroupListing {
  group_id: string;
  topic: string;
  status: "open" | "closed";
  created: string;
  members: number;
  /** The caller's ids in it; empty for an owner who is no member. */
  my_ids: string[];
}

export interface NewPoolEntry {
  pool: PoolId;
  name: string;
  capabilities?: string[];
  terminal_info?: string;
}

export interface PoolEntryView {
  agent_id: string;
  name: string;
  status: PoolStatus;
  capabilities?: string[];
  terminal_info?: string;
  registered: string;
  /** Place in the queue of those that are not claimed, 1 first. */
  position?: number;
  last_seen?: string;
  /** Ops that claimed it, and for which group. Only for members of that group and owners. */
  claimed_by?: string;
  group_id?: string;
}

export interface ClaimInput {
  ops_id: string;
  pool: PoolId;
  /** Any agent of the pool where neither is given: the one that has waited longest. */
  agent_id?: string;
  capability?: string;
  /** Default: the only open group of these ops. */
  target_group_id?: string;
  /** The text of the task, or the id of a task that was given back. */
  task?: string;
  /** Idempotency key of the call. */
  key?: string;
  /** For clients that cannot send a key: the same claim within a minute is taken for a repeated one. */
  returns_same?: boolean;
}

export interface Claim {
  agent_id: string;
  name: string;
  group_id: string;
  /** Rises with every claim of this agent. */
  epoch: number;
  /** Message id of the task in the group; absent without a task. */
  task_id?: string;
  /** The same claim was made a moment ago: no further agent was claimed. */
  repeated?: true;
}

export interface ReleaseInput {
  agent_id: string;
  /** The claim to end; another one stays. Without it, the present one ends, unless the call seems to be a repeated one. */
  epoch?: number;
  /** Remove the agent from its pool. */
  remove?: boolean;
}

export interface TransferInput {
  group_id?: string;
  from_ops_id: string;
  to_agent_id: string;
  context_summary?: string;
  verification_passed?: boolean;
}

export interface Transfer {
  state: "offered" | "accepted" | "withdrawn";
  group_id: string;
  /** The id with which the receiver continues once accepted. */
  new_ops_id?: string;
  /** The next step, and the member who takes it. */
  next: string;
}

/** A request that an agent of the pool carries out. */
export interface RequestAssignment {
  /** Id of the agent in the pool, which is its id as an executor, too. */
  agent: string;
  ref: string;
}

export interface AgentStatusView {
  agent_id: string;
  name: string;
  online: boolean;
  last_seen?: string;
  pool_status?: PoolStatus;
  groups: string[];
}

/** Callers are members of the household with a credential; bearers of links are refused. */
export interface GroupsRpc {
  initiate(
    caller: Principal,
    input: { topic: string; my_name?: string; description?: string; key?: string },
  ): Promise<Outcome<NewMembership>>;
  join(
    caller: Principal,
    input: { group_id: string; my_name?: string; as_ops?: boolean; assigned_by?: string },
  ): Promise<Outcome<NewMembership>>;
  /** Finds the memberships by name, and binds those whose credential has ended to the caller's, of the same member. */
  rejoin(
    caller: Principal,
    input: { my_name: string; group_id?: string },
  ): Promise<Outcome<GroupMembership[]>>;
  /** The caller's groups; all groups for an owner. */
  list(caller: Principal): Promise<Outcome<GroupListing[]>>;
  /** The membership that the given ids name; without ids, the only one of the credential. Checks no more than that. */
  resolve(
    caller: Principal,
    ids: { group_id?: string; my_id?: string },
  ): Promise<Outcome<{ group_id: string; my_id: string }>>;
  close(
    caller: Principal,
    input: { group_id: string; my_ops_id?: string },
  ): Promise<Outcome<GroupListing>>;
  transfer(caller: Principal, input: TransferInput): Promise<Outcome<Transfer>>;
  register(caller: Principal, entry: NewPoolEntry): Promise<Outcome<PoolEntryView>>;
  listPool(
    caller: Principal,
    query: { pool: PoolId; status?: PoolStatus },
  ): Promise<Outcome<PoolEntryView[]>>;
  claim(caller: Principal, input: ClaimInput): Promise<Outcome<Claim>>;
  /** By the agent itself, the ops that claimed it, or an owner. */
  release(caller: Principal, input: ReleaseInput): Promise<Outcome<PoolEntryView>>;
  /**
   * Claims an agent for a request, if it is available or was claimed for that request before. For the channel of the
   * pool; `unknown` where the pool did not answer.
   */
  assignRequest(assignment: RequestAssignment): Promise<"assigned" | "unavailable" | "unknown">;
  /** Posts a message to an agent that is claimed for the request, once for each `id`; to any other agent nothing. */
  postAboutRequest(
    assignment: RequestAssignment,
    message: { id: string; type: "task" | "message"; content: string },
  ): Promise<void>;
  /** Ends the claim of the agent for the request, if there is one. */
  withdrawRequest(assignment: RequestAssignment): Promise<void>;
  agentStatus(caller: Principal, input: { agent_id: string }): Promise<Outcome<AgentStatusView>>;
  /**
   * The first ids of the caller's members, whose channels it may search: absent for an owner, who may search all. Also
   * the first id of the named member.
   */
  listSearchKeys(
    caller: Principal,
    named: { member?: string },
  ): Promise<Outcome<{ visible?: string[]; member?: string }>>;
  /** All groups and pools of the household. For exports and the index. */
  listIds(): Promise<string[]>;
  /** Closes all groups and empties the pools; messages stay. Owners only. */
  wipe(caller: Principal): Promise<Outcome<{ groups: number; agents: number }>>;
}
