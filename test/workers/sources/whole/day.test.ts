/** A day of 60 messages of three sources, from their arrival to the answers that the owner has approved. */
import { runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import PostalMime, { type Email } from "postal-mime";
import { afterEach, expect, it, vi } from "vitest";
import type { SentMail } from "../../../support/channels/mail.ts";
import { openSignedIn } from "../../oauth/support.ts";
import { buildJsonInit } from "../../respond/support.ts";
import { type Answered, expectOkJson, waitUntil } from "../../support.ts";
import { NEWSLETTER_DOMAIN, planDay, type PlannedMessage } from "./plan-day.ts";
import { createWholeScene, PHONE, SENDER, type WholeScene } from "./scene.ts";

const MESSAGES = 60;
const seed = Number((env as unknown as { RELIABILITY_SEED: string }).RELIABILITY_SEED);

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

const buildMessageId = ({ mark }: PlannedMessage): string => `<${mark}0@elsewhere.example>`;
const listEarlierIds = ({ mark, earlier }: PlannedMessage): string[] =>
  Array.from({ length: earlier }, (_, n) => `<${mark}before-${n}@elsewhere.example>`);

const getChat = ({ mark }: PlannedMessage): number => 10_000 + Number(mark.split("-")[2]);

/** The messages of strangers in Telegram, by the mark. */
type Chats = Map<string, number>;

async function deliver(scene: WholeScene, plan: PlannedMessage, chats: Chats): Promise<void> {
  const { source, mark, by, isDelivered } = plan;
  const { server } = scene.home;
  const text = `Please look at ${mark}.`;
  const update = 500_000 + getChat(plan);
  for (let times = isDelivered === "twice" ? 2 : 1; times > 0; times--) {
    if (source === "mail") {
      const earlier = listEarlierIds(plan);
      await scene.mail({
        from: by === "rule" ? `news@${NEWSLETTER_DOMAIN}` : SENDER,
        subject: `About ${mark}`,
        text,
        headers: {
          "Message-ID": buildMessageId(plan),
          ...(earlier.length === 0
            ? {}
            : { "In-Reply-To": earlier.at(-1)!, References: earlier.join(" ") }),
        },
      });
    } else if (source === "alerts") {
      await scene.alert("alerts", mark, { title: `About ${mark}`, text });
    } else {
      const chat = getChat(plan);
      const known = chats.get(mark);
      if (known === undefined) {
        await server.act.start(chat);
        const { message } = await server.act.write({ chat, text, update });
        chats.set(mark, message!);
      } else {
        const date = Math.floor(Date.now() / 1_000);
        const place = { chat: { id: chat, type: "private" }, from: { id: chat, first_name: "A" } };
        const message = { message_id: known, date, text, ...place };
        await server.act.update({ message }, { update });
      }
    }
  }
}

const findPlan = (plans: readonly PlannedMessage[], text: string): PlannedMessage =>
  plans.find(({ mark }) => text.includes(mark))!;

const writeVerdict = ({ by, tier, draft }: PlannedMessage): string =>
  by === "unreadable"
    ? "I would say that this one can wait."
    : [
        `TIER: ${tier}`,
        "REASON: The script says so.",
        `URGENCY: ${tier === "NOTIFY" ? 3 : 1}`,
        ...(draft === undefined ? [] : [`DRAFT: ${draft}`]),
      ].join("\n");

/** The mail as the recipient's program parses it. */
const parseSent = ({ from, to, replyTo, subject, headers, text }: SentMail): Promise<Email> =>
  PostalMime.parse(
    [
      `From: ${from.email}`,
      `To: ${to}`,
      `Reply-To: ${replyTo}`,
      `Subject: ${subject}`,
      ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
      "",
      text,
    ].join("\r\n"),
  );

async function listAll(scene: WholeScene): Promise<Answered[]> {
  const listed = await Promise.all(
    ["mail", "alerts", "chat"].map((source) => scene.listMessages(source)),
  );
  return listed.flat();
}

/** What strangers got in Telegram, without the greeting, the first message of every chat with the bot. */
const listChatAnswers = ({ home: { server } }: WholeScene) =>
  server.messages.filter((one) => one.chat !== PHONE && one !== server.inChat(one.chat)[0]);

const countSent = (scene: WholeScene): number =>
  scene.office.messages.length + scene.posted.length + listChatAnswers(scene).length;

async function expectClassifiedOnce(scene: WholeScene, plans: readonly PlannedMessage[]) {
  const messages = await waitUntil(async () => {
    const found = await listAll(scene);
    expect(found.filter(({ tier }) => tier !== undefined)).toHaveLength(plans.length);
    return found;
  });
  for (const plan of plans) {
    const [message, ...others] = messages.filter(({ excerpt }) => excerpt.includes(plan.mark));
    expect(others).toEqual([]);
    expect(message).toMatchObject({
      source: plan.source,
      tier: plan.tier,
      classified_by: plan.by === "unreadable" ? "fallback" : plan.by,
    });
    expect(message.provisional).toBe(plan.by === "unreadable" ? true : undefined);
    const calls = scene.model.requests.filter(({ user }) => user.includes(plan.mark));
    expect(calls).toHaveLength(plan.by === "rule" ? 0 : 1);
  }
  return messages;
}

/** Each message of the tier NOTIFY is on the owner's phone once, with its draft, and no other is. */
async function expectOnPhone(scene: WholeScene, plans: readonly PlannedMessage[]): Promise<void> {
  const urgent = plans.filter(({ tier }) => tier === "NOTIFY");
  // The first message in the chat greets whoever starts the bot.
  const listNotices = () =>
    scene.home.server
      .inChat(PHONE)
      .map(({ text }) => text)
      .slice(1);
  await waitUntil(async () => expect(listNotices()).toHaveLength(urgent.length));
  const texts = listNotices();
  for (const { mark, draft = "" } of urgent)
    expect(texts.filter((text) => text.includes(mark) && text.includes(draft))).toHaveLength(1);
}

/** The owner taps on the phone where there is a notice, and approves the other drafts on the page. */
async function decide(
  scene: WholeScene,
  plans: readonly PlannedMessage[],
  messages: readonly Answered[],
): Promise<void> {
  const { owner, server } = scene.home;
  const person = await openSignedIn([scene.home, owner.actor, "owner"]);
  for (const { mark, source, tier } of plans) {
    const notice = server.inChat(PHONE).find(({ text }) => text.includes(mark));
    const { draft: id } = messages.find(({ excerpt }) => excerpt.includes(mark));
    if (tier === "NOTIFY") {
      await server.act.tap(notice!, "completed");
    } else {
      const { digest } = await owner.read(`/sources/${source}/drafts/${id}`);
      const init = buildJsonInit({ digest }, { "X-MESS-Client": "respond" });
      await expectOkJson(await person.fetch(`/inbox/drafts/${source}/${id}/approve`, init));
    }
  }
}

async function passUndoTime(scene: WholeScene): Promise<void> {
  vi.setSystemTime(Date.now() + 60_000);
  for (const source of ["mail", "alerts", "chat"])
    await runDurableObjectAlarm(env.SOURCES.getByName(`${scene.home.id}/${source}`));
}

it("a day of 60 messages is classified once each, and only approved answers are sent, in their threads", async () => {
  const scene = await createWholeScene();
  const plans = planDay(seed, MESSAGES);
  const rules = [{ domain: NEWSLETTER_DOMAIN, tier: "IGNORE" }];
  await expectOkJson(
    await scene.home.owner.fetch("/message-rules", {
      ...buildJsonInit({ rules }),
      method: "PUT",
    }),
  );
  scene.answer = (message) => writeVerdict(findPlan(plans, message));
  const chats: Chats = new Map();

  for (const plan of plans) await deliver(scene, plan, chats);

  const messages = await expectClassifiedOnce(scene, plans);
  await expectOnPhone(scene, plans);
  expect(countSent(scene)).toBe(0);

  const approved = plans.filter(({ draft, owner }) => draft !== undefined && owner === "approves");
  await decide(scene, approved, messages);
  await waitUntil(async () => {
    const found = await Promise.all(
      ["mail", "alerts", "chat"].map((source) => scene.listDrafts(source, "approved")),
    );
    expect(found.flat()).toHaveLength(approved.length);
  });
  expect(countSent(scene)).toBe(0);

  await passUndoTime(scene);
  await waitUntil(async () => expect(countSent(scene)).toBe(approved.length));
  await passUndoTime(scene);

  expect(countSent(scene)).toBe(approved.length);
  const mails = await Promise.all(scene.office.messages.map(parseSent));
  for (const plan of approved) {
    const { source, mark, draft } = plan;
    if (source === "mail") {
      const [mail, ...others] = mails.filter(({ text }) => text?.includes(mark));
      expect(others).toEqual([]);
      expect(mail).toMatchObject({
        subject: `Re: About ${mark}`,
        to: [{ address: SENDER }],
        inReplyTo: buildMessageId(plan),
        references: [...listEarlierIds(plan), buildMessageId(plan)].join(" "),
      });
      expect(mail!.text?.trim()).toBe(draft);
    } else if (source === "chat") {
      expect(listChatAnswers(scene).filter(({ text }) => text === draft)).toMatchObject([
        { chat: getChat(plan), replyTo: chats.get(mark) },
      ]);
    } else {
      const bodies = scene.posted.map(({ body }) => body.data);
      expect(bodies.filter(({ body }) => body === draft)).toMatchObject([
        { reply_to: expect.stringContaining(mark) },
      ]);
    }
  }
}, 60_000);
