import { describe, expect, it } from "vitest";
import { slack as channel } from "../../../src/channels/slack/send.ts";
import { slack } from "../../support/slack.ts";
import { noticeOf, senderTo } from "./channel-support.ts";

const workspace = (channels: string[] = []) => {
  const server = slack({ channels });
  return { server, sender: senderTo(server.handle, server.settings()) };
};

const MINE = { status: "claimed", holder: "Ann", mine: true } as const;

describe("a message in Slack", () => {
  it("says what is asked, until when and by whom, with buttons for what may be done", async () => {
    const { server, sender } = workspace();

    const sent = await channel.send(
      sender,
      "U04ANN",
      noticeOf({
        context: ["we shop at six"],
        expires: "2031-04-05T17:00:00+02:00",
        actions: ["claimed", "declined", "completed", "response"],
      }),
    );

    const [message] = server.messages;
    expect(sent).toEqual({ ok: true, handle: `D04ANN:${message?.ts}` });
    expect(message?.shown).toEqual([
      "check what is in the fridge",
      "we shop at six",
      "Needed by 2031-04-05 17:00",
      "Asked by scout",
      "[Respond]",
      "[Claim]",
      "[Done]",
      "[Decline]",
    ]);
    expect(JSON.stringify(message?.blocks)).toContain('"value":"smith/2031-04-05-006"');
  });

  it("offers only what the thread would take", async () => {
    const { server, sender } = workspace();

    await channel.send(sender, "U04ANN", noticeOf({ actions: ["declined"] }));
    await channel.send(sender, "U04ANN", noticeOf({ actions: ["followup"] }));

    expect(server.messages[0]?.shown.slice(-2)).toEqual(["[Respond]", "[Decline]"]);
    expect(server.messages[1]?.shown.at(-1)).toBe("Asked by scout");
  });

  it("is edited: who took it is named and the buttons go, for who took it others come", async () => {
    const { server, sender } = workspace();
    await channel.send(sender, "U04ANN", noticeOf());
    await channel.send(sender, "U04BEN", noticeOf());
    const [anns, bens] = server.messages;
    const update = { kind: "update", edits: "offer", news: "claimed by Ann" } as const;

    const edited = await channel.update?.(
      sender,
      "U04BEN",
      `D04BEN:${bens?.ts}`,
      noticeOf({ ...update, ...MINE, mine: false }),
    );
    await channel.update?.(
      sender,
      "U04ANN",
      `D04ANN:${anns?.ts}`,
      noticeOf({ ...update, ...MINE, actions: ["completed", "declined", "claimed", "response"] }),
    );

    expect(edited).toEqual({ ok: true, handle: `D04BEN:${bens?.ts}` });
    expect(bens?.shown).toEqual([
      "check what is in the fridge",
      "Claimed by Ann",
      "Asked by scout",
      "[Respond]",
    ]);
    expect(anns?.shown.slice(-3)).toEqual(["[Respond]", "[Done]", "[Hand back]"]);
    expect(server.messages).toHaveLength(2);
  });

  it("names who has it also where it is not known what happened last", async () => {
    const { server, sender } = workspace();
    await channel.send(sender, "U04BEN", noticeOf());
    const [message] = server.messages;

    await channel.update?.(
      sender,
      "U04BEN",
      `D04BEN:${message?.ts}`,
      noticeOf({ kind: "update", edits: "offer", ...MINE, mine: false }),
    );

    expect(message?.shown).toContain("Claimed by Ann");
  });

  it("has its news in its thread, which stays as it was said", async () => {
    const { server, sender } = workspace();
    await channel.send(sender, "U04ANN", noticeOf());
    const below = `D04ANN:${server.messages[0]?.ts}`;
    const news = noticeOf({ ...MINE, kind: "news", news: "the answer: kitchen", below });

    const sent = await channel.send(sender, "U04ANN", news);
    await channel.update?.(
      sender,
      "U04ANN",
      sent.ok ? sent.handle! : "",
      noticeOf({ ...MINE, kind: "update", edits: "news", news: "in progress" }),
    );

    const [first, second] = server.messages;
    expect(second?.thread_ts).toBe(first?.ts);
    expect(second?.shown[0]).toBe("The answer: kitchen");
    expect(second?.versions).toHaveLength(1);
  });

  it("mentions nobody and formats nothing, whatever an agent wrote", async () => {
    const { server, sender } = workspace();
    const intent = "<!channel> <@U04BEN> *now* :bomb: <https://evil.test|bank> & `rm`";

    await channel.send(sender, "U04ANN", noticeOf({ intent, context: ["<!here> a < b"] }));

    const [message] = server.messages;
    expect(message?.shown.slice(0, 2)).toEqual([intent, "<!here> a < b"]);
    expect(message?.text).toContain("&lt;!channel&gt;");
  });

  it("holds the longest request that there may be", async () => {
    const { server, sender } = workspace();
    const context = Array.from({ length: 5 }, () => "&".repeat(4_000));

    const sent = await channel.send(
      sender,
      "U04ANN",
      noticeOf({ intent: "<".repeat(4_000), context }),
    );

    expect(sent.ok).toBe(true);
    expect(server.messages).toHaveLength(1);
  });

  it("goes to a channel that the bot is in", async () => {
    const { server, sender } = workspace(["C04HOME"]);

    const sent = await channel.send(sender, "C04HOME", noticeOf());

    expect(sent).toEqual({ ok: true, handle: `C04HOME:${server.messages[0]?.ts}` });
  });
});

