import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { interceptCalls } from "../intercept-calls.ts";
import { getHouseholdStub } from "../../../src/stubs.ts";
import { createLink, Browser } from "../respond/support.ts";
import { PHOTO } from "../robots/support.ts";
import { countThreads, expectOkJson, readRefusal, waitUntil } from "../support.ts";
import { type RequestScene, openRequestScene, readSender, repeatJob } from "./request-scene.ts";

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

const TASK = { message_type: "task" };

/** Revokes the key as another isolate would, without clearing the cache of this one. */
async function revokeElsewhere(household: string, credential: string): Promise<void> {
  const { identity } = getHouseholdStub(env, household);
  await identity.revokeKey(credential.slice("key:".length));
}

async function openPage({ agent }: RequestScene, ref: string): Promise<Browser> {
  const link = await createLink(agent, ref);
  const browser = new Browser();
  const response = await browser.open({ token: link.token });
  expect(response.status).toBe(204);
  return browser;
}

describe("a task for a person in an AI group", () => {
  it("opens a request for that person only, in the name of the sender", async () => {
    const { send, agent, ops, group } = await openRequestScene();

    const sent = await send("ann", "Look at the basil\nIs it dry?", {
      ...TASK,
      importance: "high",
    });

    const { envelope, messages } = await agent.read(`/mess/${sent.ref}`);
    expect(envelope).toMatchObject({ intent: "Look at the basil", priority: "elevated" });
    expect(messages[0]).toMatchObject({ from: agent.actor, channel: "group" });
    expect(JSON.stringify(messages[0])).toContain("Is it dry?");
    const route = await agent.read(`/mess/${sent.ref}/route`);
    expect(route.candidates).toMatchObject([{ id: "ann" }]);
    const status = await ops.read(`/groups/${group}`);
    expect(status.members).toContainEqual(expect.objectContaining({ id: "ann", role: "person" }));
    expect(status.tasks).toMatchObject([{ id: sent.id, ref: sent.ref, request_status: "pending" }]);
  });

  it("is completed by the answer from the person's page, which wakes the agent's wait", async () => {
    const scene = await openRequestScene();
    const { ops, group, send, readTask } = scene;
    const sent = await send("ann", "Look at the basil", TASK);
    const page = await openPage(scene, sent.ref);

    const waiting = ops.read(`/groups/${group}/wait?timeout=20`);
    await expectOkJson(
      await page.appendBlocks(
        sent.ref,
        { response: { content: ["It is dry", { image: "https://photos.example.org/basil.jpg" }] } },
        { status: { code: "completed" } },
      ),
    );

    const { messages } = await waiting;
    expect(messages).toMatchObject([
      {
        from: "ann",
        type: "report",
        reply_to: sent.id,
        ref: sent.ref,
        person: true,
        content: "It is dry\nimage: https://photos.example.org/basil.jpg",
      },
    ]);
    expect(await readTask(sent.id)).toMatchObject({
      task_status: "done",
      request_status: "completed",
    });
    expect((await ops.read(`/groups/${group}`)).tasks).toEqual([]);
  });

  it("shows in its status that the person has claimed it, without a message", async () => {
    const scene = await openRequestScene();
    const { ann, send, readTask, readChannel } = scene;
    const sent = await send("ann", "Look at the basil", TASK);

    await ann.claim(sent.ref);

    await waitUntil(async () =>
      expect(await readTask(sent.id)).toMatchObject({
        task_status: "open",
        request_status: "claimed",
      }),
    );
    expect(await readChannel("ann")).toHaveLength(1);
  });

  it("is completed by a report when the person declines", async () => {
    const scene = await openRequestScene();
    const { ann, send, waitForMessage, readTask, readChannel } = scene;
    const sent = await send("ann", "Look at the basil", TASK);

    await ann.appendBlocks(sent.ref, { status: { code: "declined", reason: "not at home" } });

    const report = await waitForMessage("ann", "report");
    expect(report.content).toContain("not at home");
    expect(await readTask(sent.id)).toMatchObject({ task_status: "done" });
    expect(await readChannel("ann")).toHaveLength(2);
  });

  it("is completed by a report when an owner deletes the request", async () => {
    const { owner, send, waitForMessage, readTask } = await openRequestScene();
    const sent = await send("ann", "Look at the basil", TASK);

    const deleted = await owner.fetch(`/mess/${sent.ref}`, { method: "DELETE" });

    expect(deleted.ok).toBe(true);
    const report = await waitForMessage("ann", "report");
    expect(report).toMatchObject({ reply_to: sent.id, completes: sent.id });
    expect(await readTask(sent.id)).toMatchObject({
      task_status: "done",
      request_status: "cancelled",
    });
  });

  it("opens a second request for a second task of the same person", async () => {
    const { send } = await openRequestScene();

    const first = await send("ann", "Look at the basil", TASK);
    const second = await send("ann", "Look at the mint", TASK);

    expect(second.ref).toMatch(/^\d{4}-/);
    expect(second.ref).not.toBe(first.ref);
  });

  it("opens one request, also if the answer of the exchange was lost", async () => {
    const { agent, group, id, send, readTask } = await openRequestScene();
    let lost = 0;
    interceptCalls(env.THREADS, "thread", async (method, _object, call) => {
      const result = await call();
      if (method === "thread.create" && lost++ === 0) throw new Error("the connection was lost");
      return result;
    });

    const sent = await send("ann", "Look at the basil", TASK);
    const object = env.GROUPS.getByName(`${id}/${group}`);
    await waitUntil(async () => {
      await runInDurableObject(object, (instance) => instance.alarm());
      expect((await readTask(sent.id)).ref).toBeDefined();
    });

    expect(lost).toBeGreaterThan(0);
    expect(await countThreads(agent)).toBe(1);
  });

  it.each([
    ["is sent again when the exchange refuses it for a second", 1, "task"],
    ["comes back as a report when the exchange refuses it for hours", 40_000, "report"],
  ])("%s", async (_label, retry_after, last) => {
    const { group, id, send, readChannel } = await openRequestScene();
    const error = { code: "rate_limited", message: "too many", hint: "Wait.", retry_after };
    let refusals = 0;
    interceptCalls(env.HOUSEHOLDS, "household", async (method, _object, call) =>
      method === "household.openThreads" && refusals++ === 0 ? { ok: false, error } : await call(),
    );

    const sent = await send("ann", "Look at the basil", TASK);
    const object = env.GROUPS.getByName(`${id}/${group}`);
    const channel = await waitUntil(async () => {
      await runInDurableObject(object, (instance) => instance.alarm());
      const messages = await readChannel("ann");
      const isSettled = messages[0].ref !== undefined || messages[0].task_status === "done";
      expect(isSettled).toBe(true);
      return messages;
    });

    expect(sent.ref).toBeUndefined();
    expect(channel.at(-1)).toMatchObject({ type: last });
    expect(channel[0].task_status).toBe(last === "task" ? "open" : "done");
  });

  it("of a member that may not create requests comes back as a report", async () => {
    const { ben, group } = await openRequestScene();
    const { my_id } = await expectOkJson(
      await ben.post(`/groups/${group}/members`, { my_name: "ben" }),
    );
    const body = { to_id: "ann", content: "Look at the basil", as: my_id, ...TASK };

    const sent = await expectOkJson(await ben.post(`/groups/${group}/messages`, body));

    const { messages } = await ben.read(`/groups/${group}/messages?with=ann&limit=50`);
    expect(messages[0]).toMatchObject({ type: "report", reply_to: sent.id, completes: sent.id });
    expect(messages[0].content).toContain("executors may not create requests");
  });

  it("gets each report once, also if the group's answer to the thread was lost", async () => {
    const { id, ann, send, waitForMessage, readChannel } = await openRequestScene();
    const sent = await send("ann", "Look at the basil", TASK);
    let lost = 0;
    interceptCalls(env.GROUPS, "group", async (method, _object, call) => {
      const result = await call();
      if (method === "group.takeRequestChange" && lost++ === 0)
        throw new Error("the connection was lost");
      return result;
    });

    await ann.appendBlocks(sent.ref, { followup: { message: "On my way" } });
    await waitForMessage("ann", "message");
    await ann.appendBlocks(
      sent.ref,
      { response: { content: ["It is dry"] } },
      { status: { code: "completed" } },
    );
    const thread = env.THREADS.getByName(`${id}/${sent.ref}`);
    await waitUntil(async () => {
      await runInDurableObject(thread, (instance) => instance.alarm());
      expect(await readChannel("ann")).toHaveLength(3);
    });

    expect(lost).toBeGreaterThan(1);
    expect((await readChannel("ann")).map(({ type }) => type)).toEqual([
      "task",
      "message",
      "report",
    ]);
  });

  it("opens one request, also if the call or the job is repeated", async () => {
    const scene = await openRequestScene();
    const { agent, group, id, send, readTask } = scene;
    const sent = await send("ann", "Look at the basil", TASK);

    const repeated = await send("ann", "Look at the basil", TASK);
    await runInDurableObject(env.GROUPS.getByName(`${id}/${group}`), (_object, { storage }) => {
      storage.sql.exec("DELETE FROM requests");
    });
    await repeatJob(scene, sent.seq);

    expect(repeated).toMatchObject({ id: sent.id, ref: sent.ref, repeated: true });
    expect(await readTask(sent.id)).toMatchObject({ ref: sent.ref });
    expect(await countThreads(agent)).toBe(1);
  });
});

