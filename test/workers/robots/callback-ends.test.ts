import { afterEach, describe, expect, it, vi } from "vitest";
import { connectHost } from "../dispatch/machine-hosts.ts";
import { createRobot } from "../../support/channels/robot.ts";
import {
  waitUntil,
  expectOkJson,
  createFreshHousehold,
  readRefusal,
  sendRequest,
} from "../support.ts";
import {
  createMopTask,
  readCallback,
  postCallback,
  type RobotHousehold,
  createRobotHousehold,
} from "./support.ts";

const OWN = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const NEXT = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD";
const UNKNOWN = "401 unauthenticated";

const buildStatus = (code: string) => ({ status: { code } });
const response = { response: { content: ["all clean"] } };

/** A robot that was called about a thread, and the token of the call. */
async function createCalledHome(home: RobotHousehold) {
  const ref = await createMopTask(home.agent);
  const { token } = await waitUntil(
    async () => home.moppy.hooks.find((call) => call.ref === ref)?.callback ?? Promise.reject(ref),
  );
  return { ...home, ref, token };
}

const sendRead = (ref: string, token: string) =>
  sendRequest(`/mess/${ref}`, { headers: { Authorization: `Bearer ${token}` } });

/** Moppy with a secret that its owner set and refers to by name. */
async function createHomeWithOwnSecret(): Promise<RobotHousehold> {
  const household = await createFreshHousehold();
  const { owner, id } = household;
  await expectOkJson(
    await owner.fetch("/api/v1/secrets/MOPPY", {
      method: "PUT",
      body: JSON.stringify({ value: OWN }),
      headers: { "Content-Type": "application/json" },
    }),
  );
  const webhook = { url: "https://moppy.example.com/hook", secret: "${MOPPY}" };
  const executor = { id: "moppy", kind: "machine", capabilities: ["mop-floor"] };
  await expectOkJson(
    await owner.postBlocks({ config: { executor: { ...executor, notify: { webhook } } } }),
  );
  const moppy = createRobot({ secret: OWN, deliver: postCallback });
  connectHost("moppy.example.com", moppy.handle);
  return { ...household, moppy, secret: OWN, url: readCallback(id, "moppy") };
}

afterEach(() => {
  vi.unstubAllGlobals();
});

describe("a callback token after the end of its thread", () => {
  it.each<[string, object]>([
    ["a response", response],
    ["a status", buildStatus("in_progress")],
    ["a followup", { followup: { message: "one more thing" } }],
  ])("a callback token after the end of its thread is refused for %s", async (_what, message) => {
    const { agent, moppy, url, ref, token } = await createCalledHome(await createRobotHousehold());
    await expectOkJson(await moppy.callBack({ url, token, message: buildStatus("completed") }));
    const before = await agent.read(`/mess/${ref}`);

    const late = await moppy.callBack({ url, token, message });

    expect(await readRefusal(late)).toBe("410 link_dead");
    expect(await agent.read(`/mess/${ref}`)).toEqual(before);
  });

  it("an ended callback token gives no access to the thread, its files or its uploads", async () => {
    const { agent, ref, token } = await createCalledHome(await createRobotHousehold());
    await agent.appendBlocks(ref, { cancel: {} });

    const headers = { Authorization: `Bearer ${token}` };
    const attempts = [
      await sendRead(ref, token),
      await sendRequest(`/mess/${ref}/wait?timeout=0`, { headers }),
      await sendRequest(`/mess/${ref}/attachments?name=a.txt`, {
        method: "POST",
        body: "a",
        headers,
      }),
    ];

    expect(await Promise.all(attempts.map(readRefusal))).toEqual(
      attempts.map(() => "410 link_dead"),
    );
  });

  it("a callback that is repeated after the end gets the same response, so that a retry does not fail", async () => {
    const { moppy, url, token } = await createCalledHome(await createRobotHousehold());
    const call = { url, token, id: "msg_done", message: buildStatus("completed") };

    const first = await moppy.callBack(call);
    const again = await moppy.callBack(call);

    expect(again.status).toBe(200);
    expect(await again.text()).toBe(await first.text());
  });

  it("a late response is accepted from a signed call after the token has ended", async () => {
    const { agent, moppy, url, ref, token } = await createCalledHome(await createRobotHousehold());
    await expectOkJson(await moppy.callBack({ url, token, message: buildStatus("completed") }));

    const late = { MESS: [{ response: { re: ref, content: ["and the corner"] } }] };
    await expectOkJson(await moppy.callBack({ url, message: late }));

    const { messages } = await agent.read(`/mess/${ref}`);
    expect(JSON.stringify(messages.at(-2))).toContain("and the corner");
  });
});

