/** The role `member`: it asks and serves, does its own requests, and reads all threads of an open household. */
import { beforeAll, describe, expect, it } from "vitest";
import {
  type Caller,
  createFreshHousehold,
  expectOkJson,
  readRefusal,
  type TestHousehold,
  waitUntil,
} from "../support.ts";

let home: TestHousehold;
let mia: Caller;
let max: Caller;
let ref: string;
/** The address of its file. */
let file: string;

const configure = async (config: object): Promise<void> => {
  await expectOkJson(await home.owner.post("/api/v1/config", config));
};

/** The statuses of the calls with which a member reads the thread. */
const listReads = async (caller: Caller): Promise<number[]> =>
  await Promise.all(
    [`/mess/${ref}`, `/mess/${ref}/wait?timeout=0`, `/mess/${ref}/route`, file].map(
      async (path) => {
        const response = await caller.fetch(path);
        await response.arrayBuffer();
        return response.status;
      },
    ),
  );

const listRefs = async (caller: Caller): Promise<string[]> =>
  (await caller.read("/mess")).threads.map((thread: { ref: string }) => thread.ref);

beforeAll(async () => {
  home = await createFreshHousehold();
  mia = await home.addMember("mia", "member");
  max = await home.addMember("max", "member");
  ref = await home.agent.createThread("photograph the meter", {
    requires: ["take-photo"],
    context: [{ image: `data:image/png;base64,${btoa("a picture".repeat(10_000))}` }],
  });
  file = (await home.agent.read(`/mess/${ref}`)).attachments[0].url;
});

describe("the role member", () => {
  it("asks, is offered requests of others, and does them", async () => {
    const asked = await mia.createThread("water the ferns");
    await max.claim(asked);
    await max.appendBlocks(
      asked,
      { response: { content: ["done"] } },
      { status: { code: "completed" } },
    );
    expect((await mia.read(`/mess/${asked}`)).envelope).toMatchObject({
      requestor: "mia",
      executor: "max",
      status: "completed",
    });
  });

  it("claims its own request, which an agent cannot", async () => {
    const own = await mia.createThread("water the ferns again");
    await mia.claim(own);
    expect((await mia.read(`/mess/${own}`)).envelope).toMatchObject({
      executor: "mia",
      status: "claimed",
    });
    const asked = await home.agent.createThread("water the roses");
    const refused = await home.agent.post(`/mess?ref=${asked}`, {
      MESS: [{ status: { code: "claimed" } }],
    });
    expect(await readRefusal(refused)).toBe("403 wrong_role");
  });

  it("does not see threads without it in a household whose threads are for participants", async () => {
    expect(new Set(await listReads(mia))).toEqual(new Set([404]));
    expect(await listRefs(mia)).not.toContain(ref);
  });

  it("reads every thread of an open household, but changes and decides none without it", async () => {
    await configure({ access: { threads: "open" } });
    const reader = await home.addMember("noa", "member");

    expect(new Set(await listReads(reader))).toEqual(new Set([200]));
    expect((await reader.read(`/mess/${ref.slice(0, 14)}`)).envelope.ref).toBe(ref);
    await waitUntil(async () => expect(await listRefs(reader)).toContain(ref));
    await waitUntil(async () =>
      expect((await reader.read("/api/v1/events")).events).toContainEqual(
        expect.objectContaining({ ref }),
      ),
    );
    const attempts = [
      { followup: { message: "hello" } },
      { cancel: { reason: "no" } },
      { status: { code: "claimed" } },
    ].map((block) => reader.post(`/mess?ref=${ref}`, { MESS: [block] }));
    attempts.push(
      reader.fetch(`/mess/${ref}`, { method: "DELETE" }),
      reader.fetch(`/mess/${ref}/attachments`, { method: "POST", body: "bytes" }),
    );
    for (const attempt of attempts) expect(await readRefusal(await attempt)).toBe("403 wrong_role");
    expect(await readRefusal(await home.ben.fetch(`/mess/${ref}`))).toBe("404 not_found");
    expect(await readRefusal(await reader.fetch("/api/v1/config"))).toBe("403 wrong_role");
    expect((await home.owner.read("/api/v1/config")).config.access).toEqual({
      registration: "closed",
      threads: "open",
    });
  });

  it("ends with the removal of its executor from the configuration", async () => {
    await configure({ executors: { max: null } });
    expect(await readRefusal(await max.fetch("/mess"))).toBe("401 unauthenticated");
  });

  it.each([
    { access: "open" },
    { access: { threads: "all" } },
    { access: { registration: true } },
    { access: { gates: "open" } },
  ])("refuses the access settings %j", async (config) => {
    expect(await readRefusal(await home.owner.post("/api/v1/config", config))).toBe(
      "400 bad_field",
    );
  });
});
