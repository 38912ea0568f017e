import { afterEach, describe, expect, it, vi } from "vitest";
import { type Caller, createFreshHousehold } from "../support.ts";
import { findRef, callRpc, type Rpc, TASKS, callTool } from "./support.ts";

const EXTENSION = { extensions: { [TASKS]: {} } };
const WITH_FORMS = { ...EXTENSION, elicitation: {} };

const callDo = (
  caller: Caller,
  args: object = {},
  capabilities: object = WITH_FORMS,
): Promise<Rpc> =>
  callRpc(
    caller,
    "tools/call",
    { name: "mess_observe", arguments: { intent: "Look", requires: ["look"], ...args } },
    { capabilities },
  );

const callTask = (
  caller: Caller,
  method: string,
  taskId: string,
  more: object = {},
  capabilities: object = WITH_FORMS,
): Promise<Rpc> => callRpc(caller, `tasks/${method}`, { taskId, ...more }, { capabilities });

afterEach(() => {
  vi.useRealTimers();
});

describe("clients that declare the tasks extension", () => {
  it("a client with tasks gets a task at once, whose id is the thread's ref", async () => {
    const { agent } = await createFreshHousehold();

    const { result } = await callDo(agent);

    expect(result).toMatchObject({ resultType: "task", status: "working", ttlMs: null });
    expect((await agent.read(`/mess/${result.taskId}`)).envelope.ref).toBe(result.taskId);
    expect(Date.parse(result.createdAt)).not.toBeNaN();
  });

  it("a client with tasks gets the answer as the task's result", async () => {
    const { agent, ann } = await createFreshHousehold();
    const { taskId } = (await callDo(agent)).result;
    await ann.appendBlocks(
      taskId,
      { response: { content: ["Two swans."] } },
      { status: { code: "completed" } },
    );

    const { result } = await callTask(agent, "get", taskId);

    expect(result).toMatchObject({ resultType: "complete", status: "completed", taskId });
    expect(result.result.content[0].text).toMatch(/^ann\b.*\n> Two swans\./);
    expect(result.result.isError).toBeUndefined();
    expect(result.result.resultType).toBe("complete");
  });

  it("a client with tasks gets the warnings of its request in the task and in the result", async () => {
    const { agent, ann } = await createFreshHousehold();
    const { taskId, statusMessage } = (await callDo(agent, { response_hint: ["picture"] })).result;
    await ann.appendBlocks(taskId, { response: { content: ["Two swans."] } });

    const { result } = await callTask(agent, "get", taskId);

    expect(statusMessage).toMatch(/\bWarning: .*\bpicture\b/);
    expect(result.result.content[0].text).toMatch(/^Warning: .*\bpicture\b.*\n/);
    expect(result.result.structuredContent.warnings).toEqual([expect.stringContaining("picture")]);
  });

  it("a client with tasks gets a result with the reason when the request failed", async () => {
    const { agent, ann } = await createFreshHousehold();
    const { taskId } = (await callDo(agent)).result;
    await ann.appendBlocks(taskId, { status: { code: "failed", reason: "too dark" } });

    const { result } = await callTask(agent, "get", taskId);

    expect(result.status).toBe("completed");
    expect(result.result.content[0].text).toContain("> failed: reason: too dark");
    expect(result.result.content[0].text).toMatch(/^(?!> ).*\bfailed\b/m);
  });

  it("a client with tasks gets no task if it did not want to wait", async () => {
    const { agent } = await createFreshHousehold();

    const { result } = await callDo(agent, { wait_seconds: 0 });

    expect(result.resultType).toBe("complete");
    expect(result.content[0].text).toContain("pending");
  });

  it("a client with tasks gets the same task when it repeats the call with the same id", async () => {
    const { agent } = await createFreshHousehold();

    const first = await callDo(agent, { id: "swans" });
    const second = await callDo(agent, { id: "swans" });

    expect(second.result.taskId).toBe(first.result.taskId);
  });
});

describe("a repeated call of a client with tasks", () => {
  it("says that nothing new was asked, when the first request has ended", async () => {
    const { agent } = await createFreshHousehold();
    const { taskId } = (await callDo(agent, { id: "swans" })).result;
    await callTask(agent, "cancel", taskId);

    const { result } = await callDo(agent, { id: "swans" });

    expect(result.resultType).toBe("complete");
    expect(result.content[0].text).toMatch(/^Nothing new was asked\b.*\bcancelled\b/);
    expect(result.structuredContent).toMatchObject({ ref: taskId, status: "cancelled" });
  });
});

