/** What people do in Slack, and what becomes of it. */
import { afterEach, describe, expect, it, vi } from "vitest";
import { PNG } from "../../support/png.ts";
import { eventually, expectOk } from "../support.ts";
import { ANN, BEN, photo, slackHome } from "./slack-home.ts";

afterEach(() => vi.unstubAllGlobals());

describe("a conversation in Slack", () => {
  it("goes from the button over a photo in the thread to the end", async () => {
    const { agent, workspace, askLook, threadOf, write } = await slackHome();
    const { ref, message } = await askLook("check what is in the fridge");
    expect(message.shown).toContain("[Claim]");

    expect((await workspace.act.tap(message, "claimed", { user: ANN })).status).toBe(200);
    await eventually(async () => expect(message.shown).toContain("Claimed by Ann"));
    expect(message.shown).toContain("[Done]");
    await write({ to: message, text: "two eggs & <no> milk", files: [photo()] });
    await eventually(async () => expect([...workspace.reactions.values()]).toEqual(["thumbsup"]));
    await workspace.act.tap(message, "completed", { user: ANN });

    const { envelope, messages, attachments } = await threadOf(ref);
    expect(envelope).toMatchObject({ status: "completed", executor: "ann" });
    expect(JSON.stringify(messages)).toContain("two eggs & <no> milk");
    expect(attachments).toHaveLength(1);
    const served = await agent.fetch(attachments[0].url);
    expect(new Uint8Array(await served.arrayBuffer())).toEqual(PNG);
    await eventually(async () => expect(message.shown).not.toContain("[Done]"));
    expect(workspace.toldOnly(ANN)).toEqual([]);
  });

  it("asks back, and hears the answer in the thread of the message", async () => {
    const { agent, workspace, askLook, threadOf, write } = await slackHome();
    const { ref, message } = await askLook("vacuum the rice");

    await write({ to: message, text: "Which area?" });
    const { envelope, messages } = await threadOf(ref);
    expect(envelope.status).toBe("needs_input");
    expect(JSON.stringify(messages)).toContain("Which area?");
    await agent.tell(ref, { reply: { answers: { q1: "kitchen" } } });

    const news = await eventually(async () => {
      const found = workspace.messages.find(({ thread_ts }) => thread_ts === message.ts);
      expect(found).toBeDefined();
      return found!;
    });
    expect(news.shown.join("\n")).toContain("kitchen");
  });

  it("puts what would be done to be confirmed, where the request wants that", async () => {
    const { agent, workspace, askLook, statusOf, write } = await slackHome();
    const { ref, message } = await askLook("clean up the garage", { confirm_before: true });

    expect(message.shown).not.toContain("[Done]");
    await write({ to: message, text: "done" });
    await eventually(async () =>
      expect(workspace.toldOnly(ANN)[0]).toMatch(/^This must be confirmed first/),
    );
    await write({ to: message, text: "I would throw the boxes out" });
    expect(await statusOf(ref)).toBe("needs_confirmation");
    await write({ to: message, text: "and the old paint", files: [photo("paint.png")] });
    await agent.tell(ref, { reply: { confirm: true } });
    await eventually(async () => {
      const below = workspace.messages.filter(({ thread_ts, only }) => thread_ts && !only);
      expect(below.at(-1)?.shown.join("\n")).toMatch(/confirmed/i);
    });
    await write({ to: message, text: "done" });

    expect(await statusOf(ref)).toBe("completed");
  });

  it("tells all who were asked who has it, and the second one who is first", async () => {
    const { workspace, both, askLook, sentTo, statusOf } = await slackHome();
    await both();
    const { ref, message } = await askLook("look for the keys");
    const bens = await eventually(async () => {
      expect(sentTo(BEN)).toHaveLength(1);
      return sentTo(BEN)[0]!;
    });
    const stale = { ...bens, blocks: structuredClone(bens.blocks) };

    await workspace.act.tap(message, "claimed", { user: ANN });
    await eventually(async () => expect(bens.shown).toContain("Claimed by Ann"));
    expect(bens.shown).not.toContain("[Claim]");
    const late = await workspace.act.tap(stale, "claimed", { user: BEN });

    expect(late.status).toBe(200);
    await eventually(async () => expect(workspace.toldOnly(BEN)).toEqual(["Ann has it already."]));
    expect(await statusOf(ref)).toBe("claimed");
  });

  it("declines for one, and leaves it open for the other", async () => {
    const { workspace, both, askLook, threadOf } = await slackHome();
    await both();
    const { ref, message } = await askLook("look for the keys");

    await workspace.act.tap(message, "declined", { user: ANN });

    const { envelope } = await threadOf(ref);
    expect(envelope.executor).toBeNull();
    expect(envelope.history).toContainEqual(
      expect.objectContaining({ action: "declined", by: "ann" }),
    );
  });

  it("means the last request where nothing in particular is answered, and signs are words", async () => {
    const { askLook, write, statusOf } = await slackHome();
    const older = await askLook("look for the keys");
    const newer = await askLook("look at the meter");

    await write({ text: ":+1::skin-tone-3:" });
    await write({ to: older.message, text: "1" });

    expect(await statusOf(newer.ref)).toBe("claimed");
    expect(await statusOf(older.ref)).toBe("claimed");
  });

  it("waits to learn which message is answered, and takes no other for it", async () => {
    const { workspace, askLook, saidIn, write } = await slackHome();
    const { ref, message } = await askLook("look for the keys");
    const at = (seconds: number) => ({
      channel: message.channel,
      ts: `${Math.floor(Date.now() / 1_000) - seconds}.000001`,
    });

    const early = await write({ to: at(2), text: "here they are" });
    const old = await write({ to: at(3_600), text: "here they are" });

    expect([early.status, old.status]).toEqual([500, 200]);
    await eventually(async () =>
      expect(workspace.toldOnly(ANN)).toEqual([
        "It is not clear which request you mean: answer to its message, or open its link.",
      ]),
    );
    expect(await saidIn(ref)).toEqual([]);
  });

  it("says which task it took words for that stand below none, where there are several", async () => {
    const { workspace, askLook, statusOf, write } = await slackHome();
    const older = await askLook("look for the keys");
    const newer = await askLook("look at the meter");

    await write({ text: "ok" });
    await write({ text: "no", to: older.message });

    expect(await statusOf(newer.ref)).toBe("claimed");
    await eventually(async () =>
      expect(workspace.toldOnly(ANN)).toEqual([
        expect.stringMatching(/^Taken: look at the meter\./),
      ]),
    );
  });

  it("hears in a channel only what stands below its messages", async () => {
    const { owner, workspace, agent, write, statusOf } = await slackHome();
    await expectOk(
      await owner.say({
        config: {
          executor: { id: "family", capabilities: ["shop"], notify: { slack: "C04HOME" } },
        },
      }),
    );
    const ref = await agent.ask("buy milk", { requires: ["shop"] });
    const message = await eventually(async () => {
      const found = workspace.messages.find(({ channel }) => channel === "C04HOME");
      expect(found).toBeDefined();
      return found!;
    });

    await write({ channel: "C04HOME", text: "who ate my lunch" });
    await write({ channel: "C04HOME", text: "done" });
    expect(await statusOf(ref)).toBe("pending");
    await write({ to: message, text: "ok", user: BEN });

    await eventually(async () => expect(message.shown).toContain("[Done]"));
    expect(await statusOf(ref)).toBe("claimed");
  });
});

