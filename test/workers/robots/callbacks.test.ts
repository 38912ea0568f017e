import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import {
  makeCallbackToken,
  MAX_CALLBACK_SECONDS,
} from "../../../src/auth/callbacks/callback-tokens.ts";
import { createRobot } from "../../support/channels/robot.ts";
import { expectOkJson, createFreshHousehold, readRefusal } from "../support.ts";
import {
  createMopTask,
  readCallback,
  postCallback,
  PHOTO,
  createRobotHousehold,
  readSecret,
} from "./support.ts";

const claim = (ref: string) => ({ MESS: [{ status: { re: ref, code: "claimed" } }] });

const makeTokenFor = async (household: string, executor: string, ref: string): Promise<string> =>
  (await makeCallbackToken(env.MESS_SECRET, { household, executor, ref }, Date.now())).token;

afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

describe("a callback", () => {
  it("a callback signed with the executor's secret is appended in the executor's name", async () => {
    const { agent, moppy, url } = await createRobotHousehold();
    const ref = await createMopTask(agent);

    const response = await expectOkJson(await moppy.callBack({ url, message: claim(ref) }));

    expect(response.MESS[0].ack.ref).toBe(`${ref}/claim-001`);
    const { envelope, messages } = await agent.read(`/mess/${ref}`);
    expect(envelope).toMatchObject({ executor: "moppy", status: "claimed" });
    expect(messages.at(-2)).toMatchObject({ from: "moppy", channel: "webhook" });
  });

  it("a callback may be a form of YAML and the files that it names", async () => {
    const { agent, moppy, url } = await createRobotHousehold();
    const ref = await createMopTask(agent);

    await expectOkJson(
      await moppy.callBack({
        url,
        message: `MESS:\n- response:\n    re: ${ref}\n    content:\n    - image: {file: floor.png}\n    - all clean\n- status: {re: ${ref}, code: completed}\n`,
        files: [new File([PHOTO], "floor.png", { type: "image/png" })],
      }),
    );

    const { envelope, attachments } = await agent.read(`/mess/${ref}`);
    expect(envelope.status).toBe("completed");
    const bytes = await (await agent.fetch(attachments[0].url)).arrayBuffer();
    expect(new Uint8Array(bytes)).toEqual(PHOTO);
  });

  it("a callback with a token need not name a thread", async () => {
    const { id, agent, moppy, url } = await createRobotHousehold();
    const ref = await createMopTask(agent);
    const token = await makeTokenFor(id, "moppy", ref);

    await expectOkJson(
      await moppy.callBack({ url, token, message: { status: { code: "claimed" } } }),
    );

    const { envelope } = await agent.read(`/mess/${ref}`);
    expect(envelope).toMatchObject({ executor: "moppy", status: "claimed" });
  });

  it("a callback with a token counts once under its id, in any number and order of repetitions", async () => {
    const { id, agent, moppy, url } = await createRobotHousehold();
    const ref = await createMopTask(agent);
    const token = await makeTokenFor(id, "moppy", ref);
    const buildCallback = (code: string) => ({
      url,
      token,
      id: `it-is-${code}`,
      message: { status: { code } },
    });
    const calls = ["claimed", "in_progress", "completed"].map(buildCallback);

    for (const call of calls) await expectOkJson(await moppy.callBack(call));
    const { messages } = await agent.read(`/mess/${ref}`);
    const again = await Promise.all([...calls, ...calls.toReversed()].map(moppy.callBack));

    expect(again.map(({ status }) => status)).toEqual(again.map(() => 200));
    expect((await agent.read(`/mess/${ref}`)).messages).toEqual(messages);
  });

  it("a callback that is repeated with its id gets the same response, and counts once", async () => {
    const { agent, moppy, url } = await createRobotHousehold();
    const ref = await createMopTask(agent);
    const call = { url, id: "msg_1", message: claim(ref) };

    const first = await moppy.callBack(call);
    const again = await moppy.callBack(call);

    expect([first.status, again.status]).toEqual([200, 200]);
    expect(await again.text()).toBe(await first.text());
    const other = await moppy.callBack({
      ...call,
      message: { status: { re: ref, code: "waiting" } },
    });
    expect(await readRefusal(other)).toBe("409 idempotency_conflict");
  });

  it("a callback to a request that has ended is refused", async () => {
    const { agent, moppy, url } = await createRobotHousehold();
    const ref = await createMopTask(agent);
    await agent.appendBlocks(ref, { cancel: { reason: "the dog ate it" } });

    const refused = await moppy.callBack({ url, message: claim(ref) });

    expect(await readRefusal(refused)).toBe("409 thread_finished");
  });

  it("a callback about a request that was not offered to the robot is refused as unknown", async () => {
    const { agent, moppy, url } = await createRobotHousehold();
    const ref = await agent.createThread("vacuum", { requires: ["vacuum-floor"] });

    const refused = await moppy.callBack({ url, message: claim(ref) });
    const unknown = await moppy.callBack({ url, message: claim("2020-01-01-001") });

    expect(await readRefusal(refused.clone())).toBe("404 not_found");
    expect(await refused.text()).toBe(await unknown.text());
  });

  it.each([
    ["nothing", "", "400 empty_message"],
    ["invalid YAML", "MESS: [", "400 bad_yaml"],
    ["a request", "water the basil", "403 wrong_role"],
    ["a configuration", "config: {executor: {id: x}}", "403 wrong_role"],
    ["no thread", "status: {code: claimed}", "400 missing_target"],
  ])("a callback with %s is refused", async (_what, message, refused) => {
    const { moppy, url } = await createRobotHousehold();

    expect(await readRefusal(await moppy.callBack({ url, message }))).toBe(refused);
  });

  it("a callback of another media type is refused", async () => {
    const { agent, moppy, url } = await createRobotHousehold();
    const ref = await createMopTask(agent);

    const response = await moppy.callBack({
      url,
      message: claim(ref),
      tamper: ({ headers }) => headers.set("Content-Type", "application/xml"),
    });

    expect(await readRefusal(response)).toBe("415 unsupported_media_type");
  });
});

