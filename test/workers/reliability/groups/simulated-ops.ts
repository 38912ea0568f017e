/** Ops that create groups, claim agents for tasks, assign again what was given back, and hand groups over. */
import type { GroupMessage } from "../../../../src/contracts/groups.ts";
import {
  claimFromPool,
  closeGroup,
  createGroup,
  joinGroup,
  releaseToPool,
  transferOps,
} from "../../../../src/exchange/group-calls/group-memberships.ts";
import { readGroupStatus } from "../../../../src/exchange/group-calls/group-messages.ts";
import { rejoinGroups } from "../../../../src/exchange/group-calls/rejoin-groups.ts";
import { SimulatedMember } from "./simulated-member.ts";

const OFFER_PATTERN =
  /group_id (?<group>g_\w+), from_ops_id (?<from>o_\w+) and to_agent_id (?<to>[ao]_\w+)/;
const MAX_GROUPS = 2;

interface Place {
  id: string;
  isOps: boolean;
}

export class SimulatedOps extends SimulatedMember {
  #groups: Map<string, Place> | undefined;
  #createdCount = 0;

  override loseContext(): void {
    super.loseContext();
    this.#groups = undefined;
  }

  async act(): Promise<void> {
    this.#groups ??= await this.#recover();
    if (this.world.isTroubled && this.#createdCount < MAX_GROUPS) await this.#create();
    for (const [group, place] of this.#groups) {
      if (this.world.closedGroups.has(group)) continue;
      for (const message of await this.receive(group, place.id)) await this.#answer(message, group);
      if (this.chance(0.3)) await this.readSome(group, place.id);
      if (place.isOps) await this.#manage(group, place.id);
    }
    if (this.world.isTroubled && this.chance(0.1)) await this.#visit();
  }

  async #recover(): Promise<Map<string, Place>> {
    const found = await this.call("rejoin", () =>
      rejoinGroups(this.world.env, this.principal, { my_name: this.name }),
    );
    return new Map(
      found?.map(({ group_id, my_id, role }) => [group_id, { id: my_id, isOps: role === "ops" }]),
    );
  }

