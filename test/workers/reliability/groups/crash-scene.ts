/** A group whose ops have claimed an agent, and everything that its members and the owner can see of it. */
import { runInDurableObject } from "cloudflare:test";
import type { Principal } from "../../../../src/auth/principal.ts";
import type { GroupRpc } from "../../../../src/contracts/groups.ts";
import type { GroupsRpc } from "../../../../src/contracts/household-groups.ts";
import { getHouseholdStub } from "../../../../src/stubs.ts";
import { env } from "cloudflare:workers";
import { GroupHousehold, unwrap } from "../../household/groups-support.ts";
import { advanceClock } from "../reliability-household.ts";

/** Longer than the delay of a job that failed once, and too short for an agent to be taken for silent. */
const ROUND_MS = 2_000;

export class CrashHousehold {
  readonly house: GroupHousehold;
  readonly owner: Principal;
  readonly boss: Principal;
  readonly deputy: Principal;
  readonly worker: Principal;
  #sceneCount = 0;

  static async create(): Promise<CrashHousehold> {
    const house = await GroupHousehold.create();
    const [boss, deputy, worker] = await Promise.all(
      ["boss", "deputy", "worker"].map((actor) => house.addMember(actor)),
    );
    return new CrashHousehold(house, await house.addMember("owner", "owner"), [
      boss!,
      deputy!,
      worker!,
    ]);
  }

  private constructor(
    house: GroupHousehold,
    owner: Principal,
    [boss, deputy, worker]: readonly [Principal, Principal, Principal],
  ) {
    this.house = house;
    this.owner = owner;
    this.boss = boss;
    this.deputy = deputy;
    this.worker = worker;
  }

  /** A new stub each time, since a stub breaks when its object crashes. */
  get groups(): GroupsRpc {
    return getHouseholdStub(env, this.house.home.id).groups;
  }

  /** Ends the scene, so that the number of statements of a call does not rise with the number of scenes. */
  async wipe(): Promise<void> {
    unwrap(await this.groups.wipe(this.owner));
  }

  /** A new group with a second member, and a new agent in the pool. */
  async createScene(): Promise<CrashScene> {
    const number = ++this.#sceneCount;
    const topic = `Project ${number}`;
    const group = unwrap(await this.groups.initiate(this.boss, { topic, my_name: "boss" }));
    const { group_id } = group;
    const joined = unwrap(await this.groups.join(this.deputy, { group_id, my_name: "deputy" }));
    const name = `agent ${number}`;
    const entry = unwrap(await this.groups.register(this.worker, { pool: "agents", name }));
    return new CrashScene(this, {
      number,
      group_id,
      boss: group.my_id,
      deputy: joined.my_id,
      agent: entry.agent_id,
    });
  }
}

export interface SceneIds {
  number: number;
  group_id: string;
  boss: string;
  deputy: string;
  agent: string;
}

export class CrashScene {
  readonly home: CrashHousehold;
  readonly ids: SceneIds;
  /** Id of the first task. */
  task = "";

  constructor(home: CrashHousehold, ids: SceneIds) {
    this.home = home;
    this.ids = ids;
  }

  get group(): GroupRpc {
    return this.home.house.getGroup(this.ids.group_id);
  }

  claim = (task: string, key: string) =>
    this.home.groups.claim(this.home.boss, {
      ops_id: this.ids.boss,
      pool: "agents",
      agent_id: this.ids.agent,
      target_group_id: this.ids.group_id,
      task,
      key: `${key} ${this.ids.number}`,
    });

  async assign(): Promise<void> {
    this.task = unwrap(await this.claim("Build feature A", "first")).task_id!;
  }

  release = () => this.home.groups.release(this.home.boss, { agent_id: this.ids.agent });

  /** The primary ops offer the group to the deputy, where `as` is the boss; otherwise the deputy accepts it. */
  transfer = (as: "boss" | "deputy") =>
    this.home.groups.transfer(this.home[as], {
      group_id: this.ids.group_id,
      from_ops_id: this.ids.boss,
      to_agent_id: this.ids.deputy,
      ...(as === "boss" ? { context_summary: "All is said.", verification_passed: true } : {}),
    });

  close = () => this.home.groups.close(this.home.boss, { group_id: this.ids.group_id });

  /** Runs the household's alarm until its jobs are done. The alarm is stored together with the jobs. */
  async runAlarms(): Promise<void> {
    for (let round = 0; round < 2; round++) {
      advanceClock(ROUND_MS);
      await runInDurableObject(this.home.house.getObject(), (object) =>
        (object as unknown as { alarm: () => Promise<void> }).alarm(),
      );
    }
  }

  /** All that can be seen of the scene, without ids and times, so that two scenes can be compared. */
  async observe(): Promise<unknown> {
    const { home, ids } = this;
    const { messages } = await this.group.listMessages(0, 100);
    const inPool = await this.home.house.getGroup("agents").listMessages(0, 1_000);
    const entries = unwrap(await home.groups.listPool(home.owner, { pool: "agents" }));
    const entry = entries.find(({ agent_id }) => agent_id === ids.agent);
    const { members, status, tasks } = unwrap(await this.group.status({ principal: home.owner }));
    const listed = unwrap(await home.groups.list(home.owner));
    const pending = await Promise.all(
      [
        { principal: home.boss, as: ids.boss },
        { principal: home.deputy, as: ids.deputy },
        { principal: home.worker, as: ids.agent },
      ].map((caller) => this.group.pending(caller)),
    );
    const seen = {
      messages: [...messages, ...inPool.messages.filter(({ to }) => to === ids.agent)].map(
        ({ at: _at, seq: _seq, ...message }) => message,
      ),
      entry: entry && { status: entry.status, group: entry.group_id, ops: entry.claimed_by },
      members: members
        .map(({ id, name, role, primary }) => ({ id, name, role, primary }))
        .toSorted((one, other) => one.name.localeCompare(other.name)),
      tasks: tasks.map(({ at: _at, ...task }) => task),
      status: [status, listed.find(({ group_id }) => group_id === ids.group_id)?.status],
      pending: pending.map((each) =>
        each.ok ? [each.value.total_pending, each.value.needs_ack] : each.error.code,
      ),
    };
    const text = JSON.stringify(seen)
      .replaceAll(/\b(g|o|a|msg)_[0-9a-z]{8,}/g, "$1_…")
      .replaceAll(new RegExp(`(agent|Project) ${ids.number}\\b`, "g"), "$1 …");
    return JSON.parse(text) as unknown;
  }
}
