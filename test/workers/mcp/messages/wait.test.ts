/** Waiting for messages of sources: for a short time, with progress, and as a task. */
import { afterEach, describe, expect, it, vi } from "vitest";
import type { Caller } from "../../support.ts";
import { callTask, openProgress, speedUp, startTask } from "../long-waits.ts";
import {
  createMessageScene,
  MESSAGES,
  type MessageScene,
  readCode,
  useFields,
  useTool,
} from "./support.ts";
import { ERAS } from "../tool-client.ts";

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const listIds = ({ messages }: { messages: { id: string }[] }): string[] =>
  messages.map(({ id }) => id);

describe.each(ERAS)("a wait for messages by a client of %s", (era) => {
  it(`a wait returns as soon as a message must not wait, for a client of ${era}`, async () => {
    const { secretary, receive, receiveUrgent } = await createMessageScene();
    const { cursor } = await useFields(secretary, "wait", { timeout: 0 }, era);
    const began = Date.now();
    const waiting = useTool(secretary, "wait", { timeout: 40, cursor }, era);

    await receive(1);
    const id = await receiveUrgent(2);
    const { text, fields } = await waiting;

    expect(Date.now() - began).toBeLessThan(20_000);
    expect(fields.notices).toMatchObject([{ source: "mail", id, tier: "NOTIFY" }]);
    expect(text).toContain(`cursor=${fields.cursor}`);
  });

  it(`a wait for a source returns as soon as it has any message, for a client of ${era}`, async () => {
    const { secretary, receive } = await createMessageScene();
    const { cursor } = await useFields(secretary, "wait", { source: "mail", timeout: 0 }, era);
    const given = { source: "mail", timeout: 40, cursor };
    const waiting = useTool(secretary, "wait", given, era);

    await receive(1, {}, "alerts");
    const id = await receive(2);
    const { text, fields } = await waiting;

    expect(listIds(fields)).toEqual([id]);
    expect(text).toContain("> The body of message 2.");
  });

  it(`a wait with the same cursor gives the same messages, for a client of ${era}`, async () => {
    const { secretary, receive, receiveUrgent } = await createMessageScene();
    const { cursor } = await useFields(secretary, "wait", { source: "mail", timeout: 0 }, era);
    const all = await useFields(secretary, "wait", { timeout: 0 }, era);
    const ids = [await receive(1), await receiveUrgent(2)];
    const noticed = { cursor: all.cursor, timeout: 30 };

    const given = { source: "mail", cursor, timeout: 0 };
    const first = await useFields(secretary, "wait", given, era);
    const second = await useFields(secretary, "wait", given, era);
    const later = await useFields(secretary, "wait", { ...given, cursor: first.cursor }, era);
    const notices = await useFields(secretary, "wait", noticed, era);
    const again = await useFields(secretary, "wait", noticed, era);

    expect(listIds(first)).toEqual(ids);
    expect(second).toEqual(first);
    expect(later).toMatchObject({ messages: [], cursor: first.cursor });
    expect(notices.notices).toMatchObject([{ id: ids[1] }]);
    expect(again).toEqual(notices);
  });
});

describe("a wait without a message", () => {
  it("a wait for 600 seconds without progress and tasks ends after 45 with its cursor", async () => {
    const { secretary } = await createMessageScene();
    const delays = speedUp("setTimeout");

    const ended = await useFields(secretary, "wait", { timeout: 600 });

    expect(ended).toMatchObject({ notices: [], cursor: expect.any(String) });
    expect(delays).toContain(45_000);
    expect(delays).not.toContain(600_000);
  });

  it("a cursor of another source, of notices or of another household is refused", async () => {
    const { secretary, home } = await createMessageScene();
    const cursor = `${home.id}.mail.0`;
    const codes = [
      await readCode(secretary, "wait", { source: "alerts", cursor, timeout: 0 }),
      await readCode(secretary, "wait", { cursor, timeout: 0 }),
      await readCode(secretary, "wait", { source: "mail", cursor: "h-x.mail.0", timeout: 0 }),
      await readCode(secretary, "wait", { source: "mail", cursor: "later", timeout: 0 }),
    ];

    expect(new Set(codes)).toEqual(new Set(["bad_parameter"]));
    expect(await readCode(secretary, "wait", { source: "mail", cursor, timeout: 0 })).toBe(
      "no error",
    );
  });
});

