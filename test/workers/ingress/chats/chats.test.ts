/** Tests conversations in chats with buttons, which work alike in Slack and in Telegram. */
import { afterEach, describe, expect, it, vi } from "vitest";
import { PNG } from "../../../support/media/png.ts";
import { LIMITS } from "../../../../src/mess/limits.ts";
import { waitUntil, expectOkJson } from "../../support.ts";
import { getEndedText, readRefusal, buildSpoken } from "../../../support/answers.ts";
import { type Chat, CHATS, type Posted } from "./chats.ts";

afterEach(() => vi.unstubAllGlobals());

const KINDS = Object.keys(CHATS) as (keyof typeof CHATS)[];

/** Resolves with the first message as soon as there is one. */
const waitForFirst = (find: () => readonly Posted[]): Promise<Posted> =>
  waitUntil(async () => {
    const [found] = find();
    expect(found).toBeDefined();
    return found!;
  });

/** Configures the shared room as a member with the capability shop, and offers it a thread. */
async function inRoom({ owner, agent, room }: Chat, channel: string) {
  const family = { id: "family", capabilities: ["shop"], notify: { [channel]: room.address } };
  await expectOkJson(await owner.postBlocks({ config: { executor: family } }));
  const ref = await agent.createThread("buy milk", { requires: ["shop"] });
  return { ref, message: await waitForFirst(room.posted) };
}

describe.each(KINDS)("%s", (channel) => {
  const begin = () => CHATS[channel]();

  it("a member takes a request by a button in a chat, answers with a photo, and completes it", async () => {
    const { agent, askLook, readThread, told, signs } = await begin();
    const { ref, message } = await askLook("check what is in the fridge");
    expect(message.actions()).toEqual(["respond", "claimed", "completed", "declined"]);
    expect(message.text()).not.toContain("Ann");

    expect((await message.tap("claimed")).status).toBe(200);
    await waitUntil(async () => expect(message.text()).toContain("Ann"));
    expect(message.actions()).toEqual(["respond", "completed", "declined"]);
    await message.write("two eggs & <no> milk", { photo: true });
    await waitUntil(async () => expect(signs()).toBe(1));
    await message.tap("completed");

    const { envelope, messages, attachments } = await readThread(ref);
    expect(envelope).toMatchObject({ status: "completed", executor: "ann" });
    expect(JSON.stringify(messages)).toContain("two eggs & <no> milk");
    expect(attachments).toHaveLength(1);
    const served = await agent.fetch(attachments[0].url);
    expect(new Uint8Array(await served.arrayBuffer())).toEqual(PNG);
    await waitUntil(async () => expect(message.actions()).not.toContain("completed"));
    expect(told("ann")).toEqual([]);
  });

  it("a question in a chat is forwarded to the requestor, and the answer arrives as a reply to the request", async () => {
    const { agent, askLook, readThread } = await begin();
    const { ref, message } = await askLook("vacuum the rice");

    await message.write("Which area?");
    const { envelope, messages } = await readThread(ref);
    expect(envelope.status).toBe("needs_input");
    expect(JSON.stringify(messages)).toContain("Which area?");
    await agent.appendBlocks(ref, { reply: { answers: { q1: "kitchen" } } });

    const news = await waitForFirst(message.below);
    expect(news.text()).toContain("kitchen");
  });

  it("every candidate sees in the chat who has taken the request, and a second claim is refused with that name", async () => {
    const { configureBoth, askLook, sentTo, readStatus, told } = await begin();
    await configureBoth();
    const { ref, message } = await askLook("look for the keys");
    const bens = await waitForFirst(() => sentTo("ben"));
    const stale = bens.stale();

    await message.tap("claimed");
    await waitUntil(async () => expect(bens.text()).toContain("Ann"));
    expect(bens.actions()).not.toContain("claimed");
    const late = await stale.tap("claimed", "ben");

    expect(late.status).toBe(200);
    const words = readRefusal("already_claimed", { holder: "Ann" });
    expect(words).toContain("Ann");
    await waitUntil(async () => expect(told("ben")).toEqual([words]));
    expect(await readStatus(ref)).toBe("claimed");
  });

  it("a tap in a chat after the end of the request is refused with the reason of the end", async () => {
    const { agent, askLook, readStatus, listMessagesIn, told } = await begin();
    const { ref, message } = await askLook("look for the keys");
    const stale = message.stale();
    await agent.appendBlocks(ref, { cancel: {} });

    await stale.tap("claimed");

    await waitUntil(async () => expect(told("ann")).toEqual([getEndedText("cancelled")]));
    expect(await readStatus(ref)).toBe("cancelled");
    expect(await listMessagesIn(ref)).toEqual([]);
  });

  it("an empty message in a chat is refused, and not stored", async () => {
    const { askLook, listMessagesIn, told } = await begin();
    const { ref, message } = await askLook("look for the keys");

    await message.write("  ");

    await waitUntil(async () => expect(told("ann")).toEqual([readRefusal("empty_message")]));
    expect(await listMessagesIn(ref)).toEqual([]);
  });

  it("a message in a chat that is too long is refused, and not stored", async () => {
    const { askLook, listMessagesIn, told } = await begin();
    const { ref, message } = await askLook("look for the keys");

    await message.write("x".repeat(LIMITS.freeTextChars + 1));

    await waitUntil(async () => expect(told("ann")).toEqual([readRefusal("too_large")]));
    expect(await listMessagesIn(ref)).toEqual([]);
  });

  it("a text in a chat that replies to no message gets a receipt that names the request it was applied to", async () => {
    const { owner, askLook, readStatus, told, write } = await begin();
    const older = await askLook("look for the keys");
    await older.message.tap("claimed");
    await waitUntil(async () => {
      const { events } = await owner.read("/api/v1/events");
      expect(events).toContainEqual(expect.objectContaining({ ref: older.ref, status: "claimed" }));
    });
    const newer = await askLook("look at the meter");

    await write("done");

    expect(await readStatus(older.ref)).toBe("completed");
    expect(await readStatus(newer.ref)).toBe("pending");
    const words = buildSpoken("done", "look for the keys", {
      status: "completed",
      holdsThread: true,
    });
    await waitUntil(async () => expect(told("ann")).toEqual([words]));
  });

  it("in a shared room of a chat only replies to a message of the exchange are processed", async () => {
    const chat = await begin();
    const { ref, message } = await inRoom(chat, channel);

    await chat.room.write("who ate my lunch", "ben");
    await chat.room.write("done", "ben");
    expect(await chat.readStatus(ref)).toBe("pending");
    await message.write("ok", { who: "ben" });

    expect(await chat.readStatus(ref)).toBe("claimed");
    await waitUntil(async () => expect(message.actions()).toContain("completed"));
  });

  it("a message in a chat with a file that cannot be fetched yet is stored once when it is repeated", async () => {
    const { askLook, listMessagesIn, readThread, fail } = await begin();
    const { ref, message } = await askLook("look for the keys");
    fail(503);

    const once = await message.write("see", { photo: true, event: 7 });
    expect(once.status).toBe(500);
    expect(await listMessagesIn(ref)).toEqual([]);
    const again = await message.write("see", { photo: true, event: 7, retry: 1 });

    expect(again.status).toBe(200);
    expect(await listMessagesIn(ref)).toEqual(["response"]);
    expect((await readThread(ref)).attachments).toHaveLength(1);
  });
});
