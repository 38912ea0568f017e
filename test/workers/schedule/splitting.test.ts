/** Accepted suggestions to split, carried out despite crashes and concurrent changes. */
import { afterEach, describe, expect, it, vi } from "vitest";
import { ThreadObject } from "../../../src/thread/thread-object.ts";
import { waitUntil } from "../support.ts";
import {
  acceptSuggestion,
  createHousehold,
  findReplacement,
  readRequest,
} from "./replacement-support.ts";
import { readEnvelope, runAlarm, listExchangeMessages } from "./support.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

const PARTY = {
  intent: "prepare the party",
  requires: ["carry"],
  priority: "elevated",
  needed_by: "2099-05-06T18:00:00Z",
  confirm_before: true,
};

const SPLIT = {
  id: "sug:steps",
  type: "split",
  proposed: {
    requests: [
      { intent: "buy drinks", id: "buy", requires: ["carry"] },
      { intent: "cool them", id: "cool", constraints: { depends_on: ["buy"] } },
      {
        intent: "set the table",
        id: "table",
        priority: "background",
        constraints: { depends_on: ["buy", "cool"] },
      },
    ],
  },
};

describe("an accepted split", () => {
  it("an accepted split creates the parts with the proposed dependencies, and ends the original", async () => {
    const home = await createHousehold();
    const party = await home.agent.createThread(PARTY.intent, PARTY);
    const clean = await home.agent.createThread("clean up", {
      constraints: { depends_on: [party] },
    });
    await acceptSuggestion(home, party, SPLIT);

    const buy = await findReplacement(home.agent, party);
    const { batch, history } = await readEnvelope(home.agent, buy);
    const [, cool, table] = batch as string[];
    expect(batch).toHaveLength(3);
    expect(history).toContainEqual(
      expect.objectContaining({ action: "split", note: expect.stringContaining(party) }),
    );
    expect(await readEnvelope(home.agent, buy)).toMatchObject({
      requestor: "scout",
      client_id: "buy",
      priority: "elevated",
      expires: "2099-05-06T18:00:00+00:00",
    });
    expect(await readRequest(home.agent, buy)).toMatchObject({
      confirm_before: true,
      context: [{ ref: party }],
    });
    expect((await readEnvelope(home.agent, cool!)).blocked_by).toEqual([buy]);
    expect(await readEnvelope(home.agent, table!)).toMatchObject({
      blocked_by: [buy, cool],
      priority: "background",
    });
    expect((await readEnvelope(home.agent, clean)).blocked_by).toEqual([buy, cool, table]);
    const { messages } = await home.agent.read(`/mess/${party}`);
    expect(messages.at(-1).MESS[0].status.message).toMatch(
      new RegExp((batch as string[]).join(".*")),
    );
  });

  it("an accepted split creates its parts once if the creation of the second part crashes", async () => {
    const home = await createHousehold();
    const party = await home.agent.createThread(PARTY.intent, PARTY);
    // oxlint-disable-next-line typescript/unbound-method
    const create = ThreadObject.prototype.create;
    let made = 0;
    vi.spyOn(ThreadObject.prototype, "create").mockImplementation(async function (
      this: ThreadObject,
      input,
    ) {
      if (++made === 2) throw new Error("crash");
      return await create.call(this, input);
    });
    await acceptSuggestion(home, party, SPLIT);
    await waitUntil(async () => {
      await runAlarm(home);
      expect((await readEnvelope(home.agent, party)).status).toBe("superseded");
    });
    await waitUntil(async () => expect((await home.agent.read("/mess")).threads).toHaveLength(4));
    expect(made).toBe(4);
  });

  it("an accepted split changes nothing if a part depends on an unknown thread", async () => {
    const home = await createHousehold();
    const party = await home.agent.createThread(PARTY.intent, PARTY);
    const requests = [
      { intent: "buy drinks", constraints: { depends_on: ["nothing"] } },
      { intent: "cool them" },
    ];
    await acceptSuggestion(home, party, { type: "split", proposed: { requests } });
    await waitUntil(async () =>
      expect(await listExchangeMessages(home.agent, party)).toEqual([
        { message: expect.stringMatching(/\w/) },
      ]),
    );
    expect((await readEnvelope(home.agent, party)).status).toBe("pending");
    await home.ben.claim(party);
  });
});
