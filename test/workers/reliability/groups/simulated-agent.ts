/** An agent of the pool: it waits there, joins the group that claimed it, and does the tasks that it gets. */
import type { GroupMessage } from "../../../../src/contracts/groups.ts";
import {
  joinGroup,
  registerInPool,
} from "../../../../src/exchange/group-calls/group-memberships.ts";
import { recordSignOfLife } from "../../../../src/exchange/group-calls/record-sign-of-life.ts";
import { rejoinGroups } from "../../../../src/exchange/group-calls/rejoin-groups.ts";
import { SimulatedMember } from "./simulated-member.ts";

const ASSIGNMENT_PATTERN =
  /group_id: (?<group>g_\w+)[^]*my_name "(?<name>[^"]+)" and assigned_by (?<ops>o_\w+)/;

interface Task {
  group: string;
  /** Id of the member that sent it. */
  from: string;
  turnsLeft: number;
}

export class SimulatedAgent extends SimulatedMember {
  isDead = false;
  #poolId: string | undefined;
  #group: string | undefined;
  #tasks = new Map<string, Task>();

  override loseContext(): void {
    super.loseContext();
    this.#poolId = undefined;
    this.#group = undefined;
    this.#tasks = new Map();
  }

  get hasTasks(): boolean {
    return this.#tasks.size > 0;
  }

  async act(): Promise<void> {
    if (this.isDead) return;
    this.#poolId ??= await this.#enter();
    const id = this.#poolId;
    if (id === undefined) return;
    this.ids.add(id);
    for (const message of await this.receive("agents", id)) await this.#follow(message, id);
    this.world.recordAnswer(id);
    if (this.#group !== undefined) {
      for (const message of await this.receive(this.#group, id)) await this.#take(message, id);
      if (this.chance(0.3)) await this.readSome(this.#group, id);
    }
    await this.#work(id);
  }

  /** Rejoins under its name, or registers where it is not known yet. */
  async #enter(): Promise<string | undefined> {
    const { env } = this.world;
    const { name } = this;
    const known = await this.call("rejoin", () =>
      rejoinGroups(env, this.principal, { my_name: name }),
    );
    const pool = known?.find(({ group_id }) => group_id === "agents");
    if (pool) return pool.my_id;
    const capabilities = this.chance(0.5) ? ["code-review"] : [];
    const entry = await this.call("pool_register", () =>
      registerInPool(env, this.principal, { pool: "agents", name, capabilities }),
    );
    return entry?.agent_id;
  }

  /** A message in the pool: an assignment, or that a claim has ended. */
  async #follow({ content }: GroupMessage, id: string): Promise<void> {
    const assigned = ASSIGNMENT_PATTERN.exec(content)?.groups;
    if (!assigned) {
      this.#group = undefined;
      // Some finish their task all the same, and report it late.
      if (this.chance(0.5)) this.#tasks.clear();
      return;
    }
    const { group, name, ops } = assigned;
    this.#group = group!;
    const joined = await this.call("join", () =>
      joinGroup(this.world.env, this.principal, {
        group_id: group!,
        my_name: name!,
        assigned_by: ops!,
      }),
    );
    if (joined && joined.my_id !== id)
      this.world.violations.push(`${this.name}: joined as ${joined.my_id} in place of ${id}`);
  }

  /** A message in its group. */
  async #take(message: GroupMessage, id: string): Promise<void> {
    const { id: message_id, from, type, task_status } = message;
    if (type === "task" && task_status === "open")
      this.#tasks.set(message_id, {
        group: this.#group!,
        from,
        turnsLeft: this.random.pickBetween(0, 3),
      });
    if (type === "question")
      await this.send(this.#group!, id, {
        to: from,
        type: "message",
        content: "an answer",
        reply_to: message_id,
      });
  }

  async #work(id: string): Promise<void> {
    for (const [task, state] of this.#tasks) {
      if (state.turnsLeft-- > 0) {
        await this.call("heartbeat", () =>
          recordSignOfLife(this.world.env, this.principal, { agent_id: id, group_id: state.group }),
        );
        continue;
      }
      const isOnly = this.#tasks.size === 1;
      const report = { to: state.from, type: "report", content: `report on ${task}` } as const;
      const named = { ...report, reply_to: task };
      let sent = await this.send(state.group, id, isOnly && this.chance(0.3) ? report : named);
      // Another task has arrived meanwhile, so that the report could be about either.
      if (sent?.open_tasks) sent = await this.send(state.group, id, named);
      if (sent || this.world.closedGroups.has(state.group)) this.#tasks.delete(task);
    }
    if (this.#group !== undefined && this.chance(0.2)) await this.#talk(this.#group, id);
  }

  /** Writes to another member of the group, or tries to read what others write. */
  async #talk(group: string, id: string): Promise<void> {
    const others = this.world.claims
      .filter(({ group_id, agent_id }) => group_id === group && agent_id !== id)
      .map(({ agent_id }) => agent_id);
    const other = this.pick(others);
    if (other === undefined) return;
    if (this.chance(0.2)) return await this.intrude(group, id, [other, others[0]!]);
    await this.send(group, id, { to: other, type: "message", content: "hello" });
  }
}
