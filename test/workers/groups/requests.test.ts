import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createLink, Browser } from "../respond/support.ts";
import { countThreads, expectOkJson, waitUntil } from "../support.ts";
import { type GroupScene, openGroupScene } from "./request-scene.ts";

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

const TASK = { message_type: "task" };

async function openPage({ agent }: GroupScene, ref: string): Promise<Browser> {
  const link = await createLink(agent, ref);
  const browser = new Browser();
  const response = await browser.open({ token: link.token });
  expect(response.status).toBe(204);
  return browser;
}

describe("a task for a person in an AI group", () => {
  it("opens a request for that person only, in the name of the sender", async () => {
    const { send, agent, ops, group } = await openGroupScene();

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
    const scene = await openGroupScene();
    const { ops, group, send, readTask } = scene;
    const sent = await send("ann", "Look at the basil", TASK);
    const page = await openPage(scene, sent.ref);

    const waiting = ops.read(`/groups/${group}/wait?timeout=20&cursor=${sent.seq}`);
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
        content: "It is dry\nimage: https://photos.example.org/basil.jpg\ncompleted",
      },
    ]);
    expect(await readTask(sent.id)).toMatchObject({
      task_status: "done",
      request_status: "completed",
    });
    expect((await ops.read(`/groups/${group}`)).tasks).toEqual([]);
  });

  it("shows in its status that the person has claimed it, without a message", async () => {
    const scene = await openGroupScene();
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
    const scene = await openGroupScene();
    const { ann, send, waitForMessage, readTask, readChannel } = scene;
    const sent = await send("ann", "Look at the basil", TASK);

    await ann.appendBlocks(sent.ref, { status: { code: "declined", reason: "not at home" } });

    const report = await waitForMessage("ann", "report");
    expect(report.content).toContain("not at home");
    expect(await readTask(sent.id)).toMatchObject({ task_status: "done" });
    expect(await readChannel("ann")).toHaveLength(2);
  });

  it("opens a second request for a second task of the same person", async () => {
    const { send } = await openGroupScene();

    const first = await send("ann", "Look at the basil", TASK);
    const second = await send("ann", "Look at the mint", TASK);

    expect(second.ref).toMatch(/^\d{4}-/);
    expect(second.ref).not.toBe(first.ref);
  });

  it("opens one request, also if the call or the job is repeated", async () => {
    const scene = await openGroupScene();
    const { agent, group, id, send, readTask } = scene;
    const sent = await send("ann", "Look at the basil", TASK);

    const repeated = await send("ann", "Look at the basil", TASK);
    const object = env.GROUPS.getByName(`${id}/${group}`);
    await runInDurableObject(object, async (_object, { storage }) => {
      storage.sql.exec("DELETE FROM requests");
      const sender = storage.sql.exec<{ record: string }>("SELECT record FROM record").one();
      const { credential } = JSON.parse(sender.record).members[0];
      const payload = { seq: sent.seq, actor: agent.actor, role: "agent", credential };
      storage.sql.exec(
        "INSERT INTO jobs (queue, kind, payload, due) VALUES (?, 'post', ?, 0)",
        sent.id,
        JSON.stringify(payload),
      );
      await storage.setAlarm(Date.now() + 60_000);
    });
    await runInDurableObject(object, (instance) => instance.alarm());

    expect(repeated).toMatchObject({ id: sent.id, ref: sent.ref, repeated: true });
    expect(await readTask(sent.id)).toMatchObject({ ref: sent.ref });
    expect(await countThreads(agent)).toBe(1);
  });
});