describe("a callback token after its webhook's secret was rotated", () => {
  it("a callback token is refused once the secret has another value", async () => {
    const { owner, moppy, url, ref, token } = await createCalledHome(
      await createHomeWithOwnSecret(),
    );
    await expectOkJson(await sendRead(ref, token));

    await expectOkJson(
      await owner.fetch("/api/v1/secrets/MOPPY", {
        method: "PUT",
        body: JSON.stringify({ value: NEXT }),
        headers: { "Content-Type": "application/json" },
      }),
    );

    expect(
      await readRefusal(await moppy.callBack({ url, token, message: buildStatus("claimed") })),
    ).toBe(UNKNOWN);
    expect(await readRefusal(await sendRead(ref, token))).toBe(UNKNOWN);
  });

  it("a callback token is refused once the owner's secret replaces the derived one", async () => {
    const { owner, moppy, url, ref, token } = await createCalledHome(await createRobotHousehold());
    const webhook = { url: "https://moppy.example.com/hook", secret: OWN };
    const executor = { id: "moppy", kind: "machine", capabilities: ["mop-floor"] };

    await expectOkJson(
      await owner.postBlocks({ config: { executor: { ...executor, notify: { webhook } } } }),
    );

    expect(
      await readRefusal(await moppy.callBack({ url, token, message: buildStatus("claimed") })),
    ).toBe(UNKNOWN);
    expect(await readRefusal(await sendRead(ref, token))).toBe(UNKNOWN);
  });

  it("the next call has a new callback token, which acts for the robot", async () => {
    const { owner, agent, moppy, url, ref } = await createCalledHome(
      await createHomeWithOwnSecret(),
    );
    await expectOkJson(
      await owner.fetch("/api/v1/secrets/MOPPY", {
        method: "PUT",
        body: JSON.stringify({ value: NEXT }),
        headers: { "Content-Type": "application/json" },
      }),
    );
    const rotated = createRobot({ secret: NEXT, deliver: postCallback });
    connectHost("moppy.example.com", rotated.handle);

    await agent.appendBlocks(ref, { followup: { message: "the hall too" } });
    const { token } = await waitUntil(
      async () => rotated.hooks.at(-1)?.callback ?? Promise.reject(new Error("not called")),
    );

    await expectOkJson(await moppy.callBack({ url, token, message: buildStatus("claimed") }));
  });

  it("a callback token stays valid when another secret of the household changes", async () => {
    const { owner, moppy, url, token } = await createCalledHome(await createHomeWithOwnSecret());

    await expectOkJson(
      await owner.fetch("/api/v1/secrets/OTHER", {
        method: "PUT",
        body: JSON.stringify({ value: "other" }),
        headers: { "Content-Type": "application/json" },
      }),
    );

    await expectOkJson(await moppy.callBack({ url, token, message: buildStatus("claimed") }));
  });
});

describe("a callback token of a robot that was removed", () => {
  it("a callback token is refused when the robot is removed and added again", async () => {
    const { owner, moppy, url, ref, token } = await createCalledHome(await createRobotHousehold());
    const notify = { webhook: "https://moppy.example.com/hook" };
    const executor = { id: "moppy", kind: "machine", capabilities: ["mop-floor"], notify };
    await expectOkJson(await owner.postBlocks({ config: { executors: { moppy: null } } }));
    await expectOkJson(await owner.postBlocks({ config: { executor } }));

    expect(
      await readRefusal(await moppy.callBack({ url, token, message: buildStatus("claimed") })),
    ).toBe(UNKNOWN);
    expect(await readRefusal(await sendRead(ref, token))).toBe(UNKNOWN);
  });
});

it("a callback token does not open a live socket, which would outlive it", async () => {
  const { ref, token } = await createCalledHome(await createRobotHousehold());

  const refused = await sendRequest(`/respond/live?ref=${ref}`, {
    headers: { Authorization: `Bearer ${token}`, Upgrade: "websocket" },
  });

  expect(await readRefusal(refused)).toBe(UNKNOWN);
});