describe("input from the requestor for a task", () => {
  it("a task asks each question in a separate form, answered one by one", async () => {
    const { agent, ann } = await createFreshHousehold();
    const { taskId } = (await callDo(agent)).result;
    await ann.appendBlocks(taskId, {
      status: {
        code: "needs_input",
        questions: [
          { id: "side", question: "Which side?", options: ["left", "right"] },
          { id: "when", question: "When?" },
        ],
      },
    });

    const asked = (await callTask(agent, "get", taskId)).result;
    await callTask(agent, "update", taskId, {
      inputResponses: {
        "question-001.side": { action: "accept", content: { answer: "left" } },
        "question-001.nonsense": { action: "accept", content: { answer: "x" } },
      },
    });
    const partly = (await callTask(agent, "get", taskId)).result;
    const last = await callTask(agent, "update", taskId, {
      inputResponses: { "question-001.when": { action: "accept", content: { answer: "noon" } } },
    });
    const resumed = (await callTask(agent, "get", taskId)).result;

    expect(asked.status).toBe("input_required");
    expect(asked.inputRequests["question-001.side"]).toMatchObject({
      method: "elicitation/create",
      params: {
        message: expect.stringContaining("Which side?"),
        requestedSchema: { properties: { answer: { type: "string", enum: ["left", "right"] } } },
      },
    });
    expect(Object.keys(partly.inputRequests)).toEqual(["question-001.when"]);
    expect(last.result).toMatchObject({ resultType: "complete" });
    expect(resumed.status).toBe("working");
  });

  it("a task never uses a key for two questions", async () => {
    const { agent, ann } = await createFreshHousehold();
    const { taskId } = (await callDo(agent)).result;
    const keys: string[] = [];
    for (const question of ["First?", "Second?"]) {
      await ann.appendBlocks(taskId, { status: { code: "needs_input", questions: [question] } });
      const { inputRequests } = (await callTask(agent, "get", taskId)).result;
      const [key = ""] = Object.keys(inputRequests);
      keys.push(key);
      const inputResponses = { [key]: { action: "accept", content: { answer: "yes" } } };
      await callTask(agent, "update", taskId, { inputResponses });
    }

    expect(new Set(keys).size).toBe(2);
  });

  it.each([
    ["accept", { confirm: true }, "working", "in_progress"],
    ["accept", { confirm: false }, "working", "held"],
    ["decline", undefined, "working", "held"],
    ["cancel", undefined, "input_required", "needs_confirmation"],
  ])(
    "a task requests confirmation of an action: %s %o",
    async (action, content, status, thread) => {
      const { agent, ann } = await createFreshHousehold();
      const { taskId } = (await callDo(agent)).result;
      await ann.appendBlocks(taskId, { status: { code: "in_progress" } });
      await ann.appendBlocks(taskId, {
        status: { code: "needs_confirmation", action: "Open the safe" },
      });
      const asked = (await callTask(agent, "get", taskId)).result;
      const [key = ""] = Object.keys(asked.inputRequests);

      await callTask(agent, "update", taskId, {
        inputResponses: { [key]: { action, ...(content && { content }) } },
      });

      expect(asked.inputRequests[key].params.message).toContain("Open the safe");
      expect((await callTask(agent, "get", taskId)).result.status).toBe(status);
      expect((await agent.read(`/mess/${taskId}`)).envelope.status).toBe(thread);
    },
  );

  it.each([
    ["a word for no", { confirm: "no" }, "held"],
    ["a word for yes", { confirm: " Yes " }, "in_progress"],
  ])("a task takes a decision as %s", async (_label, content, thread) => {
    const { agent, ann } = await createFreshHousehold();
    const { taskId } = (await callDo(agent)).result;
    await ann.appendBlocks(taskId, { status: { code: "in_progress" } });
    await ann.appendBlocks(taskId, {
      status: { code: "needs_confirmation", action: "Open the safe" },
    });
    const [key = ""] = Object.keys((await callTask(agent, "get", taskId)).result.inputRequests);

    const { result } = await callTask(agent, "update", taskId, {
      inputResponses: { [key]: { action: "accept", content } },
    });

    expect(result.resultType).toBe("complete");
    expect((await agent.read(`/mess/${taskId}`)).envelope.status).toBe(thread);
  });

  it.each([
    ["a decision that is neither yes nor no", { action: "accept", content: { confirm: "maybe" } }],
    ["a decision without a value", { action: "accept", content: {} }],
    ["a value that is not a form's response", { confirm: true }],
  ])("a task refuses %s, and still waits", async (_label, response) => {
    const { agent, ann } = await createFreshHousehold();
    const { taskId } = (await callDo(agent)).result;
    await ann.appendBlocks(taskId, {
      status: { code: "needs_confirmation", action: "Open the safe" },
    });
    const [key = ""] = Object.keys((await callTask(agent, "get", taskId)).result.inputRequests);

    const { error } = await callTask(agent, "update", taskId, {
      inputResponses: { [key]: response },
    });

    expect(error?.code).toBe(-32_602);
    expect(error?.data).toMatchObject({ code: "bad_parameter", valid: expect.anything() });
    expect((await callTask(agent, "get", taskId)).result.status).toBe("input_required");
  });

  it.each([
    ["none of the options", { answer: "middle" }],
    ["empty", { answer: " " }],
    ["missing", {}],
  ])("a task refuses an answer that is %s, with the options", async (_label, content) => {
    const { agent, ann } = await createFreshHousehold();
    const { taskId } = (await callDo(agent)).result;
    await ann.appendBlocks(taskId, {
      status: {
        code: "needs_input",
        questions: [
          { id: "shelf", question: "Which shelf?", options: ["top", "bottom"] },
          { id: "when", question: "When?" },
        ],
      },
    });

    const { error } = await callTask(agent, "update", taskId, {
      inputResponses: {
        "question-001.shelf": { action: "accept", content },
        "question-001.when": { action: "accept", content: { answer: "noon" } },
      },
    });

    expect(error?.data).toEqual({ code: "bad_parameter", valid: ["top", "bottom"] });
    const { inputRequests } = (await callTask(agent, "get", taskId)).result;
    expect(Object.keys(inputRequests)).toHaveLength(2);
  });

  it("a task ends with the question for a client that cannot ask its user", async () => {
    const { agent, ann } = await createFreshHousehold();
    const { taskId } = (await callDo(agent, {}, EXTENSION)).result;
    await ann.appendBlocks(taskId, { status: { code: "needs_input", questions: ["Which pond?"] } });

    const { result } = await callTask(agent, "get", taskId, {}, EXTENSION);

    expect(result.status).toBe("completed");
    expect(result.result.content[0].text).toContain("Which pond?");
    expect(result.result.content[0].text).toContain("mess_reply");
  });
});

