/** What must hold after a simulation, from what the members were shown and from the owner's view of all channels. */
import type { Principal } from "../../../../src/auth/principal.ts";
import type { GroupMessage } from "../../../../src/contracts/groups.ts";
import {
  countPending,
  readGroupMessages,
} from "../../../../src/exchange/group-calls/group-messages.ts";
import { EXCHANGE_SENDER } from "../../../../src/mess/groups/ids.ts";
import { parseWaitCursor } from "../../../../src/mess/groups/wait-cursor.ts";
import { getHouseholdStub } from "../../../../src/stubs.ts";
import { unwrap } from "../../household/groups-support.ts";
import type { SimulatedMember } from "./simulated-member.ts";
import type { World } from "./world.ts";

const PAGE_MESSAGES = 500;

/** All messages of a group or pool. */
export async function listAll(world: World, group: string): Promise<GroupMessage[]> {
  const object = world.house.getGroup(group);
  const messages: GroupMessage[] = [];
  for (let more = true; more;) {
    const page = await object.listMessages(messages.at(-1)?.seq ?? 0, PAGE_MESSAGES);
    messages.push(...page.messages);
    ({ more } = page);
  }
  return messages;
}

/** The agents that are claimed for the group. */
export async function listClaimed(world: World, group: string): Promise<Set<string>> {
  const { groups } = getHouseholdStub(world.env, world.id);
  const entries = unwrap(await groups.listPool(world.owner, { pool: "agents" }));
  return new Set(
    entries.filter(({ group_id }) => group_id === group).map(({ agent_id }) => agent_id),
  );
}

export async function listViolations(
  world: World,
  members: readonly SimulatedMember[],
): Promise<string[]> {
  const found = [...world.violations, ...world.listForeign(), ...checkClaims(world)];
  for (const group of await getHouseholdStub(world.env, world.id).groups.listIds()) {
    const stored = await listAll(world, group);
    found.push(
      ...[
        ...checkSent(world, group, stored),
        ...checkOrder(stored),
        ...checkStreams(world, group, stored),
        ...checkTasks(stored, await listClaimed(world, group)),
        ...(await checkPending(world, group, members)),
      ].map((violation) => `${group}: ${violation}`),
    );
  }
  return found;
}

/** Every acknowledged message is stored once, as it was sent. */
function checkSent(world: World, group: string, stored: readonly GroupMessage[]): string[] {
  const byId = new Map(stored.map((message) => [message.id, message.content]));
  const lost = world.sent
    .filter((sent) => sent.group === group && byId.get(sent.id) !== sent.content)
    .map(({ content }) => `lost or changed: ${content}`);
  const doubled = [...Map.groupBy(listKeyed(stored), ({ key }) => key)].flatMap(([key, same]) =>
    same.length === 1 ? [] : [`${key} is stored as ${JSON.stringify(same)}`],
  );
  return [...lost, ...doubled];
}

/** The messages that members sent, with their keys. The household quotes tasks, and assigns them again. */
function listKeyed(stored: readonly GroupMessage[]): (GroupMessage & { key: string })[] {
  const assignedAgain = new Set(stored.map(({ reassigned_as }) => reassigned_as));
  return stored.flatMap((message) => {
    const key = /\[(\S+-\d+)\]$/.exec(message.content)?.[1];
    const isOwn = message.from !== EXCHANGE_SENDER && !assignedAgain.has(message.id);
    return key !== undefined && isOwn ? [{ ...message, key }] : [];
  });
}

/** A member numbers its calls, and makes one after the other. */
function checkOrder(stored: readonly GroupMessage[]): string[] {
  const newest = new Map<string, number>();
  return listKeyed(stored).flatMap(({ key, from, to, seq }) => {
    const number = Number(key.split("-")[1]);
    const channel = `${from} to ${to}`;
    const isLate = number <= (newest.get(channel) ?? 0);
    newest.set(channel, number);
    return isLate ? [`out of order from ${channel}: position ${seq}`] : [];
  });
}

/** A member that continues by cursors receives each message to it once, in order. */
function checkStreams(world: World, group: string, stored: readonly GroupMessage[]): string[] {
  return world.streams
    .filter((stream) => stream.group === group)
    .flatMap(({ member, ids, cursor, messages }) => {
      const last = parseWaitCursor(cursor)!.position;
      const expected = stored.filter(({ to, seq }) => ids.has(to) && seq <= last);
      return messages.join() === expected.map(({ id }) => id).join()
        ? []
        : [
            `${member} received ${messages.join()} in place of ${expected.map(({ id }) => id).join()}`,
          ];
    });
}

