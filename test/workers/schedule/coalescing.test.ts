/** Two agents ask the same question: one executor observes once, and both agents get the answer. */
import { getThreadStub } from "../../../src/stubs.ts";
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { ThreadObject } from "../../../src/thread/thread-object.ts";
import {
  type Answered,
  type Caller,
  waitUntil,
  expectOkJson,
  createFreshHousehold,
  readRefusal,
  type TestHousehold,
} from "../support.ts";
import { readEnvelope, runAlarm, START, startClock, listExchangeMessages } from "./support.ts";

startClock();

const FRIDGE = { intent: "What is in the fridge?", requires: ["take-photo"] };

/** A household with a second agent. */
async function household(): Promise<TestHousehold & { rover: Caller }> {
  const home = await createFreshHousehold();
  return { ...home, rover: await home.addMember("rover", "agent") };
}

const askFridge = (caller: Caller, request: object = {}) =>
  caller.createThread(FRIDGE.intent, { ...FRIDGE, ...request });

/** An answered observation that is valid for half an hour, recorded by the household. */
async function createAnsweredThread(home: TestHousehold): Promise<string> {
  const ref = await askFridge(home.agent, { validity: "30m" });
  await home.ann.appendBlocks(
    ref,
    { status: { code: "completed" } },
    { response: { content: ["Milk."] } },
  );
  await waitUntil(async () =>
    expect((await home.agent.read("/api/v1/events")).events.at(-1).status).toBe("completed"),
  );
  return ref;
}

const readJoined = async (caller: Caller, second: string): Promise<string | undefined> =>
  (await readEnvelope(caller, second)).superseded_by;

