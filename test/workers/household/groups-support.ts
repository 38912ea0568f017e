/** A household with members who form groups; each has a key of its own. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import type { Principal, Role } from "../../../src/auth/principal.ts";
import type {
  ClaimInput,
  GroupsRpc,
  NewPoolEntry,
  PoolEntryView,
} from "../../../src/contracts/household-groups.ts";
import type { GroupRpc } from "../../../src/contracts/groups.ts";
import { defined } from "../../../src/mess/defined.ts";
import { createStores, type Stores } from "../../../src/household/stores.ts";
import { getGroupStub } from "../../../src/stubs.ts";
import { unwrap } from "../outcomes.ts";
import { buildFakeHash, createHousehold, type HouseholdUnderTest } from "./support.ts";

export { unwrap };

export class GroupHousehold {
  readonly home: HouseholdUnderTest;
  readonly groups: GroupsRpc;

  constructor(home: HouseholdUnderTest) {
    this.home = home;
    this.groups = home.rpc.groups;
  }

  static async create(): Promise<GroupHousehold> {
    return new GroupHousehold(await createHousehold());
  }

  /** A member with a new key. */
  async addMember(actor: string, role: Role = "agent", seconds?: number): Promise<Principal> {
    const expiry = seconds === undefined ? undefined : { seconds };
    const key_hash = buildFakeHash(crypto.randomUUID().replaceAll("-", ""));
    const { id } = unwrap(
      await this.home.rpc.identity.addKey({ actor, role, key_hash, ...defined({ expiry }) }),
    );
    return { household: this.home.id, actor, role, credential: `key:${id}` };
  }

  async revokeKey({ credential }: Principal): Promise<void> {
    unwrap(await this.home.rpc.identity.revokeKey(credential!.slice("key:".length)));
  }

  getObject = (): DurableObjectStub => env.HOUSEHOLDS.getByName(this.home.id);

  /** Changes the household's rows directly. */
  changeStores = (change: (stores: Stores) => void): Promise<void> =>
    runInDurableObject(this.getObject(), (_object, { storage }) =>
      change(createStores(storage.sql)),
    );

  getGroup = (group: string): GroupRpc => getGroupStub(env, this.home.id, group);

  initiate = async (boss: Principal, topic = "Project X", my_name = "boss") =>
    unwrap(await this.groups.initiate(boss, { topic, my_name }));

  register = async (
    agent: Principal,
    name: string,
    more: Partial<NewPoolEntry> = {},
  ): Promise<PoolEntryView> =>
    unwrap(await this.groups.register(agent, { pool: "agents", name, ...more }));

  claim = (boss: Principal, ops_id: string, more: Partial<ClaimInput> = {}) =>
    this.groups.claim(boss, { ops_id, pool: "agents", ...more });

  /** The entry as an owner sees it. */
  async readEntry(agent_id: string, pool: "agents" | "ops" = "agents"): Promise<PoolEntryView> {
    const owner = await this.addMember("olga", "owner");
    const entries = unwrap(await this.groups.listPool(owner, { pool }));
    return entries.find((entry) => entry.agent_id === agent_id)!;
  }

  /** The messages that the member has received in the group or pool. */
  async receive(principal: Principal, group: string, as?: string) {
    const caller = as === undefined ? { principal } : { principal, as };
    return unwrap(await this.getGroup(group).receive(caller, 0)).messages;
  }
}
