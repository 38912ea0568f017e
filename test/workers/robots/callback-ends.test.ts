import { afterEach, describe, expect, it, vi } from "vitest";
import { connectHost } from "../dispatch/machine-hosts.ts";
import { robot } from "../../support/robot.ts";
import { eventually, expectOk, freshHousehold, refusalOf, send } from "../support.ts";
import { askToMop, callbackOf, deliver, type RobotHome, robotHome } from "./support.ts";

const OWN = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const NEXT = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD";
const UNKNOWN = "401 unauthenticated";

const says = (code: string) => ({ status: { code } });
const response = { response: { content: ["all clean"] } };

/** A robot that was called about a thread, and the token that came with the call. */
async function called(home: RobotHome) {
  const ref = await askToMop(home.agent);
  const { token } = await eventually(
    async () => home.moppy.hooks.find((call) => call.ref === ref)?.callback ?? Promise.reject(ref),
  );
  return { ...home, ref, token };
}

const reads = (ref: string, token: string) =>
  send(`/mess/${ref}`, { headers: { Authorization: `Bearer ${token}` } });

/** Moppy with a secret of its owner's making, referred to by name. */
async function homeWithOwnSecret(): Promise<RobotHome> {
  const household = await freshHousehold();
  const { owner, id } = household;
  await expectOk(
    await owner.fetch("/api/v1/secrets/MOPPY", {
      method: "PUT",
      body: JSON.stringify({ value: OWN }),
      headers: { "Content-Type": "application/json" },
    }),
  );
  const webhook = { url: "https://moppy.example.com/hook", secret: "${MOPPY}" };
  const executor = { id: "moppy", kind: "machine", capabilities: ["mop-floor"] };
  await expectOk(await owner.say({ config: { executor: { ...executor, notify: { webhook } } } }));
  const moppy = robot({ secret: OWN, deliver });
  connectHost("moppy.example.com", moppy.handle);
  return { ...household, moppy, secret: OWN, url: callbackOf(id, "moppy") };
}

afterEach(() => {
  vi.unstubAllGlobals();
});

describe("a callback token after the end of its thread", () => {
  it.each<[string, object]>([
    ["a response", response],
    ["a status", says("in_progress")],
    ["a followup", { followup: { message: "one more thing" } }],
  ])("does not bring %s", async (_what, message) => {
    const { agent, moppy, url, ref, token } = await called(await robotHome());
    await expectOk(await moppy.callBack({ url, token, message: says("completed") }));
    const before = await agent.read(`/mess/${ref}`);

    const late = await moppy.callBack({ url, token, message });

    expect(await refusalOf(late)).toBe("410 link_dead");
    expect(await agent.read(`/mess/${ref}`)).toEqual(before);
  });

  it("does not open the thread, its files or its uploads", async () => {
    const { agent, ref, token } = await called(await robotHome());
    await agent.tell(ref, { cancel: {} });

    const headers = { Authorization: `Bearer ${token}` };
    const attempts = [
      await reads(ref, token),
      await send(`/mess/${ref}/wait?timeout=0`, { headers }),
      await send(`/mess/${ref}/attachments?name=a.txt`, { method: "POST", body: "a", headers }),
    ];

    expect(await Promise.all(attempts.map(refusalOf))).toEqual(attempts.map(() => "410 link_dead"));
  });

  it("answers again what the robot sends again, so that a retry does not fail", async () => {
    const { moppy, url, token } = await called(await robotHome());
    const call = { url, token, id: "msg_done", message: says("completed") };

    const first = await moppy.callBack(call);
    const again = await moppy.callBack(call);

    expect(again.status).toBe(200);
    expect(await again.text()).toBe(await first.text());
  });

  it("leaves a late response to a call that is signed", async () => {
    const { agent, moppy, url, ref, token } = await called(await robotHome());
    await expectOk(await moppy.callBack({ url, token, message: says("completed") }));

    const late = { MESS: [{ response: { re: ref, content: ["and the corner"] } }] };
    await expectOk(await moppy.callBack({ url, message: late }));

    const { messages } = await agent.read(`/mess/${ref}`);
    expect(JSON.stringify(messages.at(-2))).toContain("and the corner");
  });
});

