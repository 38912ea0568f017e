/** What owners do where they are alerted: take what nobody has, call it off, answer, or say something. */
import { afterEach, describe, expect, it, vi } from "vitest";
import type { SlackMessage } from "../../support/slack-workspace.ts";
import { spokenIn, twilio } from "../../support/twilio.ts";
import { type Caller, eventually, expectOk, freshHousehold, ORIGIN, send } from "../support.ts";
import { answerTo } from "../../support/mail.ts";
import { deliver, mailHome } from "./mail-home.ts";
import { reachOutside } from "./outside.ts";
import { ANN, BEN, slackHome } from "./slack-home.ts";
import { BEN as BENS_CHAT, telegramHome } from "./telegram-home.ts";

const PHONE = "+15005550111";
const ANNS_PHONE = "+15005550112";

afterEach(() => vi.unstubAllGlobals());

const alertsTo = async (owner: Caller, alerts: object) =>
  await expectOk(await owner.say({ config: { dispatch: { alerts } } }));

/** Nobody can mow, so the owners are told at once. */
const askForNobody = (agent: Caller) => agent.ask("mow the lawn", { requires: ["mow"] });

/** A household with phones: the owner's for alerts, and Ann's. */
async function smsHome() {
  const home = await freshHousehold();
  const phones = twilio({
    hook: `${ORIGIN}/hooks/twilio/${home.id}`,
    deliver: async (request) => await send(request.url.slice(ORIGIN.length), request),
  });
  reachOutside({ "https://api.twilio.com": phones.handle });
  const { api: _, ...sms } = phones.settings();
  await expectOk(
    await home.owner.say(
      { config: { dispatch: { sms, alerts: { sms: PHONE } } } },
      {
        config: {
          executor: {
            id: "ann",
            name: "Ann",
            capabilities: ["look"],
            notify: { sms: ANNS_PHONE },
          },
        },
      },
    ),
  );
  const toOwner = () => phones.messages.filter(({ to }) => to === PHONE);
  /** Resolves with what the owner was sent last, once the household knows of it. */
  const alert = (count = 1) =>
    eventually(async () => {
      expect(toOwner()).toHaveLength(count);
      return toOwner().at(-1)!.body;
    });
  const write = async (body: string): Promise<string | undefined> => {
    const answer = await phones.act.sms({ from: PHONE, body });
    return spokenIn(await answer.text());
  };
  const threadOf = (ref: string) => home.agent.read(`/mess/${ref}`);
  return { ...home, phones, alert, write, threadOf };
}

describe("an owner who is alerted by SMS", () => {
  it("takes what nobody has, hears what is said of it, and is done with it", async () => {
    const { owner, agent, alert, write, threadOf } = await smsHome();
    const ref = await askForNobody(agent);
    const told = await alert();
    expect(told).toMatch(/^MESS: Nobody can be asked: mow the lawn\n/);
    expect(told).toContain("Reply 1 to take it, CALL OFF to cancel it, or words to pass on.");

    expect(await write("1")).toBe(
      "Taken: mow the lawn. Send a photo or words as the answer, then DONE.",
    );
    await agent.tell(ref, { followup: { message: "not the roses" } });
    expect(await alert(2)).toContain("not the roses");
    expect(await write("all mown")).toBe("Passed on: mow the lawn. Thank you!");
    expect(await write("done")).toBe("Done: mow the lawn. Thank you!");

    const { envelope, messages } = await threadOf(ref);
    expect(envelope).toMatchObject({ status: "completed", executor: owner.actor });
    expect(messages.at(-1)).toMatchObject({ from: "exchange" });
  });

  it("calls it off", async () => {
    const { owner, agent, alert, write, threadOf } = await smsHome();
    const ref = await askForNobody(agent);
    await alert();

    expect(await write("Call it off!")).toBe("It is called off: mow the lawn.");

    const { envelope } = await threadOf(ref);
    expect(envelope.history.at(-1)).toMatchObject({ action: "cancelled", by: owner.actor });
  });

  it("says something, which takes nothing and answers nothing", async () => {
    const { owner, agent, alert, write, threadOf } = await smsHome();
    const ref = await askForNobody(agent);
    await alert();

    expect(await write("Is tomorrow early enough?")).toBe("Passed on: mow the lawn. Thank you!");

    const { envelope, messages } = await threadOf(ref);
    expect(envelope).toMatchObject({ status: "pending", executor: null });
    expect(messages.at(-2)).toMatchObject({
      from: owner.actor,
      channel: "sms",
      MESS: [{ followup: { message: "Is tomorrow early enough?" } }],
    });
  });

  it("learns what is open to it where what it wants is not", async () => {
    const { agent, phones, alert, write, threadOf } = await smsHome();
    const ref = await agent.ask("look for the keys", { requires: ["look"] });
    await eventually(async () => expect(phones.messages).toHaveLength(1));
    await phones.act.receipt(phones.messages[0]!, "undelivered", { code: 30_005 });
    const told = await alert();
    expect(told).toContain("Ann cannot be reached by sms");
    expect(told).not.toContain("to take it");

    expect(await write("1")).toBe(
      "That is not open to you now. You may send words to be passed on or CALL OFF to cancel it.",
    );

    expect((await threadOf(ref)).envelope).toMatchObject({ status: "pending", executor: null });
  });

  it("speaks as one about nothing that it was not alerted to", async () => {
    const { agent, alert, write, threadOf } = await smsHome();
    const other = await agent.ask("look for the keys", { requires: ["look"] });

    expect(await write("call off")).toBe("No task is open for you at the moment.");
    const ref = await askForNobody(agent);
    await alert();
    await write("call off");

    expect((await threadOf(other)).envelope.status).toBe("pending");
    expect((await threadOf(ref)).envelope.status).toBe("cancelled");
  });
});

