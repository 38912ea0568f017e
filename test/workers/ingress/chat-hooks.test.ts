import { env } from "cloudflare:workers";
import { runDurableObjectAlarm } from "cloudflare:test";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { discord } from "../../support/discord.ts";
import { googleChat } from "../../support/google-chat.ts";
import { eventually, expectOk, freshHousehold } from "../support.ts";
import { reachOutside } from "./outside.ts";

const DAY = 86_400_000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"] });
  vi.setSystemTime(new Date("2031-04-05T10:00:00Z"));
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

/** A household whose family reads along in Discord, and whose office does in Google Chat. */
async function chatHome() {
  const home = await freshHousehold();
  const room = discord();
  const space = googleChat();
  reachOutside({
    "https://discord.com": room.handle,
    "https://chat.googleapis.com": space.handle,
  });
  const executor = (id: string, can: string, notify: object) => ({
    config: { executor: { id, capabilities: [can], notify } },
  });
  await expectOk(
    await home.owner.say(
      executor("ann", "look", { discord: room.address() }),
      executor("ben", "carry", { google_chat: space.address() }),
    ),
  );
  /** Lets the thread's alarm ring at a later time. */
  const later = async (ref: string, milliseconds: number): Promise<void> => {
    vi.setSystemTime(Date.now() + milliseconds);
    await runDurableObjectAlarm(env.THREADS.getByName(`${home.id}/${ref}`));
  };
  const notes = async (ref: string): Promise<string> => {
    const { envelope } = await home.agent.read(`/mess/${ref}`);
    return JSON.stringify(envelope.history);
  };
  return { ...home, room, space, later, notes };
}

describe("a task in Discord", () => {
  it("is one message, which tells how the task stands", async () => {
    const { agent, ann, room } = await chatHome();
    const ref = await agent.ask("check what is in the fridge", { requires: ["look"] });
    await eventually(async () => expect(room.messages).toHaveLength(1));

    await ann.claim(ref);
    await eventually(async () => expect(room.messages[0]?.versions.length).toBeGreaterThan(1));
    await agent.tell(ref, { cancel: { reason: "found them" } });

    await eventually(async () => expect(room.messages[0]?.content).toMatch(/cancel/i));
    expect(room.messages[0]?.pinged).toEqual([]);
  });

  it("arrives after an outage of a day, once, and the history tells of the failures", async () => {
    const { agent, room, later, notes } = await chatHome();
    room.outage({ status: 503 });
    const ref = await agent.ask("check what is in the fridge", { requires: ["look"] });
    await eventually(async () => expect(await notes(ref)).toContain("delivery_failed"));

    for (let hours = 0; hours < 24; hours += 4) await later(ref, DAY / 6);
    expect(room.messages).toEqual([]);
    room.lift();
    await later(ref, DAY);

    await eventually(async () => expect(room.messages).toHaveLength(1));
    expect(await notes(ref)).toContain("Discord answered 503");
    expect(await notes(ref)).not.toContain("token");
  });

  it("that can be sent nowhere any more is told to the owner", async () => {
    const { agent, owner, room } = await chatHome();
    room.act.revoke();
    await agent.ask("check what is in the fridge", { requires: ["look"] });

    await eventually(async () => {
      const { events } = await owner.read("/api/v1/events");
      const actions = events.map(({ action }: { action?: string }) => action);
      expect(actions).toContain("channel_gone");
    });
  });
});

describe("a task in Google Chat", () => {
  it("is a thread of its own, in which its end is said", async () => {
    const { agent, ben, space } = await chatHome();
    const ref = await agent.ask("carry the boxes up", { requires: ["carry"] });
    await eventually(async () => expect(space.messages).toHaveLength(1));
    const other = await agent.ask("carry the bins out", { requires: ["carry"] });
    await eventually(async () => expect(space.messages).toHaveLength(2));

    await ben.claim(ref);
    await agent.tell(ref, { cancel: { reason: "done already" } });
    await eventually(async () => expect(space.messages).toHaveLength(3));

    const [first, second, end] = space.messages;
    expect(end?.text).toContain("done already");
    expect(end?.thread).toBe(first?.thread);
    expect(second?.thread).not.toBe(first?.thread);
    expect(other).not.toBe(ref);
  });

  it("waits as long as Chat says, and is sent once", async () => {
    const { agent, space, later, notes } = await chatHome();
    space.fail({ status: 429, wait: 90 });
    const ref = await agent.ask("carry the boxes up", { requires: ["carry"] });
    await eventually(async () => expect(await notes(ref)).toContain("429"));

    await later(ref, 60_000);
    expect(space.messages).toEqual([]);
    await later(ref, 31_000);

    await eventually(async () => expect(space.messages).toHaveLength(1));
  });
});
