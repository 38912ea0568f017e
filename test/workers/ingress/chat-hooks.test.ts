import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createDiscord } from "../../support/discord.ts";
import { createGoogleChat } from "../../support/google-chat.ts";
import { waitUntil, expectOkJson, createFreshHousehold } from "../support.ts";
import { reachOutside } from "./local-services.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"] });
  vi.setSystemTime(new Date("2031-04-05T10:00:00Z"));
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

/** A household whose family reads along in Discord, and whose office does in Google Chat. */
async function createChatHome() {
  const home = await createFreshHousehold();
  const room = createDiscord();
  const space = createGoogleChat();
  reachOutside({
    "https://discord.com": room.handle,
    "https://chat.googleapis.com": space.handle,
  });
  const buildExecutor = (id: string, can: string, notify: object) => ({
    config: { executor: { id, capabilities: [can], notify } },
  });
  await expectOkJson(
    await home.owner.postBlocks(
      buildExecutor("ann", "look", { discord: room.address() }),
      buildExecutor("ben", "carry", { google_chat: space.address() }),
    ),
  );
  return { ...home, room, space };
}

describe("a task in Discord", () => {
  it("a request in Discord is one message, which is edited until it shows why it was cancelled", async () => {
    const { agent, ann, room } = await createChatHome();
    const ref = await agent.createThread("check what is in the fridge", { requires: ["look"] });
    await waitUntil(async () => expect(room.messages).toHaveLength(1));

    await ann.claim(ref);
    await waitUntil(async () => expect(room.messages[0]?.versions.length).toBeGreaterThan(1));
    await agent.appendBlocks(ref, { cancel: { reason: "found them" } });

    await waitUntil(async () => expect(room.messages[0]?.content).toContain("found them"));
    expect(room.messages[0]?.pinged).toEqual([]);
  });
});

describe("a task in Google Chat", () => {
  it("a request in Google Chat is a thread of its own, and why it was cancelled is said in that thread", async () => {
    const { agent, ben, space } = await createChatHome();
    const ref = await agent.createThread("carry the boxes up", { requires: ["carry"] });
    await waitUntil(async () => expect(space.messages).toHaveLength(1));
    const other = await agent.createThread("carry the bins out", { requires: ["carry"] });
    await waitUntil(async () => expect(space.messages).toHaveLength(2));

    await ben.claim(ref);
    await agent.appendBlocks(ref, { cancel: { reason: "done already" } });
    await waitUntil(async () => expect(space.messages).toHaveLength(3));

    const [first, second, end] = space.messages;
    expect(end?.text).toContain("done already");
    expect(end?.thread).toBe(first?.thread);
    expect(second?.thread).not.toBe(first?.thread);
    expect(other).not.toBe(ref);
  });
});