it("a long wait for messages reports progress, and returns the notice", async () => {
  const { secretary, receiveUrgent } = await createMessageScene();
  const intervals = speedUp("setInterval");
  const stream = await openProgress(secretary, MESSAGES.path);

  const reports = [await stream.readNext(), await stream.readNext()];
  const id = await receiveUrgent(1);
  let last = await stream.readNext();
  while (last?.method) last = await stream.readNext();

  for (const one of reports)
    expect(one).toMatchObject({
      method: "notifications/progress",
      params: { progressToken: "p1", total: 600 },
    });
  expect(intervals).toContain(10_000);
  expect(last?.result.structuredContent.notices).toMatchObject([{ id }]);
});

describe.each(["/mcp/messages", "/mcp/all"])("a wait for messages as a task at %s", (path) => {
  const getCaller = ({ home, secretary }: MessageScene) =>
    path === MESSAGES.path ? secretary : home.owner;

  const name = path === MESSAGES.path ? "wait" : "message_wait";
  const startWait = (caller: Caller, args: object) => startTask(caller, { name, path, args });

  it(`a client with tasks gets a task at ${path}, which completes with the message`, async () => {
    const scene = await createMessageScene();
    const caller = getCaller(scene);
    const task = await startWait(caller, { source: "mail" });
    const before = await callTask(caller, "get", task.taskId, path);
    const id = await scene.receive(1);

    const after = await callTask(caller, "get", task.taskId, path);
    const again = await callTask(caller, "get", task.taskId, path);

    expect(task).toMatchObject({ resultType: "task", status: "working" });
    expect(before.result.status).toBe("working");
    expect(after.result).toMatchObject({
      status: "completed",
      result: { resultType: "complete", structuredContent: { messages: [{ id }] } },
    });
    expect(again.result.result).toEqual(after.result.result);
  });

  it(`a task at ${path} ends with a cursor when its time is over`, async () => {
    const caller = getCaller(await createMessageScene());
    vi.useFakeTimers({ toFake: ["Date"] });
    const { taskId } = await startWait(caller, {});

    vi.setSystemTime(Date.now() + 121_000);
    const ended = await callTask(caller, "get", taskId, path);

    expect(ended.result).toMatchObject({
      status: "completed",
      result: { structuredContent: { notices: [], cursor: expect.any(String) } },
    });
  });

  it(`a task at ${path} takes updates and cancellation, and an unknown one is refused`, async () => {
    const caller = getCaller(await createMessageScene());
    const { taskId } = await startWait(caller, {});

    expect((await callTask(caller, "update", taskId, path)).error).toBeUndefined();
    expect((await callTask(caller, "cancel", taskId, path)).error).toBeUndefined();
    for (const unknown of ["messages.notify.0.1700000000.1900000000", "messages.ctl.0.1.2"])
      expect((await callTask(caller, "get", unknown, path)).error?.code).toBe(-32_602);
  });
});

it("the task of a source that the caller may not read is unknown", async () => {
  const { secretary, addLimitedKey } = await createMessageScene();
  const reader = await addLimitedKey("msg/alerts");
  const { path } = MESSAGES;
  const task = await startTask(secretary, { name: "wait", path, args: { source: "mail" } });

  const own = await callTask(secretary, "get", task.taskId, path);
  const theirs = await callTask(reader, "get", task.taskId, path);

  expect(own.result.status).toBe("working");
  expect(theirs.error?.code).toBe(-32_602);
});
