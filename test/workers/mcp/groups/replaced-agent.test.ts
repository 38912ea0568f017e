/** An agent that goes silent in the middle of a task and is replaced, as official clients at the endpoint see it. */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { OFFLINE_AFTER_MS } from "../../../../src/mess/groups/vocabulary.ts";
import { type Caller, createFreshHousehold, ORIGIN, waitUntil } from "../../support.ts";

let now = 0;
const closing: (() => Promise<void>)[] = [];

beforeEach(() => {
  now = Date.now();
  vi.setSystemTime(now);
});
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
  vi.useRealTimers();
});

/** The fields of a result that the test reads. */
// oxlint-disable-next-line typescript/no-explicit-any
type Use = (name: string, args?: object) => Promise<any>;

/** Connects an official client whose requests go to the Worker; a tool that refuses throws its text. */
async function connect(caller: Caller): Promise<Use> {
  const client = new Client(
    { name: "test", version: "1" },
    { versionNegotiation: { mode: { pin: "2026-07-28" } } },
  );
  const transport = new StreamableHTTPClientTransport(new URL("/mcp/groups", ORIGIN), {
    fetch: (url, init) => caller.fetch(new URL(url).pathname, init),
  });
  await client.connect(transport);
  closing.push(() => client.close());
  return async (name, args = {}) => {
    const result = await client.callTool({ name, arguments: { ...args } });
    const [{ text = "" } = {}] = result.content as { text?: string }[];
    if (result.isError) throw new Error(text);
    return { ...(result.structuredContent as object), text };
  };
}

/** The id of the group in the text of an assignment. */
const findGroup = ({ text }: { text: string }): string => /\bg_\w+/.exec(text)?.[0] ?? "";

it("a silent agent is replaced, its task goes to the replacement, and its late report completes nothing", async () => {
  const { id, agent, addMember } = await createFreshHousehold();
  const ops = await connect(agent);
  const indy = await connect(await addMember("indy", "agent"));
  const rocky = await connect(await addMember("rocky", "agent"));
  const { group_id, my_id } = await ops("initiate", { topic: "Project X", my_name: "lead" });
  const own = { group_id, my_id };
  const claim = { ops_id: my_id, target_group_id: group_id };
  const first = (await indy("pool_register", { agent_name: "indy" })).agent_id as string;
  const assigned = await ops("pool_claim", { ...claim, task: "Build feature A" });
  await indy("join", { group_id, my_name: "indy" });
  await indy("read", { group_id });

  vi.setSystemTime(now + OFFLINE_AFTER_MS + 1_000);
  await runDurableObjectAlarm(env.HOUSEHOLDS.getByName(id));
  const second = (await rocky("pool_register", { agent_name: "rocky" })).agent_id as string;
  const notice = await waitUntil(async () => {
    const received = await ops("wait", { ...own, cursor: "0", timeout: 0 });
    expect(received.messages).toHaveLength(1);
    return received;
  });
  const silent = await ops("agent_status", { agent_id: first });
  const { tasks } = await ops("status", { group_id });
  const again = await ops("pool_claim", { ...claim, task: assigned.task_id });
  const assignment = await rocky("wait", { group_id: "agents", my_id: second, timeout: 5 });
  const joined = await rocky("join", { group_id: findGroup(assignment), my_name: "rocky" });
  const [task] = (await rocky("read", { group_id })).messages;

  const report = { group_id, to_id: my_id, message_type: "report" };
  const named = { ...report, reply_to: assigned.task_id };
  const late = await indy("send", { ...named, content: "A, too late" });
  const done = await rocky("send", { ...report, content: "A is built", reply_to: task.id });
  const later = await indy("send", { ...report, content: "A, without an id" });
  const reports = await ops("wait", { ...own, cursor: notice.cursor, timeout: 5 });
  const after = await ops("status", { group_id });
  await indy("heartbeat", { agent_id: first });
  const back = await ops("agent_status", { agent_id: first });

  expect(silent).toMatchObject({ online: false, pool_status: "offline" });
  expect(tasks).toMatchObject([{ id: assigned.task_id, agent: first, status: "returned" }]);
  expect(notice.text).toContain(assigned.task_id);
  expect(again.agent_id).toBe(second);
  expect(joined.my_id).toBe(second);
  expect(task).toMatchObject({ id: again.task_id, type: "task", task_status: "open" });
  for (const sent of [late, later]) {
    expect(sent.late).toBe(true);
    expect(sent).not.toHaveProperty("completes");
  }
  expect(done).toMatchObject({ completes: again.task_id });
  const inTime = reports.messages.filter((message: { late?: true }) => !message.late);
  expect(inTime).toMatchObject([{ id: done.id, type: "report", from: second }]);
  expect(reports.messages).toHaveLength(3);
  expect(after.tasks).toEqual([]);
  expect(back).toMatchObject({ online: true, pool_status: "available" });
});
