/** Waiting for messages of a group: for a short time, with progress, and as a task. */
import { afterEach, describe, expect, it, vi } from "vitest";
import type { Caller } from "../../support.ts";
import { createPair, GROUPS, type Pair, sendToWorker, useFields, useTool } from "./support.ts";
import { ERAS } from "../tool-client.ts";
import { callTask, openProgress, speedUp, startTask, WITH_TASKS } from "../long-waits.ts";
import { buildModernRequest, callRpc, callTool, readReceived } from "../support.ts";

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const listIds = (fields: { messages: { id: string }[] }): string[] =>
  fields.messages.map(({ id }) => id);

describe.each(ERAS)("a wait by a client of %s", (era) => {
  it(`a wait returns as soon as a message arrives, for a client of ${era}`, async () => {
    const pair = await createPair();
    const { ann, group, worker } = pair;
    const began = Date.now();
    const waiting = useTool(ann, "wait", { group_id: group, my_id: worker, timeout: 40 }, era);

    const id = await sendToWorker(pair, "Wake up", { message_type: "task" });
    const { text, fields } = await waiting;

    expect(Date.now() - began).toBeLessThan(20_000);
    expect(listIds(fields)).toEqual([id]);
    expect(text).toContain(`task ${id} from ${pair.ops} "lead"`);
    expect(text).toContain("> Wake up");
    expect(text).toContain(`cursor=${fields.cursor}`);
  });

  it(`a wait with the same cursor gives the same messages, and leaves them unread, for a client of ${era}`, async () => {
    const pair = await createPair();
    const { cursor } = await useFields(pair.ann, "wait", { timeout: 0 }, era);
    const id = await sendToWorker(pair, "once");

    const first = await useFields(pair.ann, "wait", { cursor, timeout: 0 }, era);
    const second = await useFields(pair.ann, "wait", { cursor, timeout: 0 }, era);
    const later = await useFields(pair.ann, "wait", { cursor: first.cursor, timeout: 0 }, era);

    expect(listIds(first)).toEqual([id]);
    expect(second).toEqual(first);
    expect(later).toMatchObject({ messages: [], cursor: first.cursor, total_pending: 1 });
  });
});

describe("a wait without a cursor", () => {
  it("a wait without a cursor continues after the messages of the last one", async () => {
    const pair = await createPair();
    const one = await sendToWorker(pair, "one");
    const first = await useFields(pair.ann, "wait", { timeout: 0 });
    const two = await sendToWorker(pair, "two");

    const second = await useFields(pair.ann, "wait", { timeout: 0 });
    const third = await useFields(pair.ann, "wait", { timeout: 0 });

    expect([listIds(first), listIds(second), listIds(third)]).toEqual([[one], [two], []]);
  });

  it("a wait names the tool to call again, with its name at the address", async () => {
    const { ann } = await createPair();

    const here = await useTool(ann, "wait", { timeout: 0 });
    const all = await callTool(ann, "group_wait", { timeout: 0 }, { path: "/mcp/all" });

    expect(here.text).toMatch(/\bcall wait again with cursor=\d+-\w+/);
    expect(all.text).toMatch(/\bcall group_wait again with cursor=\d+-\w+/);
  });
});

describe("a wait in a group that is closed", () => {
  it("a wait ends when its group is closed, and does not ask to wait again", async () => {
    const { agent, ann, group, worker } = await createPair();
    const waiting = useTool(ann, "wait", { group_id: group, my_id: worker, timeout: 40 });
    await vi.waitFor(async () => {
      const { members } = await useFields(agent, "status", { group_id: group });
      expect(members).toMatchObject([{}, { online: true }]);
    });
    await useFields(agent, "close", { group_id: group });

    const { text, fields } = await waiting;
    const later = await useTool(ann, "wait", { group_id: group, my_id: worker, timeout: 40 });

    expect(fields).toMatchObject({ messages: [], closed: true });
    expect(text).toContain("closed");
    expect(text).not.toContain("call wait again");
    expect(later.fields.closed).toBe(true);
  });
});

describe("a long wait without progress and tasks", () => {
  it("a wait for 600 seconds ends after 45 with its cursor", async () => {
    const { ann } = await createPair();
    const delays = speedUp("setTimeout");

    const ended = await useFields(ann, "wait", { timeout: 600 });

    expect(ended).toMatchObject({ messages: [], cursor: expect.any(String) });
    expect(delays).toContain(45_000);
    expect(delays).not.toContain(600_000);
  });
});