describe("a task that is cancelled", () => {
  it("cancelling a task cancels the request, and may be repeated", async () => {
    const { agent } = await createFreshHousehold();
    const { taskId } = (await callDo(agent)).result;

    const first = await callTask(agent, "cancel", taskId);
    const second = await callTask(agent, "cancel", taskId);

    expect([first.result.resultType, second.result.resultType]).toEqual(["complete", "complete"]);
    expect((await callTask(agent, "get", taskId)).result.status).toBe("cancelled");
    expect((await agent.read(`/mess/${taskId}`)).envelope.status).toBe("cancelled");
  });
});

describe("a task that does not exist", () => {
  it("a task of another household is refused like a missing one", async () => {
    const mine = await createFreshHousehold();
    const other = await createFreshHousehold();
    const { taskId } = (await callDo(mine.agent, { id: "secret" })).result;

    for (const method of ["get", "update", "cancel"]) {
      const more = method === "update" ? { inputResponses: {} } : {};
      const foreign = await callTask(other.agent, method, taskId, more);
      const unknown = await callTask(other.agent, method, "2020-01-01-999-nothing", more);

      expect(foreign.error?.code).toBe(-32_602);
      expect(foreign.error).toEqual(unknown.error);
    }
    expect((await mine.agent.read(`/mess/${taskId}`)).envelope.status).toBe("pending");
  });

  it("a task is refused to clients without the extension", async () => {
    const { agent } = await createFreshHousehold();
    const { taskId } = (await callDo(agent)).result;

    const { error } = await callTask(agent, "get", taskId, {}, {});

    expect(error?.code).toBe(-32_021);
    expect(error?.data.requiredCapabilities).toEqual(EXTENSION);
  });
});

describe("an answer after twenty minutes", () => {
  it("an answer after twenty minutes reaches the agent through a task, repeated waits, and the status", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const { agent, ann } = await createFreshHousehold();
    const { taskId } = (await callDo(agent)).result;
    const asked = await callTool(agent, "mess_status", { re: taskId });
    let cursor = Number(/cursor=(\d+)/.exec(asked.text)?.[1]);

    for (let minute = 0; minute < 20; minute++) {
      vi.setSystemTime(Date.now() + 60_000);
      const waited = await callTool(agent, "mess_wait", { re: taskId, cursor, wait_seconds: 0 });
      expect(waited.text).toContain("pending");
      expect((await callTask(agent, "get", taskId)).result.status).toBe("working");
      cursor = Number(/cursor=(\d+)/.exec(waited.text)?.[1]);
    }
    const waiting = callTool(agent, "mess_wait", { re: taskId, cursor, wait_seconds: 30 });
    await ann.appendBlocks(
      taskId,
      { response: { content: ["Better late."] } },
      { status: { code: "completed" } },
    );

    expect((await waiting).text).toContain("> Better late.");
    expect((await callTask(agent, "get", taskId)).result.result.content[0].text).toContain(
      "> Better late.",
    );
    expect((await callTool(agent, "mess_status", { re: taskId })).text).toContain("> Better late.");
    expect(findRef(asked.text)).toBe(taskId);
  });
});
