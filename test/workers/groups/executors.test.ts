import { runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { GROUP_LIMITS, OFFLINE_AFTER_MS } from "../../../src/mess/groups/vocabulary.ts";
import { formatWaitCursor } from "../../../src/mess/groups/wait-cursor.ts";
import { getHouseholdStub } from "../../../src/stubs.ts";
import { interceptCalls } from "../intercept-calls.ts";
import {
  type Answered,
  type Caller,
  countThreads,
  createFreshHousehold,
  expectOkJson,
  readRefusal,
  type TestHousehold,
  waitUntil,
} from "../support.ts";

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

interface PoolAgent {
  id: string;
  caller: Caller;
  /** The messages that it has received in the pool after the position. */
  wait: (position?: number) => Promise<Answered[]>;
  trySend: (content: string, type: string, more?: object) => Promise<Response>;
  send: (content: string, type: string, more?: object) => Promise<Answered>;
}

async function register(home: TestHousehold, name: string): Promise<PoolAgent> {
  const caller = await home.addMember(name, "executor");
  const entry = { name, capabilities: ["code-review"] };
  const { agent_id: id } = await expectOkJson(await caller.post("/pools/agents/agents", entry));
  const trySend: PoolAgent["trySend"] = (content, message_type, more = {}) =>
    caller.post("/groups/agents/messages", {
      as: id,
      to_id: "exchange",
      content,
      message_type,
      ...more,
    });
  return {
    id,
    caller,
    wait: async (position = 0) => {
      const cursor = formatWaitCursor(position, { group: "agents", member: id });
      const path = `/groups/agents/wait?as=${id}&cursor=${cursor}&timeout=20`;
      return (await caller.read(path)).messages;
    },
    trySend,
    send: async (...message) => await expectOkJson(await trySend(...message)),
  };
}

const REVIEW = {
  requires: ["code-review"],
  context: ["The change is in https://git.example.org/1"],
};

const readThread = (caller: Caller, ref: string): Promise<Answered> => caller.read(`/mess/${ref}`);

const waitUntilClaimed = (home: TestHousehold, ref: string): Promise<void> =>
  waitUntil(async () =>
    expect((await readThread(home.agent, ref)).envelope.status).toBe("claimed"),
  );

const release = async ({ id, caller }: PoolAgent, query = ""): Promise<Answered> =>
  await expectOkJson(
    await caller.fetch(`/pools/agents/agents/${id}${query}`, { method: "DELETE" }),
  );

const readStatus = async (home: TestHousehold, agent: PoolAgent): Promise<string> => {
  const { agents } = await home.owner.read("/pools/agents/agents");
  return agents.find(({ agent_id }: Answered) => agent_id === agent.id).status;
};

describe("a request that requires a capability of an agent in the pool", () => {
  it("wakes the agent's wait as a task, and is completed by the agent's report", async () => {
    const home = await createFreshHousehold();
    const agent = await register(home, "indy");

    const waiting = agent.wait();
    const ref = await home.agent.createThread("Review the change", REVIEW);
    const [task] = await waiting;
    const busy = await readStatus(home, agent);
    const sent = await agent.send("Looks good", "report", { reply_to: task.id });

    expect(task).toMatchObject({ type: "task", from: "exchange", ref, request_status: "claimed" });
    expect(task.content).toContain("Review the change");
    expect(task.content).toContain("https://git.example.org/1");
    expect(busy).toBe("working");
    expect(sent).toMatchObject({ completes: task.id, ref });
    await waitUntil(async () => {
      const { envelope, messages } = await readThread(home.agent, ref);
      expect(envelope).toMatchObject({ status: "completed", executor: agent.id });
      expect(messages).toContainEqual(
        expect.objectContaining({
          from: agent.id,
          channel: "group",
          MESS: expect.arrayContaining([
            { response: expect.objectContaining({ content: ["Looks good"] }) },
          ]),
        }),
      );
      expect(await readStatus(home, agent)).toBe("available");
    });
  });

  it("is discussed with the agent by questions and answers", async () => {
    const home = await createFreshHousehold();
    const agent = await register(home, "indy");
    const ref = await home.agent.createThread("Review the change", REVIEW);
    const [task] = await agent.wait();
    await waitUntilClaimed(home, ref);

    await agent.send("I have read half of it", "message", { reply_to: task.id });
    const question = await agent.send("Which branch?", "question", { reply_to: task.id });
    await waitUntil(async () =>
      expect((await readThread(home.agent, ref)).envelope.status).toBe("needs_input"),
    );
    await home.agent.appendBlocks(ref, { reply: { answers: "main" } });
    const [answer] = await agent.wait(question.seq);
    await agent.send("Looks good", "report", { reply_to: answer.id });

    expect(answer).toMatchObject({ type: "message", from: "exchange", reply_to: task.id, ref });
    expect(answer.content).toContain("main");
    await waitUntil(async () => {
      const { envelope, messages } = await readThread(home.agent, ref);
      expect(envelope.status).toBe("completed");
      expect(JSON.stringify(messages)).toContain("I have read half of it");
    });
  });

  it("brings its agent the whole text of an answer, and the addresses of its files", async () => {
    const home = await createFreshHousehold();
    const agent = await register(home, "indy");
    const ref = await home.agent.createThread("Review the change", REVIEW);
    const [task] = await agent.wait();
    const question = await agent.send("Which change?", "question", { reply_to: task.id });
    await waitUntil(async () =>
      expect((await readThread(home.agent, ref)).envelope.status).toBe("needs_input"),
    );

    const text = `${"long ".repeat(600)}end`;
    const context = [text, { file: "https://git.example.org/2.diff" }];
    await home.agent.appendBlocks(ref, { reply: { answers: "this", context } });
    const [answer] = await agent.wait(question.seq);
    await home.agent.appendBlocks(ref, { followup: { message: "x".repeat(20_000) } });
    const [longest] = await agent.wait(answer.seq);

    expect(answer.content).toContain(text);
    expect(answer.content).toContain("https://git.example.org/2.diff");
    expect(longest.content.length).toBeGreaterThan(15_000);
    expect(longest.content.length).toBeLessThanOrEqual(GROUP_LIMITS.contentChars);
  });

  it("gets the whole report of its agent, with the names of the files that it modified", async () => {
    const home = await createFreshHousehold();
    const agent = await register(home, "indy");
    const ref = await home.agent.createThread("Review the change", REVIEW);
    const [task] = await agent.wait();
    const content = "y".repeat(GROUP_LIMITS.contentChars);

    await agent.send(content, "report", { reply_to: task.id, files_modified: ["a.ts", "b.ts"] });

    await waitUntil(async () =>
      expect((await readThread(home.agent, ref)).messages).toContainEqual(
        expect.objectContaining({
          from: agent.id,
          MESS: expect.arrayContaining([
            {
              response: expect.objectContaining({
                content: [content],
                notes: "Files modified: a.ts, b.ts",
              }),
            },
          ]),
        }),
      ),
    );
  });

  it("shows people the name of its agent, also after the agent has left the pool", async () => {
    const home = await createFreshHousehold();
    const agent = await register(home, "indy");
    const ref = await home.agent.createThread("Review the change", REVIEW);
    const [task] = await agent.wait();
    await agent.send("Looks good", "report", { reply_to: task.id });
    await waitUntil(async () =>
      expect((await readThread(home.agent, ref)).envelope.status).toBe("completed"),
    );
    await release(agent, "?remove=true");

    const { names } = await home.owner.read(`/respond/state?ref=${ref}`);
    const contacts = await getHouseholdStub(env, home.id).contacts.findContacts({
      recipients: "owners",
      priority: "normal",
    });

    expect(names).toMatchObject({ [agent.id]: "indy" });
    expect(contacts.names).toMatchObject({ [agent.id]: "indy" });
  });

  it("alerts the owners when its last agent gives it back", async () => {
    const home = await createFreshHousehold();
    const alerts: string[] = [];
    vi.stubGlobal("fetch", async (input: RequestInfo) => {
      alerts.push(new Request(input).url);
      return Response.json({});
    });
    const dispatch = { ntfy: { server: "https://ntfy.test" }, alerts: { ntfy: "owners" } };
    await expectOkJson(await home.owner.postBlocks({ config: { dispatch } }));
    const agent = await register(home, "indy");
    const ref = await home.agent.createThread("Review the change", REVIEW);
    await agent.wait();
    await waitUntilClaimed(home, ref);

    await release(agent);

    await waitUntil(async () => expect(alerts).toHaveLength(1));
    const { history, status } = (await readThread(home.agent, ref)).envelope;

    expect(status).toBe("declined");
    expect(history).toContainEqual(
      expect.objectContaining({
        action: "escalated",
        note: "to the owners: every candidate has declined",
      }),
    );
  });

  it("goes to the next agent when its agent gives no sign of life", async () => {
    const home = await createFreshHousehold();
    const [first, second] = [await register(home, "indy"), await register(home, "rocky")];
    const ref = await home.agent.createThread("Review the change", REVIEW);
    const [task] = await first.wait();
    await waitUntilClaimed(home, ref);

    vi.setSystemTime(Date.now() + OFFLINE_AFTER_MS + 1_000);
    await expectOkJson(await second.caller.post("/groups/agents/heartbeat", { as: second.id }));
    await runDurableObjectAlarm(env.HOUSEHOLDS.getByName(home.id));
    const [taken] = await second.wait();
    const late = await first.send("Too late", "report", { reply_to: task.id });
    await second.send("Looks good", "report", { reply_to: taken.id });

    expect(taken).toMatchObject({ type: "task", ref });
    expect(late).toMatchObject({ late: true });
    await waitUntil(async () => {
      const { envelope, messages } = await readThread(home.agent, ref);
      expect(envelope).toMatchObject({ status: "completed", executor: second.id });
      expect(JSON.stringify(messages)).not.toContain("Too late");
    });
  });

  it("is not shown to another agent of the pool", async () => {
    const home = await createFreshHousehold();
    const [agent, other] = [await register(home, "indy"), await register(home, "rocky")];
    const ref = await home.agent.createThread("Review the change", REVIEW);
    await agent.wait();

    const seen = JSON.stringify(await other.caller.read("/pools/agents/agents"));
    const own = JSON.stringify(await agent.caller.read("/pools/agents/agents"));

    expect(seen).not.toContain(ref);
    expect(own).toContain(ref);
    expect((await other.caller.fetch(`/mess/${ref}`)).status).toBe(404);
    expect((await agent.caller.fetch(`/mess/${ref}`)).status).toBe(404);
  });

  it("is given back when its agent releases itself", async () => {
    const home = await createFreshHousehold();
    const agent = await register(home, "indy");
    const ref = await home.agent.createThread("Review the change", REVIEW);
    await agent.wait();
    await waitUntilClaimed(home, ref);

    await release(agent);

    await waitUntil(async () =>
      expect((await readThread(home.agent, ref)).envelope).toMatchObject({
        status: "declined",
        executor: null,
      }),
    );
    expect(await readStatus(home, agent)).toBe("available");
  });

  it("frees its agent when the requestor cancels it", async () => {
    const home = await createFreshHousehold();
    const agent = await register(home, "indy");
    const ref = await home.agent.createThread("Review the change", REVIEW);
    const [task] = await agent.wait();
    await waitUntilClaimed(home, ref);

    await home.agent.appendBlocks(ref, { cancel: { reason: "not needed" } });
    const [news] = await agent.wait(task.seq);

    expect(news).toMatchObject({ type: "message", reply_to: task.id });
    expect(news.content).toContain("not needed");
    await waitUntil(async () => expect(await readStatus(home, agent)).toBe("available"));
  });

  it("is offered once, also if the answer of the pool was lost", async () => {
    const home = await createFreshHousehold();
    const agent = await register(home, "indy");
    let lost = 0;
    interceptCalls(env.GROUPS, "group", async (method, _object, call) => {
      const result = await call();
      if (method === "group.post" && lost++ === 0) throw new Error("the connection was lost");
      return result;
    });

    await home.agent.createThread("Review the change", REVIEW);
    await agent.wait();
    await waitUntil(async () => {
      await runDurableObjectAlarm(env.HOUSEHOLDS.getByName(home.id));
      expect(lost).toBeGreaterThan(1);
    });

    expect((await agent.wait()).map(({ type }) => type)).toEqual(["task"]);
  });
});

describe("an agent in the pool", () => {
  it("that is claimed for a group is not offered a request", async () => {
    const home = await createFreshHousehold();
    const agent = await register(home, "indy");
    const { my_id, group_id } = await expectOkJson(
      await home.agent.post("/groups", { topic: "The kitchen" }),
    );
    const claim = { ops_id: my_id, target_group_id: group_id };
    await expectOkJson(await home.agent.post("/pools/agents/claims", claim));

    const ref = await home.agent.createThread("Review the change", REVIEW);

    const route = await home.agent.read(`/mess/${ref}/route`);
    expect(route.candidates).toEqual([]);
    expect((await agent.wait()).map(({ type }) => type)).toEqual(["message"]);
  });

  it("that carries out a request is not claimed for a group", async () => {
    const home = await createFreshHousehold();
    const agent = await register(home, "indy");
    await home.agent.createThread("Review the change", REVIEW);
    await agent.wait();
    const { my_id } = await expectOkJson(await home.agent.post("/groups", { topic: "Kitchen" }));

    const refused = await home.agent.post("/pools/agents/claims", { ops_id: my_id });

    expect(await readRefusal(refused)).toBe("409 nobody_available");
  });

  it("that was reserved for a request which it never got is available again", async () => {
    const home = await createFreshHousehold();
    const agent = await register(home, "indy");
    const { groups } = getHouseholdStub(env, home.id);
    const assignment = { agent: agent.id, ref: await home.agent.createThread("Do something") };

    const state = await groups.assignRequest(assignment);
    const reserved = await readStatus(home, agent);
    vi.setSystemTime(Date.now() + OFFLINE_AFTER_MS + 1_000);
    await expectOkJson(await agent.caller.post("/groups/agents/heartbeat", { as: agent.id }));
    await runDurableObjectAlarm(env.HOUSEHOLDS.getByName(home.id));

    expect([state, reserved]).toEqual(["assigned", "working"]);
    await waitUntil(async () => expect(await readStatus(home, agent)).toBe("available"));
    expect(
      await agent.caller.read(`/groups/agents/wait?as=${agent.id}&cursor=0&timeout=0`),
    ).toMatchObject({ messages: [] });
  });

  it("of another household is not offered a request, nor is one of the requestor", async () => {
    const [home, other] = [await createFreshHousehold(), await createFreshHousehold()];
    const agent = await register(home, "indy");
    const elsewhere = await other.agent.createThread("Review the change", REVIEW);
    const second = await home.addMember("indy", "agent");

    const own = await second.createThread("Review the change", REVIEW);

    const route = await other.agent.read(`/mess/${elsewhere}/route`);
    expect(JSON.stringify(route)).not.toContain(agent.id);
    expect((await second.read(`/mess/${own}/route`)).candidates).toEqual([]);
    expect(await readStatus(home, agent)).toBe("available");
  });

  it("is not offered a request that requires nothing, or what it cannot do", async () => {
    const home = await createFreshHousehold();
    const agent = await register(home, "indy");

    const anything = await home.agent.createThread("Do something");
    const photo = await home.agent.createThread("A photo", { requires: ["take-photo"] });

    for (const ref of [anything, photo])
      expect(JSON.stringify(await home.agent.read(`/mess/${ref}/route`))).not.toContain(agent.id);
    expect(await countThreads(home.agent)).toBe(2);
  });

  it("is listed as an executor, but is no part of the configuration", async () => {
    const home = await createFreshHousehold();
    const agent = await register(home, "indy");

    const { executors } = await home.agent.read("/api/v1/executors");
    const config = await home.owner.read("/api/v1/config");

    expect(executors).toContainEqual(
      expect.objectContaining({ id: agent.id, name: "indy", capabilities: ["code-review"] }),
    );
    expect(JSON.stringify(config)).not.toContain(agent.id);
  });

  it("whose request another agent holds cannot report to it", async () => {
    const home = await createFreshHousehold();
    const [agent, other] = [await register(home, "indy"), await register(home, "rocky")];
    const ref = await home.agent.createThread("Review the change", REVIEW);
    const [task] = await agent.wait();

    const refused = await other.trySend("Looks bad", "report", { reply_to: task.id });
    const asHolder = await other.trySend("Looks bad", "report", {
      reply_to: task.id,
      as: agent.id,
    });

    expect(await readRefusal(refused)).toBe("422 unknown_reference");
    expect(asHolder.ok).toBe(false);
    await waitUntilClaimed(home, ref);
  });
});