describe("a wait with a progress token", () => {
  it("a long wait reports progress every 10 seconds, and returns the message", async () => {
    const pair = await createPair();
    const timeouts = vi.spyOn(globalThis, "setTimeout");
    const intervals = speedUp("setInterval");
    const stream = await openProgress(pair.ann, GROUPS.path);

    const reports = [await stream.readNext(), await stream.readNext(), await stream.readNext()];
    const id = await sendToWorker(pair, "there");
    let last = await stream.readNext();
    while (last?.method) last = await stream.readNext();

    for (const one of reports)
      expect(one).toMatchObject({
        method: "notifications/progress",
        params: { progressToken: "p1", total: 600 },
      });
    expect(intervals).toContain(10_000);
    expect(timeouts.mock.calls.map(([, delay]) => delay)).toContain(600_000);
    expect(last?.result.structuredContent.messages).toMatchObject([{ id }]);
  });

  it("a client that vanishes ends its wait", async () => {
    const { ann } = await createPair();
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const stream = await openProgress(ann, GROUPS.path);
    await stream.readNext();
    await vi.waitFor(() => expect(vi.getTimerCount()).toBeGreaterThan(0));

    await stream.close();

    await vi.waitFor(() => expect(vi.getTimerCount()).toBe(0));
  });
});

const startWait = (caller: Caller, args: object = {}, path = GROUPS.path) =>
  startTask(caller, { name: path === GROUPS.path ? "wait" : "group_wait", path, args });

const TASK_PATHS = ["/mcp/groups", "/mcp/all"];

describe.each(TASK_PATHS)("a wait as a task at %s", (path) => {
  it(`a client with tasks gets a task at ${path}, which completes with the message`, async () => {
    const pair = await createPair();
    const task = await startWait(pair.ann, {}, path);
    const before = await callTask(pair.ann, "get", task.taskId, path);
    const id = await sendToWorker(pair, "Wake up");

    const after = await callTask(pair.ann, "get", task.taskId, path);
    const again = await callTask(pair.ann, "get", task.taskId, path);

    expect(task).toMatchObject({ resultType: "task", status: "working" });
    expect(before.result.status).toBe("working");
    expect(after.result).toMatchObject({
      resultType: "complete",
      status: "completed",
      result: { resultType: "complete", structuredContent: { messages: [{ id }] } },
    });
    expect(again.result.result).toEqual(after.result.result);
  });

  it(`a task at ${path} ends with a cursor when its time is over`, async () => {
    const { ann } = await createPair();
    vi.useFakeTimers({ toFake: ["Date"] });
    const { taskId } = await startWait(ann, {}, path);
    vi.setSystemTime(Date.now() + 121_000);

    const { result } = await callTask(ann, "get", taskId, path);

    expect(result.status).toBe("completed");
    expect(result.result.structuredContent).toMatchObject({ messages: [] });
    expect(result.result.content[0].text).toContain("cursor=");
  });

  it(`a task at ${path} that is cancelled ends`, async () => {
    const { ann } = await createPair();
    const { taskId } = await startWait(ann, {}, path);

    const cancelled = await callTask(ann, "cancel", taskId, path);
    const { result } = await callTask(ann, "get", taskId, path);

    expect(cancelled.error).toBeUndefined();
    expect(result.status).toBe("cancelled");
  });
});

