import { defined } from "../../../../src/mess/defined.ts";
import { runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { InboundQuery } from "../../../../src/contracts/contacts.ts";
import type { JsonMap } from "../../../../src/mess/json.ts";
import { confirmChat } from "../../sources/support.ts";
import {
  getCode,
  createHousehold,
  type HouseholdUnderTest,
  openAll,
  buildRequest,
  buildSummary,
} from "../support.ts";

const NOON = Date.parse("2031-06-02T12:00:00Z");
const DAY_MS = 86_400_000;

beforeEach(() => {
  vi.setSystemTime(NOON);
});
afterEach(() => {
  vi.useRealTimers();
});

const ANN = "+15550100";

interface Scene {
  home: HouseholdUnderTest;
  /** Two threads, of which Ann was notified by SMS in this order. */
  shelf: string;
  basil: string;
}

/** Ann and Bea share a number; Ann was notified of both threads, Bea of none. */
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
    ...defined({ handle }),
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
    identities: [ANN],
    ...query,
  });
  if (!outcome.ok) return outcome.error.code;
  const { names: _names, ...resolved } = outcome.value;
  return resolved;
};

const endThread = ({ home }: Scene, ref: string) =>
  home.rpc.threads.recordSummary(
    buildSummary(home, ref, { status: "completed", seq: 2, executor: "ann" }),
  );