describe("a message about a task in an AI group", () => {
  it("reaches the person's request as a followup, and the answer comes back", async () => {
    const { ann, agent, send, waitForMessage } = await openRequestScene();
    const sent = await send("ann", "Look at the basil", TASK);

    await send("ann", "It stands by the window");
    await ann.appendBlocks(sent.ref, { followup: { message: "I see it" } });

    const { messages } = await agent.read(`/mess/${sent.ref}`);
    expect(messages).toContainEqual(
      expect.objectContaining({
        from: agent.actor,
        MESS: expect.arrayContaining([{ followup: { message: "It stands by the window" } }]),
      }),
    );
    expect(await waitForMessage("ann", "message")).toMatchObject({
      content: "I see it",
      reply_to: sent.id,
    });
  });

  it("is refused without a task, and with several tasks unless it names one", async () => {
    const { send, trySend } = await openRequestScene();

    expect(await readRefusal(await trySend("ann", "hello"))).toBe("422 unknown_reference");
    const first = await send("ann", "Look at the basil", TASK);
    const second = await send("ann", "Look at the mint", TASK);
    const unclear = await trySend("ann", "hurry");
    const named = await send("ann", "hurry", { reply_to: second.id });

    expect(unclear.status).toBe(422);
    expect(await unclear.json()).toMatchObject({ error: { valid: [first.id, second.id] } });
    expect(named).toMatchObject({ ref: second.ref });
  });

  it("for nobody of the household is refused with the members and executors", async () => {
    const { trySend, owner, group } = await openRequestScene();

    const refused = await trySend("bob", "hello", TASK);

    expect(refused.status).toBe(404);
    const { error } = await refused.json<{ error: { code: string; valid: string[] } }>();
    expect(error.code).toBe("unknown_member");
    expect(error.valid).toEqual(expect.arrayContaining(["ann", "ben", "moppy"]));
    expect((await owner.read(`/groups/${group}`)).members).toHaveLength(1);
  });

  it("whose key has ended before the request was opened comes back as a report", async () => {
    const scene = await openRequestScene();
    const { id, group, owner, send } = scene;
    const { credential } = await readSender(scene);
    await revokeElsewhere(id, credential);

    const sent = await send("ann", "Look at the basil", TASK);

    expect(sent.ref).toBeUndefined();
    const page = await owner.read(`/groups/${group}/messages?between=${scene.me},ann`);
    expect(page.messages).toMatchObject([
      { from: "ann", type: "report", reply_to: sent.id },
      { id: sent.id, task_status: "done" },
    ]);
    expect(await countThreads(owner)).toBe(0);
  });
});

