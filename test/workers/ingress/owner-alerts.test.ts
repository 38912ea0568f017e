/** Tests replies of owners to alerts: they take, cancel or answer the request, or forward a message. */
import { afterEach, describe, expect, it, vi } from "vitest";
import type { SlackMessage } from "../../support/channels/slack-workspace.ts";
import { readTwimlMessage, createTwilio } from "../../support/channels/twilio.ts";
import {
  type Caller,
  waitUntil,
  expectOkJson,
  createFreshHousehold,
  ORIGIN,
  sendRequest,
} from "../support.ts";
import { buildReply } from "../../support/channels/mail.ts";
import { listOfferedAnswers, expectNaming } from "../../support/naming.ts";
import { NO_TASK_TEXT } from "../../../src/channels/sms/twiml.ts";
import { sendReceipt, readRefusal, buildSpoken } from "../../support/answers.ts";
import { deliverMail, createMailHousehold } from "./email/mail-household.ts";
import { reachOutside } from "./local-services.ts";
import { ANN, BEN, createSlackHousehold } from "./chats/slack-household.ts";
import { BEN as BENS_CHAT, createTelegramHousehold } from "./chats/telegram-household.ts";

const PHONE = "+15005550111";
const ANNS_PHONE = "+15005550112";

afterEach(() => vi.unstubAllGlobals());

const setAlerts = async (owner: Caller, alerts: object) =>
  await expectOkJson(await owner.postBlocks({ config: { dispatch: { alerts } } }));

const LAWN = "mow the lawn";

/** Creates a thread that no executor is capable of, so that the owners are alerted at once. */
const createUnclaimedRequest = (agent: Caller) => agent.createThread(LAWN, { requires: ["mow"] });