describe("the sender of an inbound event", () => {
  it("an inbound event is from the member with the address, in any spelling", async () => {
    const here = await createScene();
    const { shelf, basil } = here;
    expect(await resolveMessage(here, { identities: ["+1 (555) 0100"] })).toMatchObject({
      actor: "ann",
      ref: basil,
    });
    const email = { channel: "email", identities: ["ANN@example.com"], ref: shelf } as const;
    expect(await resolveMessage(here, email)).toEqual({ actor: "ann", ref: shelf });
    expect(
      await resolveMessage(here, { channel: "slack", identities: ["U04ANN"], ref: shelf }),
    ).toEqual({
      actor: "ann",
      ref: shelf,
    });
  });

  it("an inbound event from an unknown address, or from an address of another channel, has no sender", async () => {
    const here = await createScene();
    expect(await resolveMessage(here, { identities: ["+15550111"] })).toBe("unknown_executor");
    expect(await resolveMessage(here, { channel: "telegram", identities: [ANN] })).toBe(
      "unknown_executor",
    );
    expect(await resolveMessage(here, { channel: "webhook", identities: [ANN] })).toBe(
      "unknown_executor",
    );
  });

  it("an inbound event from a removed member has no sender", async () => {
    const here = await createScene();
    await here.home.rpc.settings.configure({ executors: { ann: null } });
    expect(await resolveMessage(here, { channel: "email", identities: ["ann@example.com"] })).toBe(
      "unknown_executor",
    );
    expect(await resolveMessage(here, { handle: "SM1" })).toEqual({
      actor: "bea",
      ref: here.shelf,
    });
  });

  it("of members with the same address, the sender is the one who takes part in the thread", async () => {
    const here = await createScene();
    const { home, shelf } = here;
    await home.rpc.settings.configure({ executors: { bea: { notify: { slack: "U04ANN" } } } });
    await home.rpc.threads.recordSummary(
      buildSummary(home, shelf, { participants: ["bea", "scout"] }),
    );
    expect(
      await resolveMessage(here, { channel: "slack", identities: ["U04ANN"], ref: shelf }),
    ).toEqual({
      actor: "bea",
      ref: shelf,
    });
  });

  it("a candidate is the sender if an owner was alerted at the same address", async () => {
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

  it("an inbound event from the address of alerts is an owner's", async () => {
    const here = await createScene();
    await here.home.rpc.settings.configure({ dispatch: { alerts: { sms: "+15550177" } } });
    expect(await resolveMessage(here, { identities: ["+15550177"], ref: here.shelf })).toEqual({
      actor: "olga",
      ref: here.shelf,
      isUnconfirmed: true,
    });
  });
});

describe("the target thread of an inbound event", () => {
  it("an inbound event is for the named thread, else that of the message it replies to, else the last one", async () => {
    const here = await createScene();
    const { shelf, basil } = here;
    expect(await resolveMessage(here, { ref: shelf })).toEqual({ actor: "ann", ref: shelf });
    expect(await resolveMessage(here, { handle: "SM1" })).toEqual({ actor: "ann", ref: shelf });
    const guessed = { actor: "ann", ref: basil, isGuessed: true };
    expect(await resolveMessage(here, {})).toEqual(guessed);
    expect(await resolveMessage(here, { handle: "of something else" })).toEqual(guessed);
  });

  it("a text without a thread is for the last open one; an ended one is found by name and by message", async () => {
    const here = await createScene();
    const { shelf, basil } = here;
    await endThread(here, basil);
    expect(await resolveMessage(here, {})).toEqual({ actor: "ann", ref: shelf });
    expect(await resolveMessage(here, { handle: "SM2" })).toEqual({ actor: "ann", ref: basil });
    expect(await resolveMessage(here, { ref: basil })).toEqual({ actor: "ann", ref: basil });
    await endThread(here, shelf);
    expect(await resolveMessage(here, {})).toBe("not_found");
  });

  it("an inbound event has no thread if the ref is unknown or nothing was sent to the address", async () => {
    const here = await createScene();
    expect(await resolveMessage(here, { ref: "2031-06-02-999" })).toBe("not_found");
    expect(await resolveMessage(here, { channel: "email", identities: ["ann@example.com"] })).toBe(
      "not_found",
    );
  });
});

describe("inbound events without a thread", () => {
  const holdThread = ({ home }: Scene, ref: string, executor: string) =>
    home.rpc.threads.recordSummary(
      buildSummary(home, ref, { status: "claimed", seq: 2, executor }),
    );

  it("DONE without a thread is for the one thread that the member holds", async () => {
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

  it("an answer without a thread is for the held one if another executor has claimed the last one", async () => {
    const here = await createScene();
    await holdThread(here, here.shelf, "ann");
    await holdThread(here, here.basil, "robo");

    expect(await resolveMessage(here, { meaning: "answer" })).toMatchObject({
      actor: "ann",
      ref: here.shelf,
    });
    expect(await resolveMessage(here, {})).toMatchObject({ ref: here.basil });
  });

  it("a text without a thread is for the last one if the member holds that, none or several", async () => {
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
    const report = { executor: "olga", channel, ref: shelf, ok: true, identity, handle: "SM3" };
    await home.rpc.contacts.reportDeliveries([{ ...report, isAlert: true }]);
    return here;
  };

  it("an owner who was alerted may act as owner in that thread, even with a shared address", async () => {
    const here = await createAlerted();
    const { shelf, basil } = here;
    expect(await resolveMessage(here, { ref: shelf })).toEqual({
      actor: "ann",
      ref: shelf,
      alertedOwner: "olga",
    });
    expect(await resolveMessage(here, { ref: basil })).toEqual({ actor: "ann", ref: basil });
  });

  it("a member with only an offer may not act as owner", async () => {
    const here = await createScene();
    const { home, shelf } = here;
    await home.rpc.settings.configure({ executors: { olga: { notify: { sms: "+15550177" } } } });
    await home.rpc.threads.recordSummary(
      buildSummary(home, shelf, { participants: ["scout", "olga"] }),
    );
    const report = { executor: "olga", channel: "sms" as const, ref: shelf, ok: true };
    await home.rpc.contacts.reportDeliveries([{ ...report, identity: "+15550177" }]);
    expect(await resolveMessage(here, { identities: ["+15550177"] })).toEqual({
      actor: "olga",
      ref: shelf,
    });
  });

  it("an owner is not identified by an address that another member has, too", async () => {
    const here = await createScene();
    const { home, shelf } = here;
    const notify = { sms: "+15550177" };
    await home.rpc.settings.configure({ executors: { olga: { notify }, zoe: { notify } } });
    const resolved = await resolveMessage(here, { identities: ["+15550177"], ref: shelf });
    expect(resolved).toEqual({ actor: "olga", ref: shelf });
  });

  it("an owner may no longer act through a former address of alerts", async () => {
    const here = await createAlerted();
    await here.home.rpc.settings.configure({ dispatch: { alerts: { sms: "+15550177" } } });
    expect(await resolveMessage(here, { ref: here.shelf })).toEqual({
      actor: "ann",
      ref: here.shelf,
    });
  });

  it("in a shared chat room only a known owner may act as one", async () => {
    const room = "C04HOME";
    const here = await createAlerted({ slack: room }, room);
    const { home, shelf, basil } = here;
    await home.rpc.settings.configure({ executors: { olga: { notify: { slack: "U04OLGA" } } } });
    const inRoom = (by: string, tap: Partial<InboundQuery> = {}) =>
      resolveMessage(here, {
        channel: "slack",
        identities: [room],
        personIdentities: [by],
        ref: shelf,
        handle: "SM3",
        ...tap,
      });

    const asOwner = { actor: "olga", ref: shelf, alertedOwner: "olga" };
    expect(await inRoom("U04OLGA")).toEqual({ ...asOwner, isUnconfirmed: true });
    await confirmChat({ id: home.id, actor: "olga" }, { channel: "slack", address: "U04OLGA" });
    expect(await inRoom("U04OLGA")).toEqual({ ...asOwner, identifiedOwner: "olga" });
    // A button on any message of the bot can name the thread, but decides only on the thread's own message.
    const other = { executor: "olga", channel: "slack", ref: basil, ok: true } as const;
    await home.rpc.contacts.reportDeliveries([{ ...other, identity: room, handle: "SM4" }]);
    for (const handle of ["SM4", "never sent"])
      expect(await inRoom("U04OLGA", { handle })).toEqual(asOwner);
    expect(await inRoom("U04ANN")).toEqual({ actor: "ann", ref: shelf });
    expect(await inRoom("U04NOBODY")).toBe("wrong_role");
  });
});

describe("shared chat rooms", () => {
  const ROOM = "C04HOME";
  const createFamily = async () => {
    const here = await createScene();
    const { home, shelf } = here;
    await home.rpc.settings.configure({ executors: { family: { notify: { slack: ROOM } } } });
    await home.rpc.threads.recordSummary(
      buildSummary(home, shelf, { participants: ["scout", "family", "ann"] }),
    );
    const report = { executor: "family", channel: "slack" as const, ref: shelf, ok: true };
    await home.rpc.contacts.reportDeliveries([
      { ...report, identity: ROOM, handle: "C04HOME:1.1" },
    ]);
    return here;
  };
  const inRoom = (here: Scene, by: string[]) =>
    resolveMessage(here, {
      channel: "slack",
      identities: [ROOM],
      personIdentities: by,
      handle: "C04HOME:1.1",
    });

  it("a text in a shared chat room is from the known participant, else from the room's member", async () => {
    const here = await createFamily();
    const { shelf } = here;
    expect(await inRoom(here, ["U04ANN"])).toEqual({ actor: "ann", ref: shelf });
    expect(await inRoom(here, ["U04NOBODY"])).toEqual({ actor: "family", ref: shelf });
    expect(await inRoom(here, [])).toEqual({ actor: "family", ref: shelf });
    await here.home.rpc.settings.configure({ executors: { bea: { notify: { slack: "U04BEA" } } } });
    expect(await inRoom(here, ["U04BEA"])).toEqual({ actor: "family", ref: shelf });
  });

  it("a text in a shared chat room is from the room's member once that member holds the thread", async () => {
    const here = await createFamily();
    const { home, shelf } = here;
    const held = { status: "claimed", executor: "family", seq: 3 } as const;
    const participants = ["scout", "family", "ann"];
    await home.rpc.threads.recordSummary(buildSummary(home, shelf, { ...held, participants }));
    expect(await inRoom(here, ["U04ANN"])).toEqual({ actor: "family", ref: shelf });
  });

  it("a text in a chat room that is no member's address has no sender", async () => {
    const here = await createFamily();
    const from = {
      channel: "slack",
      identities: ["C04OTHER"],
      personIdentities: ["U04ANN"],
      ref: here.shelf,
    } as const;
    expect(await resolveMessage(here, from)).toBe("unknown_executor");
  });
});

describe("repeated inbound events", () => {
  it("a repeated inbound event is resolved in the same way, whatever was sent since", async () => {
    const here = await createScene();
    const { home, shelf, basil } = here;
    const first = await resolveMessage(here, { id: "again" });
    await endThread(here, basil);

    expect(first).toMatchObject({ actor: "ann", ref: basil });
    expect(await resolveMessage(here, { id: "again" })).toEqual({ actor: "ann", ref: basil });

    expect(await resolveMessage(here, {})).toEqual({ actor: "ann", ref: shelf });
    expect(
      getCode(
        await home.rpc.contacts.resolveInbound({
          channel: "email",
          id: "again",
          identities: [ANN],
        }),
      ),
    ).toBe("unknown_executor");
  });

  it("an inbound event is stored for a week", async () => {
    const here = await createScene();
    const { home, shelf, basil } = here;
    await home.rpc.threads.recordSummary(buildSummary(home, shelf));
    await resolveMessage(here, { id: "again" });
    await endThread(here, basil);
    vi.setSystemTime(NOON + 6 * DAY_MS);
    await runDurableObjectAlarm(env.HOUSEHOLDS.getByName(home.id));
    expect(await resolveMessage(here, { id: "again" })).toEqual({ actor: "ann", ref: basil });
    vi.setSystemTime(NOON + 8 * DAY_MS);
    await runDurableObjectAlarm(env.HOUSEHOLDS.getByName(home.id));
    expect(await resolveMessage(here, { id: "again" })).toEqual({ actor: "ann", ref: shelf });
  });
});
