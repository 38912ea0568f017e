import { runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { InboundQuery } from "../../../src/contracts/contacts.ts";
import type { JsonMap } from "../../../src/mess/json.ts";
import {
  getCode,
  createHousehold,
  type HouseholdUnderTest,
  openAll,
  buildRequest,
  buildSummary,
} from "./support.ts";

const NOON = Date.parse("2031-06-02T12:00:00Z");
const DAY = 86_400_000;

beforeEach(() => {
  vi.setSystemTime(NOON);
});
afterEach(() => {
  vi.useRealTimers();
});

const ANN = "+15550100";

interface Scene {
  home: HouseholdUnderTest;
  /** Two threads, of which Ann was told by SMS in this order. */
  shelf: string;
  basil: string;
}

/** Ann and Bea share a number; Ann was told of both threads, Bea of none. */
async function createScene(): Promise<Scene> {
  const home = await createHousehold();
  await home.rpc.settings.configure({
    dispatch: { sms: { account_sid: "AC1", auth_token: "t", from: "+15550199" } },
    executors: {
      ann: { notify: { sms: "+1 555 0100", email: "Ann@Example.com", slack: "U04ANN" } },
      bea: { notify: { sms: ANN } },
    },
  });
  const [shelf, basil] = (
    await openAll(home, [buildRequest({ id: "a" }), buildRequest({ id: "b" })])
  ).map(({ ref }) => ref) as [string, string];
  const buildSentReport = (ref: string, handle?: string) => ({
    executor: "ann",
    channel: "sms" as const,
    ref,
    ok: true,
    identity: ANN,
    ...(handle === undefined ? {} : { handle }),
  });
  await home.rpc.contacts.reportDeliveries([
    buildSentReport(shelf, "SM1"),
    buildSentReport(basil, "SM2"),
  ]);
  return { home, shelf, basil };
}

let events = 0;
const resolveMessage = async ({ home }: Scene, query: Partial<InboundQuery>) => {
  const outcome = await home.rpc.contacts.resolveInbound({
    channel: "sms",
    id: `e${++events}`,
    from: ANN,
    ...query,
  });
  return outcome.ok ? outcome.value : outcome.error.code;
};

const endThread = ({ home }: Scene, ref: string) =>
  home.rpc.threads.recordSummary(
    buildSummary(home, ref, { status: "completed", seq: 2, executor: "ann" }),
  );

describe("who is heard", () => {
  it("an inbound event is of the member with the address, however it is spelled", async () => {
    const here = await createScene();
    const { shelf, basil } = here;
    expect(await resolveMessage(here, { from: "+1 (555) 0100" })).toMatchObject({
      actor: "ann",
      ref: basil,
    });
    const email = { channel: "email", from: "ANN@example.com", ref: shelf } as const;
    expect(await resolveMessage(here, email)).toEqual({ actor: "ann", ref: shelf });
    expect(await resolveMessage(here, { channel: "slack", from: "U04ANN", ref: shelf })).toEqual({
      actor: "ann",
      ref: shelf,
    });
  });

  it("an inbound event of an unknown address, or of an address of another channel, is nobody's", async () => {
    const here = await createScene();
    expect(await resolveMessage(here, { from: "+15550111" })).toBe("unknown_executor");
    expect(await resolveMessage(here, { channel: "telegram", from: ANN })).toBe("unknown_executor");
    expect(await resolveMessage(here, { channel: "webhook", from: ANN })).toBe("unknown_executor");
  });

  it("an inbound event of a removed member is nobody's", async () => {
    const here = await createScene();
    await here.home.rpc.settings.configure({ executors: { ann: null } });
    expect(await resolveMessage(here, { channel: "email", from: "ann@example.com" })).toBe(
      "unknown_executor",
    );
    expect(await resolveMessage(here, { handle: "SM1" })).toEqual({
      actor: "bea",
      ref: here.shelf,
    });
  });

  it("of members who share an address, the one who takes part in the thread is meant", async () => {
    const here = await createScene();
    const { home, shelf } = here;
    await home.rpc.settings.configure({ executors: { bea: { notify: { slack: "U04ANN" } } } });
    await home.rpc.threads.recordSummary(
      buildSummary(home, shelf, { participants: ["bea", "scout"] }),
    );
    expect(await resolveMessage(here, { channel: "slack", from: "U04ANN", ref: shelf })).toEqual({
      actor: "bea",
      ref: shelf,
    });
  });

  it("a candidate is meant where an owner was alerted at the same address", async () => {
    const here = await createScene();
    const { home, shelf } = here;
    await home.rpc.settings.configure({ dispatch: { alerts: { sms: ANN } } });
    await home.rpc.threads.recordSummary(
      buildSummary(home, shelf, { participants: ["scout", "ann"] }),
    );
    await home.rpc.contacts.reportDeliveries([
      { executor: "olga", channel: "sms", ref: shelf, ok: true, identity: ANN, handle: "SM3" },
    ]);

    expect(await resolveMessage(here, {})).toMatchObject({ actor: "ann", ref: shelf });
    expect(await resolveMessage(here, { handle: "SM3" })).toEqual({ actor: "ann", ref: shelf });
    expect(await resolveMessage(here, { ref: shelf })).toEqual({ actor: "ann", ref: shelf });
  });

  it("an inbound event at the address of alerts is an owner's", async () => {
    const here = await createScene();
    await here.home.rpc.settings.configure({ dispatch: { alerts: { sms: "+15550177" } } });
    expect(await resolveMessage(here, { from: "+15550177", ref: here.shelf })).toEqual({
      actor: "olga",
      ref: here.shelf,
    });
  });
});

describe("the thread that is meant", () => {
  it("the thread that is named is meant, else that of the answered message, else the last one", async () => {
    const here = await createScene();
    const { shelf, basil } = here;
    expect(await resolveMessage(here, { ref: shelf })).toEqual({ actor: "ann", ref: shelf });
    expect(await resolveMessage(here, { handle: "SM1" })).toEqual({ actor: "ann", ref: shelf });
    const guessed = { actor: "ann", ref: basil, isGuessed: true };
    expect(await resolveMessage(here, {})).toEqual(guessed);
    expect(await resolveMessage(here, { handle: "of something else" })).toEqual(guessed);
  });

  it("words that name no thread mean the last open one, and an ended one is found by name and by message", async () => {
    const here = await createScene();
    const { shelf, basil } = here;
    await endThread(here, basil);
    expect(await resolveMessage(here, {})).toEqual({ actor: "ann", ref: shelf });
    expect(await resolveMessage(here, { handle: "SM2" })).toEqual({ actor: "ann", ref: basil });
    expect(await resolveMessage(here, { ref: basil })).toEqual({ actor: "ann", ref: basil });
    await endThread(here, shelf);
    expect(await resolveMessage(here, {})).toBe("not_found");
  });

  it("no thread is meant where the ref is unknown or nothing was sent to the address", async () => {
    const here = await createScene();
    expect(await resolveMessage(here, { ref: "2031-06-02-999" })).toBe("not_found");
    expect(await resolveMessage(here, { channel: "email", from: "ann@example.com" })).toBe(
      "not_found",
    );
  });
});

describe("what names no thread", () => {
  const holdThread = ({ home }: Scene, ref: string, executor: string) =>
    home.rpc.threads.recordSummary(
      buildSummary(home, ref, { status: "claimed", seq: 2, executor }),
    );

  it("DONE without a thread means the one thread that the member holds", async () => {
    const here = await createScene();
    await holdThread(here, here.shelf, "ann");

    expect(await resolveMessage(here, { meaning: "done" })).toEqual({
      actor: "ann",
      ref: here.shelf,
      isGuessed: true,
    });
    expect(await resolveMessage(here, { meaning: "answer" })).toMatchObject({ ref: here.basil });
    expect(await resolveMessage(here, {})).toMatchObject({ ref: here.basil });
    expect(await resolveMessage(here, { meaning: "done", handle: "SM2" })).toEqual({
      actor: "ann",
      ref: here.basil,
    });
  });

  it("an answer without a thread means the held one where another has taken the last one", async () => {
    const here = await createScene();
    await holdThread(here, here.shelf, "ann");
    await holdThread(here, here.basil, "robo");

    expect(await resolveMessage(here, { meaning: "answer" })).toMatchObject({
      actor: "ann",
      ref: here.shelf,
    });
    expect(await resolveMessage(here, {})).toMatchObject({ ref: here.basil });
  });

  it("words without a thread mean the last one where the member holds that, none or several", async () => {
    const here = await createScene();
    expect(await resolveMessage(here, { meaning: "done" })).toMatchObject({ ref: here.basil });
    await holdThread(here, here.basil, "ann");
    expect(await resolveMessage(here, { meaning: "done" })).toMatchObject({ ref: here.basil });
    await holdThread(here, here.shelf, "ann");
    const [third] = await openAll(here.home, [buildRequest({ id: "c" })]);
    const sent = { executor: "ann", channel: "sms" as const, ref: third!.ref, ok: true };
    await here.home.rpc.contacts.reportDeliveries([{ ...sent, identity: ANN }]);
    expect(await resolveMessage(here, { meaning: "done" })).toMatchObject({ ref: third!.ref });
  });
});

describe("an owner who was alerted", () => {
  /** Ann is a candidate of the thread, and the owner has alerts at her number. */
  const createAlerted = async (at: object = { sms: ANN }, identity = ANN) => {
    const here = await createScene();
    const { home, shelf } = here;
    const [channel] = Object.keys(at) as ["sms" | "slack"];
    await home.rpc.settings.configure({ dispatch: { alerts: at as JsonMap } });
    await home.rpc.threads.recordSummary(
      buildSummary(home, shelf, { participants: ["scout", "ann"] }),
    );
    const told = { executor: "olga", channel, ref: shelf, ok: true, identity, handle: "SM3" };
    await home.rpc.contacts.reportDeliveries([{ ...told, isAlert: true }]);
    return here;
  };

  it("an owner who was alerted may act as owner in that thread, whoever shares the address", async () => {
    const here = await createAlerted();
    const { shelf, basil } = here;
    expect(await resolveMessage(here, { ref: shelf })).toEqual({
      actor: "ann",
      ref: shelf,
      alertedOwner: "olga",
    });
    expect(await resolveMessage(here, { ref: basil })).toEqual({ actor: "ann", ref: basil });
  });

  it("a member who was only offered the thread may not act as its owner", async () => {
    const here = await createScene();
    const { home, shelf } = here;
    await home.rpc.settings.configure({ executors: { olga: { notify: { sms: "+15550177" } } } });
    await home.rpc.threads.recordSummary(
      buildSummary(home, shelf, { participants: ["scout", "olga"] }),
    );
    const told = { executor: "olga", channel: "sms" as const, ref: shelf, ok: true };
    await home.rpc.contacts.reportDeliveries([{ ...told, identity: "+15550177" }]);
    expect(await resolveMessage(here, { from: "+15550177" })).toEqual({
      actor: "olga",
      ref: shelf,
    });
  });

  it("an owner may no longer act by an address that alerts have left", async () => {
    const here = await createAlerted();
    await here.home.rpc.settings.configure({ dispatch: { alerts: { sms: "+15550177" } } });
    expect(await resolveMessage(here, { ref: here.shelf })).toEqual({
      actor: "ann",
      ref: here.shelf,
    });
  });

  it("in a shared room only a known owner may act as one", async () => {
    const room = "C04HOME";
    const here = await createAlerted({ slack: room }, room);
    const { home, shelf } = here;
    await home.rpc.settings.configure({ executors: { olga: { notify: { slack: "U04OLGA" } } } });
    const inRoom = (by: string) =>
      resolveMessage(here, { channel: "slack", from: room, personIdentities: [by], ref: shelf });

    expect(await inRoom("U04OLGA")).toEqual({ actor: "olga", ref: shelf, alertedOwner: "olga" });
    expect(await inRoom("U04ANN")).toEqual({ actor: "ann", ref: shelf });
    expect(await inRoom("U04NOBODY")).toBe("wrong_role");
  });
});

describe("a room that several share", () => {
  const ROOM = "C04HOME";
  const createFamily = async () => {
    const here = await createScene();
    const { home, shelf } = here;
    await home.rpc.settings.configure({ executors: { family: { notify: { slack: ROOM } } } });
    await home.rpc.threads.recordSummary(
      buildSummary(home, shelf, { participants: ["scout", "family", "ann"] }),
    );
    const told = { executor: "family", channel: "slack" as const, ref: shelf, ok: true };
    await home.rpc.contacts.reportDeliveries([{ ...told, identity: ROOM, handle: "C04HOME:1.1" }]);
    return here;
  };
  const inRoom = (here: Scene, by: string[]) =>
    resolveMessage(here, {
      channel: "slack",
      from: ROOM,
      personIdentities: by,
      handle: "C04HOME:1.1",
    });

  it("words in a shared room are of the known participant, else of the room's own member", async () => {
    const here = await createFamily();
    const { shelf } = here;
    expect(await inRoom(here, ["U04ANN"])).toEqual({ actor: "ann", ref: shelf });
    expect(await inRoom(here, ["U04NOBODY"])).toEqual({ actor: "family", ref: shelf });
    expect(await inRoom(here, [])).toEqual({ actor: "family", ref: shelf });
    await here.home.rpc.settings.configure({ executors: { bea: { notify: { slack: "U04BEA" } } } });
    expect(await inRoom(here, ["U04BEA"])).toEqual({ actor: "family", ref: shelf });
  });

  it("words in a shared room are of its own member once that holds the thread", async () => {
    const here = await createFamily();
    const { home, shelf } = here;
    const held = { status: "claimed", executor: "family", seq: 3 } as const;
    const participants = ["scout", "family", "ann"];
    await home.rpc.threads.recordSummary(buildSummary(home, shelf, { ...held, participants }));
    expect(await inRoom(here, ["U04ANN"])).toEqual({ actor: "family", ref: shelf });
  });

  it("words in a room that is no member's address are nobody's", async () => {
    const here = await createFamily();
    const from = {
      channel: "slack",
      from: "C04OTHER",
      personIdentities: ["U04ANN"],
      ref: here.shelf,
    } as const;
    expect(await resolveMessage(here, from)).toBe("unknown_executor");
  });
});

describe("an event that comes again", () => {
  it("an inbound event that comes again is resolved alike, whatever was sent since", async () => {
    const here = await createScene();
    const { home, shelf, basil } = here;
    const first = await resolveMessage(here, { id: "again" });
    await endThread(here, basil);

    expect(first).toMatchObject({ actor: "ann", ref: basil });
    expect(await resolveMessage(here, { id: "again" })).toEqual({ actor: "ann", ref: basil });

    expect(await resolveMessage(here, {})).toEqual({ actor: "ann", ref: shelf });
    expect(
      getCode(await home.rpc.contacts.resolveInbound({ channel: "email", id: "again", from: ANN })),
    ).toBe("unknown_executor");
  });

  it("an inbound event is remembered for a week", async () => {
    const here = await createScene();
    const { home, shelf, basil } = here;
    await home.rpc.threads.recordSummary(buildSummary(home, shelf));
    await resolveMessage(here, { id: "again" });
    await endThread(here, basil);
    vi.setSystemTime(NOON + 6 * DAY);
    await runDurableObjectAlarm(env.HOUSEHOLDS.getByName(home.id));
    expect(await resolveMessage(here, { id: "again" })).toEqual({ actor: "ann", ref: basil });
    vi.setSystemTime(NOON + 8 * DAY);
    await runDurableObjectAlarm(env.HOUSEHOLDS.getByName(home.id));
    expect(await resolveMessage(here, { id: "again" })).toEqual({ actor: "ann", ref: shelf });
  });
});