describe("who asked, and has a phone too", () => {
  it("answers by SMS what is asked back, and calls it off", async () => {
    const { owner, agent, ann, phones, threadOf } = await smsHome();
    const phone = "+15005550113";
    await expectOk(
      await owner.say({ config: { executor: { id: agent.actor, notify: { sms: phone } } } }),
    );
    const ref = await agent.ask("look for the keys", { requires: ["look"] });
    await ann.tell(ref, {
      status: { code: "needs_input", questions: [{ id: "which", question: "Which keys?" }] },
    });
    await eventually(async () => {
      const asked = phones.messages.find(({ to }) => to === phone);
      expect(asked?.body).toContain("Which keys?");
      expect(asked?.body).toContain("Reply with the answer.");
    });
    const write = async (body: string) =>
      spokenIn(await (await phones.act.sms({ from: phone, body })).text());

    expect(await write("those of the car")).toBe("Passed on: look for the keys. Thank you!");
    expect(await write("call off")).toBe("It is called off: look for the keys.");

    const { envelope, messages } = await threadOf(ref);
    expect(envelope.history.at(-1)).toMatchObject({ action: "cancelled", by: agent.actor });
    expect(messages).toContainEqual(
      expect.objectContaining({
        from: agent.actor,
        channel: "sms",
        MESS: [{ reply: { answers: "those of the car" } }],
      }),
    );
  });
});