describe("a task for a robot in an AI group", () => {
  it("is offered to its webhook, and its answer with a file completes the task", async () => {
    const { moppy, send, waitForMessage, readTask, ops, group } = await openRequestScene();
    const sent = await send("moppy", "Mop up the rice", TASK);
    const offer = await waitUntil(async () => {
      const [hook] = moppy.about(sent.ref);
      expect(hook?.event).toBe("task.offered");
      return hook!;
    });

    await expectOkJson(
      await moppy.callBack({
        url: offer.callback!.url,
        message: {
          MESS: [
            {
              response: { re: sent.ref, content: ["all clean", { image: { file: "floor.png" } }] },
            },
            { status: { re: sent.ref, code: "completed" } },
          ],
        },
        files: [new File([PHOTO], "floor.png", { type: "image/png" })],
      }),
    );

    const report = await waitForMessage("moppy", "report");
    expect(report.content).toMatch(/^all clean\nimage: content:\/\/\S+\.png$/);
    expect(report).not.toHaveProperty("person");
    expect(await readTask(sent.id)).toMatchObject({ task_status: "done" });
    const { members } = await ops.read(`/groups/${group}`);
    expect(members).toContainEqual(expect.objectContaining({ id: "moppy", role: "robot" }));
  });

  it("may be sent by an agent to itself only as a message to its member", async () => {
    const { owner, trySend, ops } = await openRequestScene();
    await expectOkJson(
      await owner.postBlocks({ config: { executor: { id: ops.actor, capabilities: ["think"] } } }),
    );

    expect(await readRefusal(await trySend(ops.actor, "Think", TASK))).toBe("400 bad_field");
  });
});