describe("what is not for a thread", () => {
  it("of a stranger gets one neutral sentence, and goes no further", async () => {
    const { owner, workspace, askLook, write, statusOf } = await slackHome();
    const { ref, message } = await askLook("look for the keys");

    await write({ user: "U04EVIL", text: "done" });
    const tap = await workspace.act.tap(message, "claimed", { user: "U04EVIL" });

    expect(tap.status).toBe(200);
    await eventually(async () => expect(workspace.toldOnly("U04EVIL")).toHaveLength(2));
    expect(new Set(workspace.toldOnly("U04EVIL")).size).toBe(1);
    expect(await statusOf(ref)).toBe("pending");
    expect(JSON.stringify(await owner.read("/api/v1/events"))).not.toContain("EVIL");
  });

  it("is the bot's own, an edit, a join or an unknown event", async () => {
    const { workspace, askLook, saidIn } = await slackHome();
    const { ref, message } = await askLook("look for the keys");
    const channel = message.channel;
    const base = { type: "message", channel, channel_type: "im", ts: "1.1", text: "done" };

    const answers = [
      await workspace.act.event({ ...base, user: workspace.bot, bot_id: "B1" }),
      await workspace.act.event({ ...base, user: workspace.bot }),
      await workspace.act.event({ ...base, subtype: "bot_message", bot_id: "B1" }),
      await workspace.act.event({ ...base, subtype: "message_changed", message: base, user: ANN }),
      await workspace.act.event({ ...base, subtype: "channel_join", user: ANN }),
      await workspace.act.event({ type: "reaction_added", user: ANN }),
      await workspace.act.event({}),
    ];

    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(await saidIn(ref)).toEqual([]);
  });

  it("is empty, or comes after the end: the person is told", async () => {
    const { agent, workspace, askLook, write } = await slackHome();
    const { ref, message } = await askLook("look for the keys");
    const stale = { ...message, blocks: structuredClone(message.blocks) };
    await write({ to: message, text: "  " });
    await eventually(async () => expect(workspace.toldOnly(ANN)).toHaveLength(1));
    await agent.tell(ref, { cancel: {} });

    await workspace.act.tap(stale, "claimed", { user: ANN });

    await eventually(async () =>
      expect(workspace.toldOnly(ANN)[1]).toBe("It was called off: nothing more is needed."),
    );
  });

  it("has a button of another household", async () => {
    const { workspace, askLook, statusOf } = await slackHome();
    const { ref, message } = await askLook("look for the keys");
    const moved = structuredClone(message);
    const text = JSON.stringify(moved.blocks).replaceAll(
      /"value":"[^/]+\//g,
      '"value":"elsewhere/',
    );

    const answer = await workspace.act.tap({ ...moved, blocks: JSON.parse(text) }, "claimed", {
      user: ANN,
    });

    expect(answer.status).toBe(200);
    expect(await statusOf(ref)).toBe("pending");
  });
});

it("reaches nobody by a revoked bot, tells the owner, and the request stays", async () => {
  const { owner, workspace, agent, statusOf } = await slackHome();
  workspace.act.revoke();

  const ref = await agent.ask("look for the keys", { requires: ["look"] });

  await eventually(async () => {
    const { events } = await owner.read("/api/v1/events");
    expect(events).toContainEqual(expect.objectContaining({ action: "channel_gone", by: "ann" }));
  });
  expect(await statusOf(ref)).toBe("pending");
  expect(workspace.messages).toEqual([]);
});