describe("an owner who is alerted in Slack", () => {
  const ROOM = "C04HOME";
  const OWNER = "U04OLGA";

  /** Alerts go to a channel that the household shares. */
  async function roomHome() {
    const home = await slackHome();
    const { owner, agent, workspace } = home;
    await alertsTo(owner, { slack: ROOM });
    await expectOk(
      await owner.say({ config: { executor: { id: owner.actor, notify: { slack: OWNER } } } }),
    );
    const ref = await askForNobody(agent);
    const alert = await eventually(async (): Promise<SlackMessage> => {
      const found = workspace.messages.find(({ channel }) => channel === ROOM);
      expect(found).toBeDefined();
      return found!;
    });
    return { ...home, ref, alert };
  }

  it("taps there to take it", async () => {
    const { owner, workspace, ref, alert, threadOf } = await roomHome();
    expect(alert.shown.join("\n")).toContain("mow the lawn");
    expect(alert.shown).toEqual(expect.arrayContaining(["[Respond]", "[Claim]", "[Call off]"]));

    await workspace.act.tap(alert, "claimed", { user: OWNER });

    expect((await threadOf(ref)).envelope).toMatchObject({
      status: "claimed",
      executor: owner.actor,
    });
    const [first] = alert.shown;
    await eventually(async () =>
      expect(alert.shown).toEqual(
        expect.arrayContaining(["You have it.", "[Done]", "[Hand back]"]),
      ),
    );
    await workspace.act.tap(alert, "completed", { user: OWNER });
    await eventually(async () => expect(alert.shown).toContain("Completed."));
    expect(alert.shown[0]).toBe(first);
    expect(alert.shown.filter((text) => text.startsWith("["))).toEqual(["[Respond]"]);
  });

  it("is not spoken for by others in the channel", async () => {
    const { workspace, ref, alert, write, threadOf } = await roomHome();

    await workspace.act.tap(alert, "cancel", { user: BEN });
    await write({ user: ANN, to: alert, text: "call off" });

    await eventually(async () =>
      expect(workspace.messages.filter(({ only }) => only).map(({ text }) => text)).toEqual([
        "This request is not open to you.",
        "This request is not open to you.",
      ]),
    );
    expect((await threadOf(ref)).envelope.status).toBe("pending");
  });

  it("writes there to call it off", async () => {
    const { ref, alert, write, threadOf } = await roomHome();

    await write({ user: OWNER, to: alert, text: "call off" });

    expect((await threadOf(ref)).envelope.status).toBe("cancelled");
  });
});

describe("an owner who is alerted in Telegram", () => {
  it("taps there to call it off, once", async () => {
    const { owner, agent, server, threadOf, labels } = await telegramHome();
    await alertsTo(owner, { telegram: BENS_CHAT });
    const ref = await askForNobody(agent);
    const alert = await eventually(async () => {
      expect(server.inChat(BENS_CHAT)).toHaveLength(1);
      return server.inChat(BENS_CHAT)[0]!;
    });
    expect(labels(alert)).toEqual(["Respond", "Claim", "Call off"]);

    await server.act.tap(alert, "Call off", { update: 7 });
    await server.act.tap(alert, "Call off", { update: 7, data: `x:${ref}` });

    expect(server.answers).toEqual([expect.objectContaining({ text: "It is called off." })]);
    const { envelope, messages } = await threadOf(ref);
    expect(envelope.status).toBe("cancelled");
    expect(messages.filter(({ from }: { from: string }) => from === owner.actor)).toHaveLength(1);
  });
});

describe("an owner who is alerted by email", () => {
  const OWNER = "olga@example.com";

  it("answers the mail to take it, from that address alone", async () => {
    const { owner, agent, office, threadOf } = await mailHome();
    await alertsTo(owner, { email: OWNER });
    const ref = await askForNobody(agent);
    const mail = await eventually(async () => {
      const found = office.messages.find(({ to }) => to === OWNER);
      expect(found).toBeDefined();
      return found!;
    });
    expect(mail.text).toContain("Reply 1 to take it, CALL OFF to cancel it, or words to pass on.");

    expect(await deliver(answerTo(mail, { text: "1", from: "eve@example.com" }))).toMatch(/^5\.7/);
    expect(await deliver(answerTo(mail, { text: "1" }))).toBeUndefined();

    expect((await threadOf(ref)).envelope).toMatchObject({
      status: "claimed",
      executor: owner.actor,
    });
  });
});

describe("what awaits those who asked", () => {
  it("is answered by an owner who was alerted", async () => {
    const { owner, agent, member, server, threadOf } = await telegramHome();
    await alertsTo(owner, { telegram: BENS_CHAT });
    const ref = await askForNobody(agent);
    const alert = await eventually(async () => {
      expect(server.inChat(BENS_CHAT)).toHaveLength(1);
      return server.inChat(BENS_CHAT)[0]!;
    });
    const otto = await member("otto", "owner");
    const questions = [{ id: "how", question: "How short?" }];
    await otto.tell(ref, { status: { code: "needs_input", questions } });

    await server.act.write({ chat: BENS_CHAT, to: alert, text: "Yes, very" });

    await eventually(async () => {
      const { messages } = await threadOf(ref);
      expect(messages.at(-2)).toMatchObject({
        from: owner.actor,
        MESS: [{ reply: { answers: "Yes, very" } }],
      });
    });
  });
});