  async #create(): Promise<void> {
    const key = this.buildKey();
    const topic = `Project ${this.name} ${this.#createdCount}`;
    const created = await this.call("initiate", () =>
      createGroup(this.world.env, this.principal, { topic, my_name: this.name, key }),
    );
    if (!created) return;
    this.#createdCount++;
    this.world.openGroups.add(created.group_id);
    this.#enter(created.group_id, { id: created.my_id, isOps: true });
  }

  #enter(group: string, place: Place): void {
    this.ids.add(place.id);
    this.#groups!.set(group, place);
  }

  /** Joins a group of other ops, whose role it may be offered. */
  async #visit(): Promise<void> {
    const group = this.pick([...this.world.openGroups]);
    if (group === undefined || this.#groups!.has(group)) return;
    const joined = await this.call("join", () =>
      joinGroup(this.world.env, this.principal, { group_id: group, my_name: this.name }),
    );
    if (joined) this.#enter(group, { id: joined.my_id, isOps: joined.role === "ops" });
  }

  /** Accepts the role of the primary ops where it is offered. */
  async #answer({ content, type }: GroupMessage, group: string): Promise<void> {
    const offer = type === "verification" ? OFFER_PATTERN.exec(content)?.groups : undefined;
    if (!offer) return;
    const accepted = await this.call("transfer_ops", () =>
      transferOps(this.world.env, this.principal, {
        group_id: group,
        from_ops_id: offer["from"]!,
        to_agent_id: offer["to"]!,
      }),
    );
    if (accepted?.new_ops_id !== undefined)
      this.#enter(group, { id: accepted.new_ops_id, isOps: true });
  }

  async #manage(group: string, id: string): Promise<void> {
    const status = await this.call("status", () =>
      readGroupStatus(this.world.env, this.principal, { group_id: group, my_id: id }),
    );
    if (!status) return;
    const mine = status.tasks.filter((task) => task.assigned_by === id);
    for (const { id: task } of mine.filter((one) => one.status === "returned"))
      if (this.chance(0.7)) await this.#claim(group, id, task);
    const open = status.tasks.filter((task) => task.status === "open").map(({ agent }) => agent);
    if (!this.world.isTroubled) return await this.#releaseIdle(group, open);
    if (this.chance(0.6)) await this.#claim(group, id, `Task ${++this.world.taskCount}`);
    if (this.chance(0.3)) await this.#assign(group, id);
    if (this.chance(0.3)) await this.#releaseIdle(group, open);
    if (this.chance(0.03)) await this.#release(this.pick(open));
    if (this.chance(0.1)) await this.#offer(group, id);
    if (this.chance(0.01)) await this.#close(group, id);
  }

  /** @param task a text, or the id of a task that was given back */
  async #claim(group: string, id: string, task: string): Promise<void> {
    const claim = async (): Promise<void> => {
      const input = {
        ops_id: id,
        pool: "agents" as const,
        target_group_id: group,
        task,
        key: this.buildKey(),
        ...(this.chance(0.2) ? { capability: "code-review" } : {}),
      };
      const claimed = await this.call("pool_claim", () =>
        claimFromPool(this.world.env, this.principal, input),
      );
      if (claimed) this.world.recordClaim(claimed, this.name);
    };
    // An agent that forgot its call may assign the same task again at the same moment.
    const isDoubled = task.startsWith("msg_") && this.chance(0.3);
    await Promise.all(isDoubled ? [claim(), claim()] : [claim()]);
  }

  readonly #listAgents = (group: string): string[] =>
    this.world.claims.filter(({ group_id }) => group_id === group).map(({ agent_id }) => agent_id);

  /** Sends an agent a task or a question directly. */
  async #assign(group: string, id: string): Promise<void> {
    const agent = this.pick(this.#listAgents(group));
    if (agent === undefined) return;
    const isTask = this.chance(0.5);
    await this.send(group, id, {
      to: agent,
      type: isTask ? "task" : "question",
      content: isTask ? `Task ${++this.world.taskCount}` : "a question",
      needs_ack: this.chance(0.3),
    });
  }

  /** Releases an agent of this group that has no open task. */
  async #releaseIdle(group: string, busy: readonly string[]): Promise<void> {
    const current = new Map(this.world.claims.map(({ agent_id, ...claim }) => [agent_id, claim]));
    const idle = [...current]
      .filter(([agent, claim]) => claim.group_id === group && !busy.includes(agent))
      .map(([agent]) => agent);
    await this.#release(this.pick(idle));
  }

  /** Ends the newest known claim. Names its epoch, so that a late release ends no later claim. */
  async #release(agent: string | undefined): Promise<void> {
    const claims = this.world.claims.filter(({ agent_id }) => agent_id === agent);
    if (agent === undefined || claims.length === 0) return;
    const epoch = Math.max(...claims.map((claim) => claim.epoch));
    this.world.recordEnd(agent);
    await this.call("pool_release", () =>
      releaseToPool(this.world.env, this.principal, { agent_id: agent, epoch }),
    );
  }

  async #offer(group: string, id: string): Promise<void> {
    const status = await this.call("status", () =>
      readGroupStatus(this.world.env, this.principal, { group_id: group, my_id: id }),
    );
    const to = status?.members.find((one) => one.id !== id && one.name.startsWith("ops"));
    const isPrimary = status?.members.some((one) => one.id === id && one.primary);
    if (!to || !isPrimary) return;
    await this.call("transfer_ops", () =>
      transferOps(this.world.env, this.principal, {
        group_id: group,
        from_ops_id: id,
        to_agent_id: to.id,
        context_summary: "All is said.",
        verification_passed: true,
      }),
    );
  }

  async #close(group: string, id: string): Promise<void> {
    this.world.recordClosing(group);
    this.world.openGroups.delete(group);
    this.world.closedGroups.add(group);
    await this.call("close", () =>
      closeGroup(this.world.env, this.principal, { group_id: group, my_ops_id: id }),
    );
  }
}
