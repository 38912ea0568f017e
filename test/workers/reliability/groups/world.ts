/** What the members of a simulated household share: its faults, and the record of what they did and were shown. */
import { env } from "cloudflare:workers";
import type { Principal } from "../../../../src/auth/principal.ts";
import type { GroupMessage } from "../../../../src/contracts/groups.ts";
import type { Claim } from "../../../../src/contracts/household-groups.ts";
import { OFFLINE_AFTER_MS } from "../../../../src/mess/groups/vocabulary.ts";
import type { GroupHousehold } from "../../household/groups-support.ts";

/** A sign of life is stored at most this often, so an agent may be taken for silent this much earlier. */
const SEEN_TOLERANCE_MS = 30_000;

/** A message whose sending was acknowledged. */
export interface SentMessage {
  group: string;
  id: string;
  content: string;
}

/** What one member received by cursors, beginning at position 0: again each time after it lost its context. */
export interface Stream {
  member: string;
  group: string;
  /** The ids of the member. */
  ids: ReadonlySet<string>;
  cursor: string;
  messages: string[];
}

export interface MadeClaim extends Claim {
  ops: string;
  /** Events before it that end a claim of this agent. */
  ends: number;
}

export class World {
  readonly env: Env = env;
  readonly house: GroupHousehold;
  readonly owner: Principal;
  /** False in the last phase: no faults, no losses, no new tasks. */
  isTroubled = true;
  callCount = 0;
  taskCount = 0;
  readonly violations: string[] = [];
  readonly sent: SentMessage[] = [];
  readonly streams: Stream[] = [];
  readonly claims: MadeClaim[] = [];
  readonly openGroups = new Set<string>();
  readonly closedGroups = new Set<string>();
  readonly #shown: { member: string; ids: ReadonlySet<string>; message: GroupMessage }[] = [];
  /** When an agent last had an answer, by its id in the pool. */
  readonly #answered = new Map<string, number>();
  /** Number of releases, closings and silences that end a claim of an agent, by its id in the pool. */
  readonly #ends = new Map<string, number>();

  constructor(house: GroupHousehold, owner: Principal) {
    this.house = house;
    this.owner = owner;
  }

  get id(): string {
    return this.house.home.id;
  }

  recordShown(member: string, ids: ReadonlySet<string>, messages: readonly GroupMessage[]): void {
    for (const message of messages) this.#shown.push({ member, ids, message });
  }

  /** Messages that were returned to a member who is neither their sender nor their receiver. */
  listForeign(): string[] {
    return this.#shown.flatMap(({ member, ids, message: { from, to, id } }) =>
      ids.has(from) || ids.has(to) ? [] : [`${member} got ${id} from ${from} to ${to}`],
    );
  }

  /** Call it before a call that may end the claim. */
  recordEnd(agent: string): void {
    this.#ends.set(agent, (this.#ends.get(agent) ?? 0) + 1);
  }

  /** The group is about to be closed. */
  recordClosing(group: string): void {
    for (const { agent_id, group_id } of this.claims)
      if (group_id === group) this.recordEnd(agent_id);
  }

  recordAnswer(agent: string): void {
    if (this.#isSilent(agent)) this.recordEnd(agent);
    this.#answered.set(agent, Date.now());
  }

  #isSilent(agent: string): boolean {
    const answered = this.#answered.get(agent);
    return answered !== undefined && Date.now() - answered >= OFFLINE_AFTER_MS - SEEN_TOLERANCE_MS;
  }

  recordClaim(claim: Claim, ops: string): void {
    const isRepeated = this.claims.some(
      (one) => one.agent_id === claim.agent_id && one.epoch === claim.epoch && one.ops === ops,
    );
    if (isRepeated) return;
    if (this.#isSilent(claim.agent_id)) this.recordEnd(claim.agent_id);
    this.claims.push({ ...claim, ops, ends: this.#ends.get(claim.agent_id) ?? 0 });
    // The group was closed while the claim was made.
    if (this.closedGroups.has(claim.group_id)) this.recordEnd(claim.agent_id);
  }
}