describe("invalid callbacks", () => {
  it.each<
    [
      string,
      (home: Awaited<ReturnType<typeof createRobotHousehold>>, ref: string) => Promise<Response>,
    ]
  >([
    [
      "another executor's secret",
      async ({ owner, moppy, url }, ref) =>
        await moppy.callBack({ url, message: claim(ref), secret: await readSecret(owner, "robo") }),
    ],
    [
      "another household's secret",
      async ({ moppy, url }, ref) => {
        const other = await createRobotHousehold();
        return await moppy.callBack({ url, message: claim(ref), secret: other.secret });
      },
    ],
    [
      "an address of another household",
      async ({ moppy }, ref) => {
        const other = await createRobotHousehold();
        return await moppy.callBack({ url: other.url, message: claim(ref) });
      },
    ],
    [
      "an unknown household",
      ({ moppy }, ref) =>
        moppy.callBack({ url: readCallback("nowhere", "moppy"), message: claim(ref) }),
    ],
    [
      "an invalid household id",
      ({ moppy }, ref) =>
        moppy.callBack({ url: readCallback("No_Where", "moppy"), message: claim(ref) }),
    ],
    [
      "an unknown executor",
      ({ id, moppy }, ref) =>
        moppy.callBack({ url: readCallback(id, "nobody"), message: claim(ref) }),
    ],
    [
      "an invalid token",
      ({ moppy, url }, ref) => moppy.callBack({ url, message: claim(ref), token: "a.b.c" }),
    ],
    [
      "a token of another executor",
      async ({ id, moppy, url }, ref) =>
        await moppy.callBack({
          url,
          message: claim(ref),
          token: await makeTokenFor(id, "robo", ref),
        }),
    ],
    [
      "a token of another household",
      async ({ moppy, url }, ref) =>
        await moppy.callBack({
          url,
          message: claim(ref),
          token: await makeTokenFor("nowhere", "moppy", ref),
        }),
    ],
    [
      "a token for an unknown executor",
      async ({ id, moppy }, ref) =>
        await moppy.callBack({
          url: readCallback(id, "nobody"),
          message: claim(ref),
          token: await makeTokenFor(id, "nobody", ref),
        }),
    ],
    [
      "an API key as the token",
      async ({ owner, moppy, url }, ref) =>
        await moppy.callBack({ url, message: claim(ref), token: owner.key }),
    ],
  ])("a callback with %s gets the same refusal, and changes nothing", async (_what, attempt) => {
    const home = await createRobotHousehold();
    const ref = await createMopTask(home.agent);

    const refused = await attempt(home, ref);
    const plain = await postCallback(new Request(home.url, { method: "POST", body: "x" }));

    expect(refused.status).toBe(401);
    expect(await refused.text()).toBe(await plain.text());
    const { envelope } = await home.agent.read(`/mess/${ref}`);
    expect(envelope.status).toBe("pending");
  });

  it("a callback with a token of another thread is refused", async () => {
    const { id, agent, moppy, url } = await createRobotHousehold();
    const [mine, other] = [await createMopTask(agent), await createMopTask(agent)];
    const token = await makeTokenFor(id, "moppy", mine);

    expect(await readRefusal(await moppy.callBack({ url, token, message: claim(other) }))).toBe(
      "404 not_found",
    );
  });

  it("a callback with an expired token is refused", async () => {
    const { id, agent, moppy, url } = await createRobotHousehold();
    const ref = await createMopTask(agent);
    const token = await makeTokenFor(id, "moppy", ref);

    vi.setSystemTime(Date.now() + MAX_CALLBACK_SECONDS * 1_000 + 1_000);

    expect(await readRefusal(await moppy.callBack({ url, token, message: claim(ref) }))).toBe(
      "401 unauthenticated",
    );
  });

  it("a callback of a robot that was removed is refused, signed or with a token", async () => {
    const { id, owner, agent, moppy, url } = await createRobotHousehold();
    const ref = await createMopTask(agent);
    const token = await makeTokenFor(id, "moppy", ref);
    await expectOkJson(await owner.postBlocks({ config: { executors: { moppy: null } } }));

    const signed = await moppy.callBack({ url, message: claim(ref) });
    const borne = await moppy.callBack({ url, token, message: claim(ref) });

    expect([signed.status, borne.status]).toEqual([401, 401]);
  });
});