/**
 * A task is completed by one report, or was given back. The one that replaced it is the only other with its content.
 * @param claimed agents that are claimed for the group; a task that others were sent can stay open
 */
function checkTasks(stored: readonly GroupMessage[], claimed: ReadonlySet<string>): string[] {
  const tasks = stored.filter(({ type }) => type === "task");
  const byId = new Map(tasks.map((task) => [task.id, task]));
  const found: string[] = [];
  for (const { id, to, task_status, reassigned_as, content } of tasks) {
    const reports = stored.filter(({ completes }) => completes === id);
    if (reports.length !== (task_status === "done" ? 1 : 0))
      found.push(`task ${id} is ${task_status} with ${reports.length} completing reports`);
    if (reassigned_as !== undefined && byId.get(reassigned_as)?.content !== content)
      found.push(`task ${id} was assigned again as ${reassigned_as}, which is another`);
    if (reassigned_as !== undefined && task_status !== "returned")
      found.push(`task ${id} was assigned again and is ${task_status}`);
    if (claimed.has(to) && reassigned_as === undefined && task_status === "open")
      found.push(`task ${id} is ${task_status} in the end`);
  }
  for (const [content, same] of Map.groupBy(tasks, (task) => task.content)) {
    const ends = same.filter(({ reassigned_as }) => reassigned_as === undefined);
    if (ends.length !== 1) found.push(`${ends.length} agents have ${JSON.stringify(content)}`);
  }
  return found;
}

/** The counters of each member equal a recount of its unread messages. */
async function checkPending(
  world: World,
  group: string,
  members: readonly SimulatedMember[],
): Promise<string[]> {
  const found: string[] = [];
  for (const { name, principal, ids } of members)
    for (const id of ids) {
      const caller = { group_id: group, my_id: id };
      const counted = await countPending(world.env, principal, caller);
      if (!counted.ok) continue;
      const { total_pending, by_sender } = counted.value;
      const unread = await readAll(world, principal, caller);
      const recount = toCounts(unread);
      const counts = Object.entries(by_sender).map(
        ([sender, { count, types }]) => `${sender} ${count} ${describeTypes(types)}`,
      );
      if (total_pending !== unread.length || counts.toSorted().join() !== recount.join())
        found.push(`${name} has ${counts.join()} pending in place of ${recount.join()}`);
    }
  return found;
}

const describeTypes = (types: Readonly<Record<string, number>>): string =>
  Object.entries(types)
    .map(([type, count]) => `${type}:${count}`)
    .toSorted()
    .join(" ");

const toCounts = (unread: readonly GroupMessage[]): string[] =>
  [...Map.groupBy(unread, ({ from }) => from)]
    .map(([sender, messages]) => {
      const types = [...Map.groupBy(messages, ({ type }) => type)].map(
        ([type, same]) => [type, same.length] as const,
      );
      return `${sender} ${messages.length} ${describeTypes(Object.fromEntries(types))}`;
    })
    .toSorted();

async function readAll(
  world: World,
  principal: Principal,
  caller: { group_id: string; my_id: string },
): Promise<GroupMessage[]> {
  const messages: GroupMessage[] = [];
  for (let more = true; more;) {
    const query = { unread_only: true, limit: 50 };
    const page = unwrap(await readGroupMessages(world.env, principal, caller, query));
    messages.push(...page.messages);
    ({ more } = page);
  }
  return messages;
}

/** A claim of an agent begins after the one before it has ended. */
function checkClaims({ claims }: World): string[] {
  const found: string[] = [];
  for (const [agent, all] of Map.groupBy(claims, ({ agent_id }) => agent_id)) {
    const sorted = all.toSorted((one, other) => one.epoch - other.epoch);
    for (const [index, { epoch, ops, ends }] of sorted.entries()) {
      const before = sorted[index - 1];
      if (!before) continue;
      if (before.epoch === epoch || before.ends >= ends)
        found.push(
          `${agent} was claimed by ${before.ops} and ${ops} (epochs ${before.epoch}, ${epoch})`,
        );
    }
  }
  return found;
}