describe("a callback token after its webhook's secret was rotated", () => {
  it("opens nothing once the secret has another value", async () => {
    const { owner, moppy, url, ref, token } = await called(await homeWithOwnSecret());
    await expectOk(await reads(ref, token));

    await expectOk(
      await owner.fetch("/api/v1/secrets/MOPPY", {
        method: "PUT",
        body: JSON.stringify({ value: NEXT }),
        headers: { "Content-Type": "application/json" },
      }),
    );

    expect(await refusalOf(await moppy.callBack({ url, token, message: says("claimed") }))).toBe(
      UNKNOWN,
    );
    expect(await refusalOf(await reads(ref, token))).toBe(UNKNOWN);
  });

  it("opens nothing once the owner's secret takes the place of the derived one", async () => {
    const { owner, moppy, url, ref, token } = await called(await robotHome());
    const webhook = { url: "https://moppy.example.com/hook", secret: OWN };
    const executor = { id: "moppy", kind: "machine", capabilities: ["mop-floor"] };

    await expectOk(await owner.say({ config: { executor: { ...executor, notify: { webhook } } } }));

    expect(await refusalOf(await moppy.callBack({ url, token, message: says("claimed") }))).toBe(
      UNKNOWN,
    );
    expect(await refusalOf(await reads(ref, token))).toBe(UNKNOWN);
  });

  it("is replaced by the token of the next call, which speaks for the robot", async () => {
    const { owner, agent, moppy, url, ref } = await called(await homeWithOwnSecret());
    await expectOk(
      await owner.fetch("/api/v1/secrets/MOPPY", {
        method: "PUT",
        body: JSON.stringify({ value: NEXT }),
        headers: { "Content-Type": "application/json" },
      }),
    );
    const rotated = robot({ secret: NEXT, deliver });
    connectHost("moppy.example.com", rotated.handle);

    await agent.tell(ref, { followup: { message: "the hall too" } });
    const { token } = await eventually(
      async () => rotated.hooks.at(-1)?.callback ?? Promise.reject(new Error("not called")),
    );

    await expectOk(await moppy.callBack({ url, token, message: says("claimed") }));
  });

  it("stays good when another secret of the household changes", async () => {
    const { owner, moppy, url, token } = await called(await homeWithOwnSecret());

    await expectOk(
      await owner.fetch("/api/v1/secrets/OTHER", {
        method: "PUT",
        body: JSON.stringify({ value: "other" }),
        headers: { "Content-Type": "application/json" },
      }),
    );

    await expectOk(await moppy.callBack({ url, token, message: says("claimed") }));
  });
});

describe("a callback token of a robot that was removed", () => {
  it("opens nothing when the robot is added again", async () => {
    const { owner, moppy, url, ref, token } = await called(await robotHome());
    const notify = { webhook: "https://moppy.example.com/hook" };
    const executor = { id: "moppy", kind: "machine", capabilities: ["mop-floor"], notify };
    await expectOk(await owner.say({ config: { executors: { moppy: null } } }));
    await expectOk(await owner.say({ config: { executor } }));

    expect(await refusalOf(await moppy.callBack({ url, token, message: says("claimed") }))).toBe(
      UNKNOWN,
    );
    expect(await refusalOf(await reads(ref, token))).toBe(UNKNOWN);
  });
});

it("does not open a live socket, which would outlast it", async () => {
  const { ref, token } = await called(await robotHome());

  const refused = await send(`/respond/live?ref=${ref}`, {
    headers: { Authorization: `Bearer ${token}`, Upgrade: "websocket" },
  });

  expect(await refusalOf(refused)).toBe(UNKNOWN);
});