describe("a callback's token", () => {
  it("a callback's token gives access to its thread only", async () => {
    const { id, agent } = await createRobotHousehold();
    const [mine, other] = [await createMopTask(agent), await createMopTask(agent)];
    const token = await makeTokenFor(id, "moppy", mine);
    const get = (path: string) =>
      postCallback(
        new Request(`https://mess.test${path}`, { headers: { Authorization: `Bearer ${token}` } }),
      );

    expect((await get(`/mess/${mine}`)).status).toBe(200);
    expect((await get(`/mess/${other}`)).status).toBe(404);
    expect((await get("/mess")).status).toBe(401);
    expect((await get("/api/v1/executors")).status).toBe(401);
  });
});

describe("an executor's secret", () => {
  it("an executor's secret is shown only to owners, and is the same each time", async () => {
    const { owner, agent, secret } = await createRobotHousehold();

    expect(secret).toMatch(/^whsec_/);
    expect(await readSecret(owner, "moppy")).toBe(secret);
    expect(await readSecret(owner, "robo")).not.toBe(secret);
    expect(await readRefusal(await agent.fetch("/api/v1/executors/moppy/webhook-secret"))).toBe(
      "403 wrong_role",
    );
    expect(await readRefusal(await owner.fetch("/api/v1/executors/nobody/webhook-secret"))).toBe(
      "422 unknown_executor",
    );
  });

  it("an executor's own secret replaces the derived one, and is not shown", async () => {
    const own = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    const { owner, agent, moppy, url } = await createRobotHousehold();
    const derived = await readSecret(owner, "moppy");
    const notify = { webhook: { url: "https://moppy.example.com/hook", secret: own } };
    const executor = { id: "moppy", kind: "machine", capabilities: ["mop-floor"], notify };
    await expectOkJson(await owner.postBlocks({ config: { executor } }));
    const ref = await createMopTask(agent);

    const shown = await owner.read("/api/v1/executors/moppy/webhook-secret");
    const old = await moppy.callBack({ url, message: claim(ref), secret: derived });
    const taken = await moppy.callBack({ url, message: claim(ref), secret: own });

    expect(shown).toEqual({ executor: "moppy", own: true });
    expect([old.status, taken.status]).toEqual([401, 200]);
  });
});

it("a callback to a household that does not exist is refused", async () => {
  const { owner } = await createFreshHousehold();
  const url = readCallback(`never-${crypto.randomUUID().slice(0, 8)}`, "robo");
  const signed = await readSecret(owner, "robo");

  const response = await createRobot({ secret: signed, deliver: postCallback }).callBack({
    url,
    message: claim("last"),
  });

  expect(response.status).toBe(401);
});
