import { describe, expect, it } from "vitest";
import { slack as channel } from "../../../src/channels/slack/send.ts";
import { expectNaming } from "../../support/naming.ts";
import { createSlack } from "../../support/channels/slack.ts";
import { INTENT, buildNotice, createSenderTo } from "./channel-support.ts";

const createWorkspace = (channels: string[] = []) => {
  const server = createSlack({ channels });
  return { server, sender: createSenderTo(server.handle, server.settings()) };
};

const HELD_BY_SENDER = { status: "claimed", holder: "Ann", isHolder: true } as const;

describe("a message in Slack", () => {
  it("an offer in Slack shows the request, its context, deadline and requestor, and buttons for the allowed actions", async () => {
    const { server, sender } = createWorkspace();

    const sent = await channel.send(
      sender,
      "U04ANN",
      buildNotice({
        context: ["we shop at six"],
        expires: "2031-04-05T17:00:00+02:00",
        actions: ["claimed", "declined", "completed", "response"],
      }),
    );

    const [message] = server.messages;
    expect(sent).toEqual({ ok: true, handle: `D04ANN:${message?.ts}` });
    expect(message?.shown).toEqual([
      expectNaming(INTENT),
      "we shop at six",
      expectNaming("2031-04-05 17:00"),
      expectNaming("scout"),
      "[respond]",
      "[claimed]",
      "[completed]",
      "[declined]",
    ]);
    expect(JSON.stringify(message?.blocks)).toContain('"value":"smith/2031-04-05-006"');
  });

  it("an edit in Slack names the holder, and keeps buttons for the holder only", async () => {
    const { server, sender } = createWorkspace();
    await channel.send(sender, "U04ANN", buildNotice());
    await channel.send(sender, "U04BEN", buildNotice());
    const [anns, bens] = server.messages;
    const update = { kind: "update", editsKind: "offer", eventText: "claimed by Ann" } as const;

    const edited = await channel.update?.(
      sender,
      "U04BEN",
      `D04BEN:${bens?.ts}`,
      buildNotice({ ...update, ...HELD_BY_SENDER, isHolder: false }),
    );
    await channel.update?.(
      sender,
      "U04ANN",
      `D04ANN:${anns?.ts}`,
      buildNotice({
        ...update,
        ...HELD_BY_SENDER,
        actions: ["completed", "declined", "claimed", "response"],
      }),
    );

    expect(edited).toEqual({ ok: true, handle: `D04BEN:${bens?.ts}` });
    expect(bens?.shown).toEqual([
      expectNaming(INTENT),
      expectNaming("Ann"),
      expectNaming("scout"),
      "[respond]",
    ]);
    expect(anns?.shown.slice(-3)).toEqual(["[respond]", "[completed]", "[declined]"]);
    expect(server.messages).toHaveLength(2);
  });

  it("an edit in Slack without news names the holder", async () => {
    const { server, sender } = createWorkspace();
    await channel.send(sender, "U04BEN", buildNotice());
    const [message] = server.messages;

    await channel.update?.(
      sender,
      "U04BEN",
      `D04BEN:${message?.ts}`,
      buildNotice({ kind: "update", editsKind: "offer", ...HELD_BY_SENDER, isHolder: false }),
    );

    expect(message?.shown).toContainEqual(expectNaming("Ann"));
  });

  it("news in Slack is posted in the Slack thread of the request, and is never edited", async () => {
    const { server, sender } = createWorkspace();
    await channel.send(sender, "U04ANN", buildNotice());
    const below = `D04ANN:${server.messages[0]?.ts}`;
    const news = buildNotice({
      ...HELD_BY_SENDER,
      kind: "news",
      eventText: "the answer: kitchen",
      threadHandle: below,
    });

    const sent = await channel.send(sender, "U04ANN", news);
    await channel.update?.(
      sender,
      "U04ANN",
      sent.ok ? sent.handle! : "",
      buildNotice({
        ...HELD_BY_SENDER,
        kind: "update",
        editsKind: "news",
        eventText: "in progress",
      }),
    );

    const [first, second] = server.messages;
    expect(second?.thread_ts).toBe(first?.ts);
    expect(second?.shown[0]).toEqual(expectNaming("kitchen"));
    expect(second?.versions).toHaveLength(1);
  });

  it("text of an agent cannot mention members or format the message in Slack", async () => {
    const { server, sender } = createWorkspace();
    const intent = "<!channel> <@U04BEN> *now* :bomb: <https://evil.test|bank> & `rm`";

    await channel.send(sender, "U04ANN", buildNotice({ intent, context: ["<!here> a < b"] }));

    const [message] = server.messages;
    expect(message?.shown.slice(0, 2)).toEqual([intent, "<!here> a < b"]);
    expect(message?.text).toContain("&lt;!channel&gt;");
  });

  it("an offer is sent to a Slack channel that the bot is in", async () => {
    const { server, sender } = createWorkspace(["C04HOME"]);

    const sent = await channel.send(sender, "C04HOME", buildNotice());

    expect(sent).toEqual({ ok: true, handle: `C04HOME:${server.messages[0]?.ts}` });
  });
});

describe("refusals of Slack", () => {
  it.each(["token_revoked", "account_inactive"] as const)(
    "a Slack bot that was removed fails permanently: %s",
    async (how) => {
      const { server, sender } = createWorkspace();
      server.act.revoke(how);

      expect(await channel.send(sender, "U04ANN", buildNotice())).toEqual({
        ok: false,
        reason: expectNaming(how),
        isPermanent: true,
      });
    },
  );

  it("a wrong token, an unknown person, and an unknown or archived channel in Slack fail permanently", async () => {
    const { server, sender } = createWorkspace(["C04HOME"]);
    const wrong = createSenderTo(server.handle, { ...server.settings(), bot_token: "xoxb-other" });
    server.act.archive("C04HOME");
    server.act.leave("U04GONE");

    const reasons = [
      await channel.send(wrong, "U04ANN", buildNotice()),
      await channel.send(sender, "U04GONE", buildNotice()),
      await channel.send(sender, "C04OTHER", buildNotice()),
      await channel.send(sender, "C04HOME", buildNotice()),
    ];

    expect(reasons.map((sent) => !sent.ok && sent.isPermanent)).toEqual([true, true, true, true]);
    expect(reasons.map((sent) => !sent.ok && sent.reason)).toEqual([
      expectNaming("invalid_auth"),
      expectNaming("user_not_found"),
      expectNaming("channel_not_found"),
      expectNaming("is_archived"),
    ]);
  });
});

describe("Slack with a bot token alone", () => {
  it("an offer has a link in place of buttons, whose taps nobody could verify", async () => {
    const { server } = createWorkspace();
    const { signing_secret: _secret, ...settings } = server.settings();
    const sender = createSenderTo(server.handle, settings);

    const sent = await channel.send(sender, "U04ANN", buildNotice());

    expect(sent).toMatchObject({ ok: true });
    const blocks = JSON.stringify(server.messages[0]?.blocks);
    expect(blocks).not.toContain('"button"');
    expect(blocks).toContain("|Respond>");
  });
});