describe("what Slack refuses", () => {
  it.each(["token_revoked", "account_inactive"] as const)("for good: %s", async (how) => {
    const { server, sender } = workspace();
    server.act.revoke(how);

    expect(await channel.send(sender, "U04ANN", noticeOf())).toEqual({
      ok: false,
      reason: `Slack refused it: ${how}`,
      gone: true,
    });
  });

  it("for good: a wrong token, an unknown person, an unknown or archived channel", async () => {
    const { server, sender } = workspace(["C04HOME"]);
    const wrong = senderTo(server.handle, { ...server.settings(), bot_token: "xoxb-other" });
    server.act.archive("C04HOME");
    server.act.leave("U04GONE");

    const reasons = [
      await channel.send(wrong, "U04ANN", noticeOf()),
      await channel.send(sender, "U04GONE", noticeOf()),
      await channel.send(sender, "C04OTHER", noticeOf()),
      await channel.send(sender, "C04HOME", noticeOf()),
    ];

    expect(reasons.map((sent) => !sent.ok && sent.gone)).toEqual([true, true, true, true]);
    expect(reasons.map((sent) => !sent.ok && sent.reason.split(": ")[1])).toEqual([
      "invalid_auth",
      "user_not_found",
      "channel_not_found",
      "is_archived",
    ]);
  });

  it("for a while: limits with their wait, faults and lost connections without", async () => {
    const { server, sender } = workspace();
    server.fail({ status: 429, wait: 42 }, { status: 503 }, "broken");

    const limited = await channel.send(sender, "U04ANN", noticeOf());
    const fault = await channel.send(sender, "U04ANN", noticeOf());
    const broken = await channel.send(sender, "U04ANN", noticeOf());

    expect(limited).toMatchObject({ ok: false, retry_after: 42 });
    for (const sent of [limited, fault, broken]) expect(sent).not.toHaveProperty("gone");
    expect(server.messages).toEqual([]);
    expect((await channel.send(sender, "U04ANN", noticeOf())).ok).toBe(true);
  });

  it("of an edit, where the message was deleted, is no failure", async () => {
    const { server, sender } = workspace();
    await channel.send(sender, "U04ANN", noticeOf());
    const [message] = server.messages;
    server.act.remove(message!);

    const edited = await channel.update?.(
      sender,
      "U04ANN",
      `D04ANN:${message?.ts}`,
      noticeOf({ kind: "update", edits: "offer" }),
    );

    expect(edited).toEqual({ ok: true });
  });

  it("never tells the token", async () => {
    const { server, sender } = workspace();
    server.act.revoke();
    server.outage({ status: 500 });

    const sent = await channel.send(sender, "U04ANN", noticeOf());

    expect(JSON.stringify(sent)).not.toContain("xoxb");
  });
});
