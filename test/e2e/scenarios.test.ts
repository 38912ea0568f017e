/** Main use cases, from the agent's request to the answer, over the real protocols of the channels. */
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { createClient, type Client } from "../../scripts/lib/client.ts";
import {
  type SimulatedHousehold,
  OWNER_CHAT_ID,
  setUpHousehold,
} from "../../scripts/lib/simulation/household.ts";
import type { SimulatedPerson } from "../../scripts/lib/simulation/scenario.ts";
import { createPhone, type PhoneMessage } from "../../scripts/lib/simulation/phones.ts";
import { SHARP_PHOTO } from "../../scripts/lib/simulation/photos.ts";
import { buildPerson, buildRobot } from "../support/simulated-members.ts";
import { expectNaming } from "../support/naming.ts";
import { listActions } from "../support/channels/telegram-methods.ts";
import { type SharedExchange, joinExchange } from "../support/exchange-process.ts";

interface Thread {
  envelope: {
    status: string;
    executor: string | null;
    superseded_by?: string;
    history: { action: string; by: string; note?: string }[];
  };
  messages: { from: string; MESS: Record<string, Record<string, unknown>>[] }[];
  attachments: { name: string; size: number; url: string }[];
}

const ANN = buildPerson("ann", "telegram", 1);
const BEN = buildPerson("ben", "slack", 2);

let stack: SharedExchange;
let home: SimulatedHousehold;
let agent: Client;
let owner: Client;

const waitUntil = <T>(check: () => T | Promise<T>): Promise<T> =>
  vi.waitFor(check, { timeout: 25_000, interval: 50 });

async function createThread(request: object, as: Client = agent): Promise<string> {
  const { MESS } = await as.post<{ MESS: [{ ack: { ref: string } }] }>("/mess", {
    MESS: [{ request }],
  });
  return MESS[0].ack.ref;
}

const read = (ref: string, as: Client = agent): Promise<Thread> => as.get<Thread>(`/mess/${ref}`);

const appendBlocks = (ref: string, ...MESS: object[]): Promise<unknown> =>
  agent.post("/mess", { re: ref, MESS });

const waitForStatus = (ref: string, status: string): Promise<Thread> =>
  waitUntil(async () => {
    const thread = await read(ref);
    expect(thread.envelope.status).toBe(status);
    return thread;
  });

/** The newest message on the phone that contains the text. */
const waitForPhoneMessage = (who: SimulatedPerson, text: string): Promise<PhoneMessage> =>
  waitUntil(() => {
    const message = createPhone(who, home.servers)().findLast((one) => one.text().includes(text));
    expect(message, `${who.id} has no message with ${text}`).toBeDefined();
    return message!;
  });

/** The robot's side of one thread, once it was called about it. */
async function openRobotSide(id: string, ref: string) {
  const machine = home.robots.get(id)!;
  const hook = await waitUntil(() => {
    const [first] = machine.about(ref);
    expect(first, `${id} was not called about ${ref}`).toBeDefined();
    return first!;
  });
  const report = async (...blocks: object[]): Promise<void> => {
    const message = { re: ref, MESS: blocks };
    const response = await machine.callBack({ url: hook.callback!.url, message });
    expect(response.status, await response.clone().text()).toBe(200);
  };
  return {
    report,
    status: (code: string, more: object = {}) => report({ status: { code, ...more } }),
    /** Waits until the robot was called about a message of another member. */
    waitForMessage: (text: string) =>
      waitUntil(() => {
        const bodies = machine.about(ref).map(({ body }) => body);
        expect(bodies.some((body) => body.includes(text))).toBe(true);
      }),
  };
}

const listHistoryActions = ({ envelope }: Thread): string[] =>
  envelope.history.map(({ action }) => action);

beforeAll(async () => {
  stack = await joinExchange();
  const { origin, keys } = stack.ready;
  agent = createClient(origin, keys.agent);
  owner = createClient(origin, keys.owner);
  home = await setUpHousehold(stack.ready, {
    people: [ANN, BEN],
    machines: [
      buildRobot("roomba", "vacuum-floor"),
      buildRobot("cleaner", "clear-garage"),
      buildRobot("proxy", "shopping"),
      buildRobot("kitchen-robot", "knife-work"),
      buildRobot("prusa", "print-3d"),
    ],
    tasks: [],
  });
});
afterAll(async () => {
  await home?.stop();
});

