/** Tests conversations that are specific to Slack; `chats.test.ts` tests what all chats have in common. */
import { afterEach, describe, expect, it, vi } from "vitest";
import { waitUntil } from "../../support.ts";
import { readRefusal } from "../../../support/answers.ts";
import { ANN, buildPhoto, createSlackHousehold } from "./slack-household.ts";

afterEach(() => vi.unstubAllGlobals());

describe("conversations in Slack", () => {
  it("an answer in Slack becomes a proposal if the request must be confirmed first", async () => {
    const { agent, workspace, askLook, readStatus, write } = await createSlackHousehold();
    const { ref, message } = await askLook("clean up the garage", { confirm_before: true });

    expect(message.shown).not.toContain("[completed]");
    await write({ to: message, text: "done" });
    await waitUntil(async () =>
      expect(workspace.toldOnly(ANN)).toEqual([readRefusal("confirmation_required")]),
    );
    await write({ to: message, text: "I would throw the boxes out" });
    expect(await readStatus(ref)).toBe("needs_confirmation");
    await write({ to: message, text: "and the old paint", files: [buildPhoto("paint.png")] });
    await agent.appendBlocks(ref, { reply: { confirm: true, reason: "they are all empty" } });
    await waitUntil(async () => {
      const below = workspace.messages.filter(({ thread_ts, only }) => thread_ts && !only);
      expect(below.at(-1)?.shown.join("\n")).toContain("they are all empty");
    });
    await write({ to: message, text: "done" });

    expect(await readStatus(ref)).toBe("completed");
  });

  it("a member who declines in Slack leaves the request open to others", async () => {
    const { workspace, configureBoth, askLook, readThread } = await createSlackHousehold();
    await configureBoth();
    const { ref, message } = await askLook("look for the keys");

    await workspace.act.tap(message, "declined", { user: ANN });

    const { envelope } = await readThread(ref);
    expect(envelope.executor).toBeNull();
    expect(envelope.history).toContainEqual(
      expect.objectContaining({ action: "declined", by: "ann" }),
    );
  });

  it("a text in Slack that replies to no message is applied to the last request, and emoji codes are reply keywords", async () => {
    const { askLook, write, readStatus } = await createSlackHousehold();
    const older = await askLook("look for the keys");
    const newer = await askLook("look at the meter");

    await write({ text: ":+1::skin-tone-3:" });
    await write({ to: older.message, text: "1" });

    expect(await readStatus(newer.ref)).toBe("claimed");
    expect(await readStatus(older.ref)).toBe("claimed");
  });

  it("a reply to a Slack message that is not stored yet is requested again, and never applied to another request", async () => {
    const { workspace, askLook, listMessagesIn, write } = await createSlackHousehold();
    const { ref, message } = await askLook("look for the keys");
    const buildTargetAt = (seconds: number) => ({
      channel: message.channel,
      ts: `${Math.floor(Date.now() / 1_000) - seconds}.000001`,
    });

    const early = await write({ to: buildTargetAt(2), text: "here they are" });
    const old = await write({ to: buildTargetAt(3_600), text: "here they are" });

    expect([early.status, old.status]).toEqual([500, 200]);
    await waitUntil(async () =>
      expect(workspace.toldOnly(ANN)).toEqual([readRefusal("not_found")]),
    );
    expect(await listMessagesIn(ref)).toEqual([]);
  });
});

describe("events in Slack that belong to no request", () => {
  it("an unknown person in Slack gets the same neutral reply to texts and taps, and changes nothing", async () => {
    const { owner, workspace, askLook, write, readStatus } = await createSlackHousehold();
    const { ref, message } = await askLook("look for the keys");

    await write({ user: "U04EVIL", text: "done" });
    const tap = await workspace.act.tap(message, "claimed", { user: "U04EVIL" });

    expect(tap.status).toBe(200);
    const words = readRefusal("unknown_executor");
    await waitUntil(async () => expect(workspace.toldOnly("U04EVIL")).toEqual([words, words]));
    expect(await readStatus(ref)).toBe("pending");
    expect(JSON.stringify(await owner.read("/api/v1/events"))).not.toContain("EVIL");
  });

  it("the bot's own messages, edits, joins and unknown events in Slack are ignored", async () => {
    const { workspace, askLook, listMessagesIn } = await createSlackHousehold();
    const { ref, message } = await askLook("look for the keys");
    const channel = message.channel;
    const base = { type: "message", channel, channel_type: "im", ts: "1.1", text: "done" };

    const responses = [
      await workspace.act.event({ ...base, user: workspace.bot, bot_id: "B1" }),
      await workspace.act.event({ ...base, user: workspace.bot }),
      await workspace.act.event({ ...base, subtype: "bot_message", bot_id: "B1" }),
      await workspace.act.event({ ...base, subtype: "message_changed", message: base, user: ANN }),
      await workspace.act.event({ ...base, subtype: "channel_join", user: ANN }),
      await workspace.act.event({ type: "reaction_added", user: ANN }),
      await workspace.act.event({}),
    ];

    expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200));
    expect(await listMessagesIn(ref)).toEqual([]);
  });

  it("a button in Slack that names another household changes nothing", async () => {
    const { workspace, askLook, readStatus } = await createSlackHousehold();
    const { ref, message } = await askLook("look for the keys");
    const moved = structuredClone(message);
    const text = JSON.stringify(moved.blocks).replaceAll(
      /"value":"[^/]+\//g,
      '"value":"elsewhere/',
    );

    const response = await workspace.act.tap({ ...moved, blocks: JSON.parse(text) }, "claimed", {
      user: ANN,
    });

    expect(response.status).toBe(200);
    expect(await readStatus(ref)).toBe("pending");
  });
});