describe("tasks of waits", () => {
  it("the task of a wait in a group that is closed completes", async () => {
    const { agent, ann, group } = await createPair();
    const { taskId } = await startWait(ann);
    await useFields(agent, "close", { group_id: group });

    const { result } = await callTask(ann, "get", taskId, GROUPS.path);

    expect(result).toMatchObject({
      status: "completed",
      result: { structuredContent: { closed: true } },
    });
  });

  it("a client with tasks gets no task for a short wait, or if a message waits already", async () => {
    const pair = await createPair();
    const short = await startWait(pair.ann, { timeout: 0 });
    const id = await sendToWorker(pair, "already here");

    const long = await startWait(pair.ann);

    expect(short.structuredContent).toMatchObject({ messages: [] });
    expect(long.structuredContent.messages).toMatchObject([{ id }]);
  });

  it("the messages of a task are not repeated by the next wait without a cursor", async () => {
    const pair = await createPair();
    const { taskId } = await startWait(pair.ann);
    await sendToWorker(pair, "one");
    await callTask(pair.ann, "get", taskId, GROUPS.path);

    const next = await useFields(pair.ann, "wait", { timeout: 0 });

    expect(next.messages).toEqual([]);
  });

  it("a task that is cancelled takes no message from the next wait", async () => {
    const pair = await createPair();
    const { taskId } = await startWait(pair.ann);
    const id = await sendToWorker(pair, "one");
    await callTask(pair.ann, "cancel", taskId, GROUPS.path);

    const next = await useFields(pair.ann, "wait", { timeout: 0 });

    expect(listIds(next)).toEqual([id]);
  });

  it("a task that is cancelled stays so, and leaves later messages to the next wait", async () => {
    const pair = await createPair();
    const { taskId } = await startWait(pair.ann);
    await callTask(pair.ann, "cancel", taskId, GROUPS.path);
    const id = await sendToWorker(pair, "later");

    const { result } = await callTask(pair.ann, "get", taskId, GROUPS.path);
    const next = await useFields(pair.ann, "wait", { timeout: 0 });

    expect(result.status).toBe("cancelled");
    expect(listIds(next)).toEqual([id]);
  });

  it("a wait after a cancelled one in the same second is another task", async () => {
    const { ann } = await createPair();
    vi.useFakeTimers({ toFake: ["Date"] });
    const { taskId } = await startWait(ann);
    await callTask(ann, "cancel", taskId, GROUPS.path);

    const second = await startWait(ann);
    const { result } = await callTask(ann, "get", second.taskId, GROUPS.path);

    expect(result.status).toBe("working");
  });

  it("a task that is cancelled after a message arrived keeps its result", async () => {
    const pair = await createPair();
    const { taskId } = await startWait(pair.ann);
    const id = await sendToWorker(pair, "in time");

    await callTask(pair.ann, "cancel", taskId, GROUPS.path);
    const { result } = await callTask(pair.ann, "get", taskId, GROUPS.path);

    expect(result).toMatchObject({
      status: "completed",
      result: { structuredContent: { messages: [{ id }] } },
    });
  });

  it("requests to people keep their tasks at the address for everything", async () => {
    const { agent, ann } = await createPair();
    const path = "/mcp/all";
    const call = { name: "mess_observe", arguments: { intent: "Look", requires: ["look"] } };
    const options = { path, capabilities: WITH_TASKS };
    const { taskId } = (await callRpc(agent, "tools/call", call, options)).result;
    const answer = [{ response: { content: ["Two swans."] } }, { status: { code: "completed" } }];
    await ann.appendBlocks(taskId, ...answer);

    const { result } = await callTask(agent, "get", taskId, path);

    expect(result.status).toBe("completed");
    expect(result.result.content[0].text).toContain("> Two swans.");
  });

  const CHANGES: [string, (id: string, pair: Pair) => string][] = [
    ["another member", (id, { worker, ops }) => id.replace(worker, ops)],
    ["another group", (id) => id.replace(/g_\w+/, "g_000000000000")],
    ["a longer time", (id) => id.replace(/\d{10}$/, (until) => String(Number(until) + 3_600))],
    ["an end before its begin", (id) => id.replace(/\d{10}$/, "1000000000")],
    ["something behind it", (id) => `${id}.1`],
    ["something before it", (id) => `home/${id}`],
    ["a cursor that is no cursor", (id) => id.replace(/\.c?\d+-\w+(\.\w{8}\.\d{10}\.)/, ".x$1")],
    ["nothing but its name", () => "wait."],
    ["a very long text", () => `wait.${"9".repeat(250)}`],
  ];

  it.each(CHANGES)("a task id with %s is unknown", async (_label, change) => {
    const pair = await createPair();
    const { taskId } = await startWait(pair.ann);
    const changed = change(taskId, pair);

    const answers = await Promise.all(
      (["get", "update", "cancel"] as const).map((method) =>
        callTask(pair.ann, method, changed, GROUPS.path),
      ),
    );

    expect(changed).not.toBe(taskId);
    for (const { error } of answers) expect(error?.code).toBe(-32_602);
  });

  it("a task of another agent's wait is unknown", async () => {
    const { ann, ben, agent, group } = await createPair();
    await useFields(ben, "join", { group_id: group, my_name: "third" });
    const { taskId } = await startWait(ann);

    const answers = await Promise.all(
      [ben, agent].map((one) => callTask(one, "get", taskId, GROUPS.path)),
    );

    for (const { error } of answers) expect(error?.code).toBe(-32_602);
  });

  it("a client without the extension gets a result instead of a task", async () => {
    const { ann } = await createPair();
    const request = buildModernRequest("tools/call", { name: "wait", arguments: { timeout: 0 } });

    const { messages } = await readReceived(await ann.fetch(GROUPS.path, request));

    expect(messages.at(-1)?.result).toMatchObject({ structuredContent: { messages: [] } });
  });
});