describe("a request for the same observation", () => {
  it("a second request for an observation joins the open thread, and the waits of both agents return", async () => {
    const home = await household();
    const first = await askFridge(home.agent);
    const response = await home.rover.postBlocks({
      request: { ...FRIDGE, intent: "what is in the FRIDGE", id: "fridge" },
    });
    const { ack } = (await expectOkJson(response)).MESS[0];
    expect(ack).toMatchObject({ re: "fridge", superseded_by: first });
    const second = ack.ref as string;
    expect(second).not.toBe(first);

    expect(await readEnvelope(home.rover, second)).toMatchObject({
      requestor: "rover",
      status: "superseded",
      superseded_by: first,
    });
    expect((await readEnvelope(home.agent, first)).history).toContainEqual(
      expect.objectContaining({
        action: "merged",
        by: "exchange",
        note: expect.stringContaining(second),
      }),
    );
    await waitUntil(async () =>
      expect((await home.ann.read("/mess")).threads.map(({ ref }: Answered) => ref)).toEqual([
        first,
      ]),
    );

    const [{ cursor: ownCursor }, { cursor }] = [
      await home.rover.read(`/mess/${second}`),
      await home.rover.read(`/mess/${first}`),
    ];
    const waits = Promise.all([
      home.agent.read(`/mess/${first}/wait?cursor=${cursor}&timeout=20`),
      home.rover.read(`/mess/${first}/wait?cursor=${cursor}&timeout=20`),
      home.rover.read(`/mess/${second}/wait?cursor=${ownCursor}&timeout=20`),
    ]);
    await home.ann.appendBlocks(
      first,
      { status: { code: "completed" } },
      { response: { content: ["Milk, two eggs."] } },
    );
    await waitUntil(async () => {
      await runAlarm(home);
      expect(await listExchangeMessages(home.rover, second)).toHaveLength(1);
    });

    const [mine, theirs, own] = await waits;
    expect(mine.envelope.status).toBe("completed");
    expect(theirs.envelope.status).toBe("completed");
    expect(own.messages).toHaveLength(1);
    expect(await listExchangeMessages(home.rover, second)).toEqual([
      {
        message: expect.stringMatching(new RegExp(`${first}.*\\bann\\b`)),
        context: ["Milk, two eggs.", { ref: first }],
      },
    ]);
  });

  it("a joined request gets photos with addresses that its requestor may open", async () => {
    const home = await household();
    const first = await askFridge(home.agent);
    const second = await askFridge(home.rover);
    const upload = await expectOkJson(
      await home.ann.fetch(`/mess/${first}/attachments?name=fridge.png`, {
        method: "POST",
        body: new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
        headers: { "Content-Type": "image/png" },
      }),
    );
    const { file } = upload;
    await home.ann.appendBlocks(
      first,
      { status: { code: "completed" } },
      { response: { content: [{ image: { file } }] } },
    );
    await waitUntil(async () => {
      await runAlarm(home);
      expect(await listExchangeMessages(home.rover, second)).toHaveLength(1);
    });
    const [{ context }] = await listExchangeMessages(home.rover, second);
    const [, name] = /^content:\/\/[^/]+\/(.+)$/.exec(context[0].image.resource as string)!;
    expect(context[0].image.resource).toBe(`content://${first}/${name}`);
    const photo = await home.rover.fetch(`/mess/${first}/attachments/${name}`);
    expect(photo.status).toBe(200);
  });

  it("the requestor of a joined request may read the thread and send followups, but not reply or cancel", async () => {
    const home = await household();
    const first = await askFridge(home.agent);
    await askFridge(home.rover);
    await home.rover.appendBlocks(first, {
      followup: { message: "The door's shelf too, please." },
    });
    for (const block of [
      { cancel: {} },
      { status: { code: "claimed" } },
      { reply: { confirm: true } },
    ]) {
      const refused = await home.rover.post(`/thread/${first}`, { MESS: [block] });
      expect(await readRefusal(refused)).toBe("403 wrong_role");
    }
    await home.agent.appendBlocks(first, { followup: { message: "Yes, please." } });
  });

  it("the requestor of a joined request is notified when the thread ends without an answer", async () => {
    const home = await household();
    const first = await askFridge(home.agent);
    const second = await askFridge(home.rover);
    await home.agent.appendBlocks(first, { cancel: {} });
    await waitUntil(async () => {
      await runAlarm(home);
      expect(await listExchangeMessages(home.rover, second)).toEqual([
        {
          message: expect.stringMatching(new RegExp(`${first}.*\\bcancelled\\b`)),
          context: [{ ref: first }],
        },
      ]);
    });
    const third = await askFridge(home.rover);
    expect(await readJoined(home.rover, third)).toBeUndefined();
  });

  it("the requestor of a joined request is notified when the thread is deleted", async () => {
    const home = await household();
    const first = await askFridge(home.agent);
    const second = await askFridge(home.rover);

    await expectOkJson(await home.owner.fetch(`/mess/${first}`, { method: "DELETE" }));

    await waitUntil(async () => {
      await runAlarm(home);
      expect(await listExchangeMessages(home.rover, second)).toEqual([
        { message: expect.stringMatching(/deleted/) },
      ]);
    });
  });

  it("a request joins an answered thread as long as the answer is valid", async () => {
    const home = await household();
    await createAnsweredThread(home);

    vi.setSystemTime(START + 29 * 60_000);
    const fresh = await askFridge(home.rover, { validity: "10m" });
    expect(await readJoined(home.rover, fresh)).toBeUndefined();
    await home.rover.appendBlocks(fresh, { cancel: {} });
    const again = await askFridge(home.agent, { id: "anew", coalesce: false });
    expect(await readJoined(home.agent, again)).toBeUndefined();
  });

  it("a request is answered at once from an answer that is still valid", async () => {
    const home = await household();
    const first = await createAnsweredThread(home);
    vi.setSystemTime(START + 29 * 60_000);
    const second = await askFridge(home.rover);
    expect(await readJoined(home.rover, second)).toBe(first);
    await waitUntil(async () => {
      await runAlarm(home);
      expect((await listExchangeMessages(home.rover, second))[0]?.context).toEqual([
        "Milk.",
        { ref: first },
      ]);
    });

    vi.setSystemTime(START + 31 * 60_000);
    const late = await askFridge(home.rover, { id: "late" });
    expect(await readJoined(home.rover, late)).toBeUndefined();
  });

  it("a request does not join a thread that has ended before the household was notified", async () => {
    const home = await household();
    const first = await askFridge(home.agent);
    vi.spyOn(ThreadObject.prototype, "acceptJoiner").mockImplementationOnce(async () => ({
      ok: false,
      error: { code: "thread_finished", message: "it is over", hint: "Create a new request." },
    }));
    const second = await askFridge(home.rover);
    expect(await readEnvelope(home.rover, second)).toMatchObject({ status: "pending" });
    const third = await askFridge(home.agent, { id: "third" });
    expect([await readJoined(home.agent, third), first]).toEqual([second, first]);
  });

  it("a request joins once even if the call is repeated after a crash", async () => {
    const home = await household();
    const first = await askFridge(home.agent);
    const body = { MESS: [{ request: FRIDGE }] };
    const key = { "Idempotency-Key": "look-1" };
    vi.spyOn(ThreadObject.prototype, "create").mockImplementationOnce(() =>
      Promise.reject(new Error("crash")),
    );
    expect((await home.rover.post("/mess", body, key)).status).toBe(500);
    const { ref } = (await expectOkJson(await home.rover.post("/mess", body, key))).MESS[0].ack;
    expect(await readJoined(home.rover, ref)).toBe(first);
    const { history } = await readEnvelope(home.agent, first);
    expect(history.filter(({ action }: Answered) => action === "merged")).toHaveLength(1);
  });

  it.each<[string, object, object]>([
    ["one of them opts out", {}, { coalesce: false }],
    ["their contexts differ", {}, { context: ["We suspect the mice."] }],
    ["the second has a higher priority", {}, { priority: "urgent" }],
    ["they change something", { requires: ["carry"] }, { requires: ["carry"] }],
  ])("two requests stay two threads if %s", async (_name, one, other) => {
    const home = await household();
    await askFridge(home.agent, one);
    expect(await readJoined(home.rover, await askFridge(home.rover, other))).toBeUndefined();
  });

  it("the setting coalesce allows joins in the whole household, of own requests only, or none", async () => {
    const home = await household();
    const first = await askFridge(home.agent);
    const setCoalesce = async (caller: Caller, coalesce: string) => {
      await expectOkJson(await home.owner.postBlocks({ config: { settings: { coalesce } } }));
      return await readJoined(caller, await askFridge(caller));
    };
    expect(await setCoalesce(home.rover, "household")).toBe(first);
    expect(await setCoalesce(home.rover, "own")).toBeUndefined();
    const { MESS } = await expectOkJson(
      await home.owner.postBlocks({ config: { settings: { coalesce: "maybe" } } }),
    );
    expect(MESS[0].ack.warnings).toHaveLength(1);
    expect(await setCoalesce(home.agent, "off")).toBeUndefined();
    expect((await home.owner.read("/api/v1/config")).config.settings.coalesce).toBe("off");
  });

  it("a request never joins a thread of another household", async () => {
    const [one, other] = [await household(), await household()];
    await askFridge(one.agent);
    expect(await readJoined(other.agent, await askFridge(other.agent))).toBeUndefined();
  });

  it("a request with dependents in the same call does not join, but later ones join it", async () => {
    const home = await household();
    const first = await askFridge(home.agent);
    const { MESS } = await expectOkJson(
      await home.rover.postBlocks(
        { request: { ...FRIDGE, id: "look" } },
        { request: { intent: "buy what is missing", constraints: { depends_on: ["look"] } } },
      ),
    );
    const [look] = MESS[0].ack.requests;
    expect(await readJoined(home.rover, look.ref)).toBeUndefined();

    const second = await askFridge(home.agent, { id: "second" });
    const target = (await readJoined(home.agent, second))!;
    const after = await home.agent.createThread("cook", { constraints: { depends_on: [second] } });
    expect(await readEnvelope(home.agent, after)).toMatchObject({ blocked_by: [target] });
    expect([first, look.ref]).toContain(target);
  });

  it("a joined request is answered once, and only if its thread has joined", async () => {
    const home = await household();
    const first = await askFridge(home.agent);
    const second = await askFridge(home.rover);
    const systemMessage = { key: "once", joined: first, message: "It is over." };
    for (const ref of [second, second, await home.rover.createThread("something else")]) {
      await getThreadStub(env, home.id, ref).postSystemMessage(systemMessage);
      expect(await listExchangeMessages(home.rover, ref)).toEqual(
        ref === second ? [{ message: systemMessage.message }] : [],
      );
    }
  });

  it("joined threads read back from files unchanged", async () => {
    const home = await household();
    const first = await askFridge(home.agent);
    const second = await askFridge(home.rover);
    await home.ann.appendBlocks(
      first,
      { status: { code: "completed" } },
      { response: { content: ["Milk."] } },
    );
    await waitUntil(async () => {
      await runAlarm(home);
      expect(await listExchangeMessages(home.rover, second)).toHaveLength(1);
    });
    const other = await createFreshHousehold();
    for (const ref of [first, second]) {
      const zip = await (await home.owner.fetch(`/mess/${ref}/archive.zip`)).arrayBuffer();
      await expectOkJson(
        await other.owner.fetch("/mess/import", {
          method: "POST",
          body: zip,
          headers: { "Content-Type": "application/zip" },
        }),
      );
      const { updated: _updated, ...before } = await readEnvelope(home.owner, ref);
      const { updated: _later, ...after } = await readEnvelope(other.owner, ref);
      expect(after).toEqual(before);
      expect((await other.owner.read(`/mess/${ref}`)).messages).toEqual(
        (await home.owner.read(`/mess/${ref}`)).messages,
      );
    }
  });
});
