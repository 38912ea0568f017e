/**
 * One simulation: ops and agents act in rounds, chosen by a seed, while agents die or lose their context, objects are
 * restarted and calls fail. Then the troubles end, and the rounds continue until every task is done.
 */
import { getGroupObject, getHouseholdObject } from "../real-bindings.ts";
import {
  abortAllDurableObjects,
  evictDurableObject,
  runDurableObjectAlarm,
  runInDurableObject,
} from "cloudflare:test";
import { createSeededRandom, type Random } from "../../../support/generators/random.ts";
import { GroupHousehold } from "../../household/groups-support.ts";
import {
  type Faults,
  GROUP_SITES,
  HOUSEHOLD_GROUP_SITES,
  type Kind,
  type Site,
} from "../fault-injection.ts";
import { advanceClock } from "../reliability-household.ts";
import { listAll, listClaimed } from "./checks.ts";
import { SimulatedAgent } from "./simulated-agent.ts";
import type { SimulatedMember } from "./simulated-member.ts";
import { SimulatedOps } from "./simulated-ops.ts";
import { World } from "./world.ts";

const OPS = 3;
const AGENTS = 40;
const ROUNDS = 16;
const MAX_LAST_ROUNDS = 60;
const MAX_ROUND_MS = 90_000;
/** Members that act at the same time. */
const PARALLEL_MEMBERS = 8;
/** Agents that never die, so that every task finds somebody. */
const IMMORTAL_AGENTS = 10;

const SITES: readonly Site[] = [...HOUSEHOLD_GROUP_SITES, ...GROUP_SITES];
const KINDS: readonly Kind[] = ["before", "after", "after", "sql"];
/** Calls that can take effect after the caller has repeated them. */
const LATE_SITES: readonly Site[] = [
  "initiate",
  "join",
  "claim",
  "release",
  "sync",
  "post",
  "send",
];

export class Simulation {
  readonly world: World;
  readonly members: readonly SimulatedMember[];
  readonly #ops: readonly SimulatedOps[];
  readonly #agents: readonly SimulatedAgent[];
  readonly #random: Random;
  readonly #faults: Faults;

  static async create(seed: number, faults: Faults): Promise<Simulation> {
    const house = await GroupHousehold.create();
    await runInDurableObject(getHouseholdObject(house.home.id), (_, { storage }) =>
      faults.wrapStorage(storage),
    );
    const world = new World(house, await house.addMember("owner", "owner"));
    const ops: SimulatedOps[] = [];
    for (let n = 0; n < OPS; n++) {
      const name = `ops${n}`;
      ops.push(new SimulatedOps(world, name, await house.addMember(name), seed * 1_000 + n));
    }
    const agents: SimulatedAgent[] = [];
    for (let n = 0; n < AGENTS; n++) {
      const name = `agent${n}`;
      const principal = await house.addMember(name);
      agents.push(new SimulatedAgent(world, name, principal, seed * 1_000 + OPS + n));
    }
    return new Simulation(world, ops, agents, seed, faults);
  }

  private constructor(
    world: World,
    ops: readonly SimulatedOps[],
    agents: readonly SimulatedAgent[],
    seed: number,
    faults: Faults,
  ) {
    this.world = world;
    this.#ops = ops;
    this.#agents = agents;
    this.members = [...ops, ...agents];
    this.#random = createSeededRandom(seed);
    this.#faults = faults;
  }

  async run(): Promise<void> {
    for (let round = 0; round < ROUNDS; round++) {
      await this.#trouble();
      // Some agents are late, and some of these give no sign of life for five minutes.
      await this.#act(this.members.filter(() => this.#chance(0.7)));
    }
    this.world.isTroubled = false;
    this.#faults.disarm(true);
    await this.#faults.runLostCalls();
    for (let round = 0; round < MAX_LAST_ROUNDS; round++) {
      await this.#act(this.members);
      if (round > 1 && (await this.#isDone())) return;
    }
    this.world.violations.push(`tasks are open after ${MAX_LAST_ROUNDS} rounds without troubles`);
  }

  async #act(members: readonly SimulatedMember[]): Promise<void> {
    advanceClock(this.#random.pickBetween(30_000, MAX_ROUND_MS));
    const order = members
      .map((member) => ({ member, place: this.#random.next() }))
      .toSorted((one, other) => one.place - other.place);
    for (let at = 0; at < order.length; at += PARALLEL_MEMBERS)
      await Promise.all(
        order
          .slice(at, at + PARALLEL_MEMBERS)
          .map(({ member }) => (member as SimulatedAgent | SimulatedOps).act()),
      );
    await runDurableObjectAlarm(getHouseholdObject(this.world.id));
  }

  /** Whether every task in open groups is done. One that was sent to an agent without a claim can stay open. */
  async #isDone(): Promise<boolean> {
    for (const group of this.world.openGroups) {
      const messages = await listAll(this.world, group);
      const claimed = await listClaimed(this.world, group);
      const isLeft = messages.some(
        ({ to, task_status, reassigned_as }) =>
          (task_status === "open" && claimed.has(to)) ||
          (task_status === "returned" && reassigned_as === undefined),
      );
      if (isLeft) return false;
    }
    return true;
  }

  async #trouble(): Promise<void> {
    for (let count = this.#random.pickBetween(0, 3); count > 0; count--) this.#arm();
    const mortal = this.#agents.slice(IMMORTAL_AGENTS);
    if (this.#chance(0.5)) this.#pick(mortal).isDead = true;
    if (this.#chance(0.8)) this.#pick(this.#agents).loseContext();
    if (this.#chance(0.3)) this.#pick(this.#ops).loseContext();
    if (this.#chance(0.3)) await this.#faults.runLostCalls();
    if (this.#chance(0.1)) await abortAllDurableObjects();
    else if (this.#chance(0.5)) await this.#restartOne();
  }

  #arm(): void {
    const isLate = this.#chance(0.2);
    const site = this.#pick(isLate ? LATE_SITES : SITES);
    const kind = isLate ? "ghost" : this.#pick(KINDS);
    this.#faults.arm(site, kind, this.#random.pickBetween(0, 3), this.#random.pickBetween(0, 14));
  }

  /** Restarts the household, a group or a pool. */
  async #restartOne(): Promise<void> {
    const { id, openGroups } = this.world;
    const objects = [
      getHouseholdObject(id),
      ...["agents", ...openGroups].map((group) => getGroupObject(id, group)),
    ];
    // Throws if the object does not run, so that there is nothing to restart.
    await evictDurableObject(this.#pick(objects)).catch(() => undefined);
  }

  #chance(share: number): boolean {
    return this.#random.next() < share;
  }

  #pick<T>(list: readonly T[]): T {
    return list[this.#random.pickBetween(0, list.length - 1)]!;
  }
}