describe("requests to a household", () => {
  it("a person answers in Telegram what is in the fridge, with a photo", async () => {
    const ref = await createThread({ intent: "what's in the fridge?", requires: ["take-photo"] });

    const message = await waitForPhoneMessage(ANN, "in the fridge");
    await message.tap("claimed");
    await message.write("Chicken, broccoli, half a lemon", {
      name: "fridge.jpg",
      bytes: SHARP_PHOTO,
    });
    await message.tap("completed");

    const thread = await waitForStatus(ref, "completed");
    expect(thread.envelope.executor).toBe("ann");
    expect(JSON.stringify(thread.messages)).toContain("half a lemon");
    const photo = await agent.bytes(thread.attachments[0]!.url);
    expect(photo.byteLength).toBeGreaterThan(SHARP_PHOTO.byteLength / 2);
    const ben = await waitForPhoneMessage(BEN, "in the fridge");
    await waitUntil(() => expect(ben.text()).toEqual(expectNaming("Ann")));
  });

  it("a vacuum robot asks which area to clean, and gets the answer", async () => {
    const ref = await createThread({ intent: "vacuum the rice spill", requires: ["vacuum-floor"] });
    const roomba = await openRobotSide("roomba", ref);

    await roomba.status("claimed");
    await roomba.status("needs_input", {
      questions: [{ field: "location", question: "Which area?", options: ["sink", "stove"] }],
    });
    await waitForStatus(ref, "needs_input");
    await appendBlocks(ref, { reply: { answers: { location: "sink" } } });
    await roomba.waitForMessage("sink");
    await roomba.report(
      { response: { content: [{ confirmation: true }] } },
      { status: { code: "completed" } },
    );

    const thread = await waitForStatus(ref, "completed");
    expect(listHistoryActions(thread)).toEqual(
      expect.arrayContaining(["claimed", "needs_input", "replied", "completed"]),
    );
  });

  it("a robot that clears the garage throws nothing away before confirmation", async () => {
    const ref = await createThread({
      intent: "clear the garage",
      requires: ["clear-garage"],
      confirm_before: true,
    });
    const cleaner = await openRobotSide("cleaner", ref);

    await cleaner.status("claimed");
    await cleaner.status("needs_confirmation", {
      action: "dispose of 12 items marked as trash",
      consequences: "items cannot be recovered",
      reversible: false,
    });
    await expect(cleaner.status("completed")).rejects.toThrow("409");
    await appendBlocks(ref, { reply: { confirm: true } });
    await cleaner.waitForMessage("confirm");
    await cleaner.status("completed");

    const thread = await waitForStatus(ref, "completed");
    expect(thread.envelope.history.map(({ note }) => note).join()).toContain("12 items");
  });

  it("onions are bought, delivered and diced by three requests, each offered when the one before is completed", async () => {
    const step = (id: string, requires: string, depends_on: string[]) => ({
      request: { id, intent: `${id} please`, requires: [requires], constraints: { depends_on } },
    });
    const { MESS } = await agent.post<{ MESS: [{ ack: { requests: { ref: string }[] } }] }>(
      "/mess",
      {
        MESS: [
          step("get-onions", "shopping", []),
          step("deliver-onions", "shopping", ["get-onions"]),
          step("dice-onions", "knife-work", ["deliver-onions"]),
        ],
      },
    );
    const [get, deliver, dice] = MESS[0].ack.requests.map(({ ref }) => ref) as [
      string,
      string,
      string,
    ];

    const buyer = await openRobotSide("proxy", get);
    expect(home.robots.get("proxy")!.about(deliver)).toEqual([]);
    await buyer.status("claimed", { eta: "45m" });
    await buyer.status("completed");
    const carrier = await openRobotSide("proxy", deliver);
    expect(home.robots.get("kitchen-robot")!.about(dice)).toEqual([]);
    await carrier.status("completed");
    const cook = await openRobotSide("kitchen-robot", dice);
    await cook.report(
      { response: { content: ["medium dice, 3 onions"] } },
      { status: { code: "completed" } },
    );

    for (const ref of [get, deliver, dice]) await waitForStatus(ref, "completed");
  });

  it("a printer reports its progress", async () => {
    const ref = await createThread({ intent: "print four cable clips", requires: ["print-3d"] });
    const prusa = await openRobotSide("prusa", ref);

    await prusa.status("claimed", { estimate: "PT2H" });
    for (const progress_pct of [10, 35, 90])
      await prusa.status("in_progress", {
        progress_pct,
        partial: { layer: progress_pct * 3, total_layers: 300 },
      });
    await prusa.report(
      { response: { content: [{ confirmation: { confirmed: true, units: 4 } }] } },
      { status: { code: "completed" } },
    );

    const thread = await waitForStatus(ref, "completed");
    const steps = thread.messages.flatMap(({ MESS }) =>
      MESS.map(({ status }) => status?.["progress_pct"]),
    );
    expect(steps.filter((step) => step !== undefined)).toEqual([10, 35, 90]);
  });

  it("a person takes over from a robot that fails halfway", async () => {
    const ref = await createThread({ intent: "vacuum the hallway", requires: ["vacuum-floor"] });
    const roomba = await openRobotSide("roomba", ref);
    await roomba.status("claimed");
    await roomba.status("in_progress", { progress_pct: 40 });

    await roomba.status("failed", {
      recoverable: true,
      reason: { type: "hardware", detail: "the battery is empty" },
    });
    const message = await waitForPhoneMessage(BEN, "vacuum the hallway");
    await message.tap("claimed");
    await message.write("Done with the broom");
    await message.tap("completed");

    const thread = await waitForStatus(ref, "completed");
    expect(thread.envelope.executor).toBe("ben");
    expect(listHistoryActions(thread)).toEqual(
      expect.arrayContaining(["failed", "retrying", "completed"]),
    );
  });

  it("the owner is alerted when no executor claims an urgent request", async () => {
    const ref = await createThread({
      intent: "is the back door locked?",
      requires: ["check-visual"],
      priority: "urgent",
    });

    const alert = await waitUntil(() => {
      const found = home.servers.telegram.messages.find(
        ({ chat, text }) => chat === OWNER_CHAT_ID && text.includes("back door"),
      );
      expect(found).toBeDefined();
      return found!;
    });

    expect(listActions(alert.keyboard).flat()).toEqual(
      expect.arrayContaining(["claimed", "cancel"]),
    );
    const thread = await read(ref);
    expect(thread.envelope.status).toBe("pending");
    expect(listHistoryActions(thread)).toEqual(
      expect.arrayContaining(["dispatched", "reminded", "escalated"]),
    );
    await appendBlocks(ref, { cancel: { reason: "I looked myself" } });
  });

  it("two agents with the same question disturb the household once, and both get the answer", async () => {
    const { key } = await owner.post<{ key: string }>("/api/v1/keys", {
      actor: "other-agent",
      role: "agent",
    });
    const other = createClient(stack.ready.origin, key);
    const request = { intent: "Is there a parcel at the door?", requires: ["check-visual"] };
    const first = await createThread(request);
    const message = await waitForPhoneMessage(ANN, "parcel at the door");
    const second = await createThread(
      { ...request, intent: "is there a parcel at the door" },
      other,
    );

    expect(second).not.toBe(first);
    expect((await read(second, other)).envelope).toMatchObject({
      status: "superseded",
      superseded_by: first,
    });
    await message.tap("claimed");
    await message.write("Two, from the post");
    await message.tap("completed");

    await waitUntil(async () =>
      expect(JSON.stringify((await read(second, other)).messages)).toContain("Two, from the post"),
    );
    const asked = createPhone(ANN, home.servers)().filter((one) =>
      /parcel at the door/i.test(one.text()),
    );
    expect(asked).toHaveLength(1);
  });

  it("a request is offered to the next member when the preferred one declines", async () => {
    await owner.post("/mess", {
      config: {
        routing: { rules: [{ match: { capability: "home-care" }, prefer: ["ben"] }] },
      },
    });
    const ref = await createThread({ intent: "feed the cat", requires: ["home-care"] });
    const bens = await waitForPhoneMessage(BEN, "feed the cat");
    expect(
      createPhone(ANN, home.servers)().some((one) => one.text().includes("feed the cat")),
    ).toBe(false);

    await bens.tap("declined");
    const anns = await waitForPhoneMessage(ANN, "feed the cat");
    await anns.tap("claimed");
    await anns.tap("completed");

    const thread = await waitForStatus(ref, "completed");
    expect(thread.envelope.executor).toBe("ann");
    expect(listHistoryActions(thread)).toEqual(
      expect.arrayContaining(["dispatched", "declined", "escalated", "claimed"]),
    );
  });

  it("two purchases are merged when the agent accepts the suggestion", async () => {
    const onions = await createThread({
      id: "onions",
      intent: "buy onions",
      requires: ["shopping"],
    });
    const garlic = await createThread({
      id: "garlic",
      intent: "buy garlic",
      requires: ["shopping"],
    });
    await openRobotSide("proxy", onions);
    await openRobotSide("proxy", garlic);

    const suggestion = {
      id: "merge-grocery",
      type: "merge",
      re: [onions, garlic],
      proposed: { executor: "proxy", combined_intent: "buy onions and garlic" },
      reason: "same store, saves a delivery fee",
    };
    const made = await home.robots.get("proxy")!.callBack({ message: { MESS: [{ suggestion }] } });
    expect(made.status, await made.clone().text()).toBe(200);
    await appendBlocks(onions, { reply: { accept: true } });

    const merged = await waitUntil(async () => {
      const { envelope } = await read(onions);
      expect(envelope.status).toBe("superseded");
      expect((await read(garlic)).envelope.superseded_by).toBe(envelope.superseded_by);
      return envelope.superseded_by!;
    });
    const both = await openRobotSide("proxy", merged);
    await both.status("completed");
    await waitForStatus(merged, "completed");
  });
});