/** A test household with the phone of the owner, for alerts, and the phone of Ann. */
async function createSmsHome() {
  const home = await createFreshHousehold();
  const phones = createTwilio({
    hook: `${ORIGIN}/hooks/twilio/${home.id}`,
    deliver: async (request) => await sendRequest(request.url.slice(ORIGIN.length), request),
  });
  reachOutside({ "https://api.twilio.com": phones.handle });
  const { api: _, ...sms } = phones.settings();
  await expectOkJson(
    await home.owner.postBlocks(
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
  /** Resolves with the last SMS to the owner when this number of them was sent. */
  const alert = (count = 1) =>
    waitUntil(async () => {
      expect(toOwner()).toHaveLength(count);
      return toOwner().at(-1)!.body;
    });
  const write = async (body: string): Promise<string | undefined> => {
    const response = await phones.act.receiveSms({ from: PHONE, body });
    return readTwimlMessage(await response.text());
  };
  const readThread = (ref: string) => home.agent.read(`/mess/${ref}`);
  return { ...home, phones, alert, write, readThread };
}

/** The actions of a message's buttons in Slack. */
const listActions = ({ shown }: SlackMessage): string[] =>
  shown.filter((text) => /^\[\w+\]$/.test(text));

describe("owners who are alerted by SMS", () => {
  it("an owner alerted by SMS takes the request, gets its news, and completes it", async () => {
    const { owner, agent, alert, write, readThread } = await createSmsHome();
    const ref = await createUnclaimedRequest(agent);
    const told = await alert();
    expect(told).toContain(LAWN);
    expect(listOfferedAnswers(told)).toEqual(["one", "cancel"]);

    expect(await write("1")).toBe(buildSpoken("1", LAWN, { status: "claimed", holdsThread: true }));
    await agent.appendBlocks(ref, { followup: { message: "not the roses" } });
    expect(await alert(2)).toContain("not the roses");
    expect(await write("all mown")).toBe(
      buildSpoken("all mown", LAWN, { status: "claimed", holdsThread: true }),
    );
    expect(await write("done")).toBe(
      buildSpoken("done", LAWN, { status: "completed", holdsThread: true }),
    );

    const { envelope, messages } = await readThread(ref);
    expect(envelope).toMatchObject({ status: "completed", executor: owner.actor });
    expect(messages.at(-1)).toMatchObject({ from: "exchange" });
  });

  it("an owner alerted by SMS cancels the request by a reply keyword", async () => {
    const { owner, agent, alert, write, readThread } = await createSmsHome();
    const ref = await createUnclaimedRequest(agent);
    await alert();

    expect(await write("Call it off!")).toBe(
      buildSpoken("Call it off!", LAWN, { status: "cancelled", asRequestor: true }),
    );

    const { envelope } = await readThread(ref);
    expect(envelope.history.at(-1)).toMatchObject({ action: "cancelled", by: owner.actor });
  });

  it("other text of an owner alerted by SMS is forwarded, and neither claims nor answers the request", async () => {
    const { owner, agent, alert, write, readThread } = await createSmsHome();
    const ref = await createUnclaimedRequest(agent);
    await alert();

    const words = "Is tomorrow early enough?";

    expect(await write(words)).toBe(buildSpoken(words, LAWN, { asRequestor: true }));

    const { envelope, messages } = await readThread(ref);
    expect(envelope).toMatchObject({ status: "pending", executor: null });
    expect(messages.at(-2)).toMatchObject({
      from: owner.actor,
      channel: "sms",
      MESS: [{ followup: { message: words } }],
    });
  });

  it("an owner whose action by SMS is refused gets the allowed actions", async () => {
    const { agent, phones, alert, write, readThread } = await createSmsHome();
    const ref = await agent.createThread("look for the keys", { requires: ["look"] });
    await waitUntil(async () => expect(phones.messages).toHaveLength(1));
    await phones.act.sendReceipt(phones.messages[0]!, "undelivered", { code: 30_005 });
    const told = await alert();
    expect(told).toEqual(expectNaming("Ann", "sms"));
    expect(listOfferedAnswers(told)).toEqual(["cancel"]);

    const refused = readRefusal("wrong_role", { valid: ["followup", "cancel"] });
    expect(listOfferedAnswers(refused)).toEqual(["cancel"]);
    expect(await write("1")).toBe(refused);

    expect((await readThread(ref)).envelope).toMatchObject({ status: "pending", executor: null });
  });

  it("an owner can cancel by SMS only a request that they were alerted about", async () => {
    const { agent, alert, write, readThread } = await createSmsHome();
    const other = await agent.createThread("look for the keys", { requires: ["look"] });

    expect(await write("call off")).toBe(NO_TASK_TEXT);
    const ref = await createUnclaimedRequest(agent);
    await alert();
    await write("call off");

    expect((await readThread(other)).envelope.status).toBe("pending");
    expect((await readThread(ref)).envelope.status).toBe("cancelled");
  });
});

describe("requestors who have a phone", () => {
  it("a requestor answers a question by SMS, and cancels the request by SMS", async () => {
    const { owner, agent, ann, phones, readThread } = await createSmsHome();
    const phone = "+15005550113";
    await expectOkJson(
      await owner.postBlocks({ config: { executor: { id: agent.actor, notify: { sms: phone } } } }),
    );
    const ref = await agent.createThread("look for the keys", { requires: ["look"] });
    await ann.appendBlocks(ref, {
      status: { code: "needs_input", questions: [{ id: "which", question: "Which keys?" }] },
    });
    await waitUntil(async () => {
      const asked = phones.messages.find(({ to }) => to === phone);
      expect(asked?.body).toContain("Which keys?");
    });
    const write = async (body: string) =>
      readTwimlMessage(await (await phones.act.receiveSms({ from: phone, body })).text());

    const keys = "look for the keys";
    expect(await write("those of the car")).toBe(
      buildSpoken("those of the car", keys, { asRequestor: true }),
    );
    expect(await write("call off")).toBe(
      buildSpoken("call off", keys, { status: "cancelled", asRequestor: true }),
    );

    const { envelope, messages } = await readThread(ref);
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

describe("owners who are alerted in Slack", () => {
  const ROOM = "C04HOME";
  const OWNER = "U04OLGA";

  /** A test household whose alerts are sent to a shared Slack channel. */
  async function createRoomHome() {
    const home = await createSlackHousehold();
    const { owner, agent, workspace } = home;
    await setAlerts(owner, { slack: ROOM });
    await expectOkJson(
      await owner.postBlocks({
        config: { executor: { id: owner.actor, notify: { slack: OWNER } } },
      }),
    );
    const ref = await createUnclaimedRequest(agent);
    const alert = await waitUntil(async (): Promise<SlackMessage> => {
      const found = workspace.messages.find(({ channel }) => channel === ROOM);
      expect(found).toBeDefined();
      return found!;
    });
    return { ...home, ref, alert };
  }

  it("an owner alerted in Slack takes the request by its button and completes it there", async () => {
    const { owner, workspace, ref, alert, readThread } = await createRoomHome();
    expect(alert.shown.join("\n")).toContain(LAWN);
    expect(listActions(alert)).toEqual(["[respond]", "[claimed]", "[cancel]"]);

    await workspace.act.tap(alert, "claimed", { user: OWNER });

    expect((await readThread(ref)).envelope).toMatchObject({
      status: "claimed",
      executor: owner.actor,
    });
    const [first] = alert.shown;
    await waitUntil(async () =>
      expect(listActions(alert)).toEqual(["[respond]", "[completed]", "[declined]"]),
    );
    await workspace.act.tap(alert, "completed", { user: OWNER });
    await waitUntil(async () => expect(listActions(alert)).toEqual(["[respond]"]));
    expect(alert.shown[0]).toBe(first);
  });

  it("other people in the Slack channel of the alerts cannot act as the owner", async () => {
    const { workspace, ref, alert, write, readThread } = await createRoomHome();

    await workspace.act.tap(alert, "cancel", { user: BEN });
    await write({ user: ANN, to: alert, text: "call off" });

    await waitUntil(async () =>
      expect(workspace.messages.filter(({ only }) => only).map(({ text }) => text)).toEqual([
        readRefusal("wrong_role"),
        readRefusal("wrong_role"),
      ]),
    );
    expect((await readThread(ref)).envelope.status).toBe("pending");
  });

  it("an owner alerted in Slack cancels the request by a reply keyword", async () => {
    const { ref, alert, write, readThread } = await createRoomHome();

    await write({ user: OWNER, to: alert, text: "call off" });

    expect((await readThread(ref)).envelope.status).toBe("cancelled");
  });
});

describe("owners who are alerted in Telegram", () => {
  it("an owner alerted in Telegram cancels the request by its button, once", async () => {
    const { owner, agent, server, readThread, listMessageActions } =
      await createTelegramHousehold();
    await setAlerts(owner, { telegram: BENS_CHAT });
    const ref = await createUnclaimedRequest(agent);
    const alert = await waitUntil(async () => {
      expect(server.inChat(BENS_CHAT)).toHaveLength(1);
      return server.inChat(BENS_CHAT)[0]!;
    });
    expect(listMessageActions(alert)).toEqual(["respond", "claimed", "cancel"]);

    await server.act.tap(alert, "cancel", { update: 7 });
    await server.act.tap(alert, "cancel", { update: 7, data: `x:${ref}` });

    expect(server.answers).toEqual([
      expect.objectContaining({
        text: sendReceipt("cancel", { status: "cancelled" }),
        alert: false,
      }),
    ]);
    const { envelope, messages } = await readThread(ref);
    expect(envelope.status).toBe("cancelled");
    expect(messages.filter(({ from }: { from: string }) => from === owner.actor)).toHaveLength(1);
  });
});

describe("owners who are alerted by email", () => {
  const OWNER = "olga@example.com";

  it("an owner alerted by email takes the request only by a reply from that address", async () => {
    const { owner, agent, office, readThread } = await createMailHousehold();
    await setAlerts(owner, { email: OWNER });
    const ref = await createUnclaimedRequest(agent);
    const mail = await waitUntil(async () => {
      const found = office.messages.find(({ to }) => to === OWNER);
      expect(found).toBeDefined();
      return found!;
    });
    expect(listOfferedAnswers(mail.text)).toEqual(["one", "cancel"]);

    expect(await deliverMail(buildReply(mail, { text: "1", from: "eve@example.com" }))).toMatch(
      /^5\.7/,
    );
    expect(await deliverMail(buildReply(mail, { text: "1" }))).toBeUndefined();

    expect((await readThread(ref)).envelope).toMatchObject({
      status: "claimed",
      executor: owner.actor,
    });
  });
});

describe("questions to requestors", () => {
  it("an alerted owner answers a question in place of the requestor", async () => {
    const { owner, agent, addMember, server, readThread } = await createTelegramHousehold();
    await setAlerts(owner, { telegram: BENS_CHAT });
    const ref = await createUnclaimedRequest(agent);
    const alert = await waitUntil(async () => {
      expect(server.inChat(BENS_CHAT)).toHaveLength(1);
      return server.inChat(BENS_CHAT)[0]!;
    });
    const otto = await addMember("otto", "owner");
    const questions = [{ id: "how", question: "How short?" }];
    await otto.appendBlocks(ref, { status: { code: "needs_input", questions } });

    await server.act.write({ chat: BENS_CHAT, to: alert, text: "Yes, very" });

    await waitUntil(async () => {
      const { messages } = await readThread(ref);
      expect(messages.at(-2)).toMatchObject({
        from: owner.actor,
        MESS: [{ reply: { answers: "Yes, very" } }],
      });
    });
  });
});
