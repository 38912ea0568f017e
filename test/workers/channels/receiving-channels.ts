/** Every channel that receives messages, with functions that send genuine and forged events of a member. */
import type { ChannelKind } from "../../../src/channels/channel.ts";
import type { Answer } from "../../support/channels/mail.ts";
import { PNG } from "../../support/media/png.ts";
import { createRobot, type RobotCallback } from "../../support/channels/robot.ts";
import type { SlackCall } from "../../support/channels/slack-calls.ts";
import type { TelegramCall } from "../../support/channels/telegram.ts";
import type { SmsIn } from "../../support/channels/twilio.ts";
import { createMailHousehold } from "../ingress/email/mail-household.ts";
import {
  buildPhoto,
  createSlackHousehold,
  ANN as SLACK_ANN,
} from "../ingress/chats/slack-household.ts";
import {
  ANN as SMS_ANN,
  BEN as SMS_BEN,
  createSmsHousehold,
} from "../ingress/sms/sms-household.ts";
import { createTelegramHousehold } from "../ingress/chats/telegram-household.ts";
import { reachOutside } from "../ingress/local-services.ts";
import {
  createFreshHousehold,
  expectOkJson,
  ORIGIN,
  sendRequest,
  type TestHousehold,
} from "../support.ts";

/** An event that the member causes in the channel. */
export interface MemberEvent {
  what: "claim" | "answer" | "complete";
  text?: string;
  photo?: boolean;
  /** Identifies the event: another event with the same number is its repetition. */
  number?: number;
}

export interface ReceivingChannel extends TestHousehold {
  /** The thread that was offered to Ann. */
  ref: string;
  /** Sends the event; resolves with whether the exchange accepted it. */
  send: (event: MemberEvent) => Promise<boolean>;
  /** Sends a forged message, and a forged tap if the channel has buttons; resolves with false if all were refused. */
  forge: (forgery: string) => Promise<boolean>;
}

interface ReceivingKind {
  forgeries: readonly string[];
  begin: () => Promise<ReceivingChannel>;
}

const INTENT = "look for the keys";

const isAccepted = ({ status }: Response): boolean => {
  if (status !== 200 && status !== 401) throw new Error(`unexpected status ${status}`);
  return status === 200;
};

let counter = 1_000;

const WORDS = { claim: "1", answer: "under the sofa", complete: "done" } as const;

const now = (): number => Math.floor(Date.now() / 1_000);

const SLACK_FORGERIES: Readonly<Record<string, () => SlackCall>> = {
  "signed with another secret": () => ({ secret: "another" }),
  "signed with an empty secret": () => ({ secret: " " }),
  "changed after it was signed": () => ({ tamper: (body) => body.replace("1", "2") }),
  "longer than the signed body": () => ({ tamper: (body) => `${body} ` }),
  "signed six minutes ago": () => ({ timestamp: now() - 360 }),
  "signed in six minutes": () => ({ timestamp: now() + 360 }),
  "signed at no time": () => ({ timestamp: Number.NaN }),
  "signed a day ago": () => ({ timestamp: now() - 86_400 }),
};

const buildTelegramForgeries = (token: string): Readonly<Record<string, TelegramCall>> => ({
  "without a secret": { secret: "" },
  "with another secret": { secret: "another" },
  "with a longer secret": { secret: "x".repeat(200) },
  "with the bot's token": { secret: token },
  "with undefined": { secret: "undefined" },
});

const SMS_FORGERIES: Readonly<Record<string, Partial<SmsIn>>> = {
  "signed with another token": { token: "another-token" },
  "signed for another host": { spelt: (url) => url.replace("mess.test", "other.test") },
  "signed for another port": { spelt: (url) => url.replace("mess.test", "mess.test:8443") },
  "signed for another path": { spelt: (url) => `${url}/` },
  "with another sender": { tamper: (form) => form.set("From", SMS_BEN) },
  "with another text": { tamper: (form) => form.set("Body", "done") },
  "with an added parameter": { tamper: (form) => form.append("Body", "done") },
  "with a removed parameter": { tamper: (form) => form.delete("NumMedia") },
  "with the id of another message": { tamper: (form) => form.set("MessageSid", "SM9") },
};

/** Forged mails, each with the status code of its refusal. */
const EMAIL_FORGERIES: Readonly<Record<string, readonly [Answer, string]>> = {
  "from another address": [{ from: "eve@example.com" }, "5.7.1"],
  "that fails DMARC": [
    { headers: { "Authentication-Results": "mx.mess.test; dmarc=fail header.from=example.com" } },
    "5.7.26",
  ],
  "that fails SPF without a signature": [
    { headers: { "Authentication-Results": "mx.mess.test; spf=softfail; dkim=none; dmarc=none" } },
    "5.7.26",
  ],
  "that claims to pass in a comment": [
    { headers: { "Authentication-Results": "mx.mess.test (dmarc=pass); dmarc=fail" } },
    "5.7.26",
  ],
};

const WEBHOOK_FORGERIES: Readonly<Record<string, () => Partial<RobotCallback>>> = {
  "signed with another secret": () => ({ secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw" }),
  "changed after it was signed": () => ({ tamper: ({ body }) => body.with(0, 0x20) }),
  "with a changed id": () => ({ tamper: ({ headers }) => headers.set("webhook-id", "msg_2") }),
  "with a changed time": () => ({
    tamper: ({ headers }) => headers.set("webhook-timestamp", String(now() - 9)),
  }),
  "signed five minutes ago": () => ({ at: Date.now() - 302_000 }),
  "signed in five minutes": () => ({ at: Date.now() + 302_000 }),
  "without a signature": () => ({
    tamper: ({ headers }) => headers.delete("webhook-signature"),
  }),
  "without an id": () => ({ tamper: ({ headers }) => headers.delete("webhook-id") }),
};

async function beginSlack(): Promise<ReceivingChannel> {
  const { workspace, askLook, ...home } = await createSlackHousehold();
  const { ref, message } = await askLook(INTENT);
  // An edit removes buttons, but a person may still tap one in the earlier version.
  const shown = { ...message, blocks: structuredClone(message.blocks) };
  return {
    ...home,
    ref,
    send: async ({ what, text = WORDS[what], photo = false, number = ++counter }) => {
      const at = `1900000000.${String(number).padStart(6, "0")}`;
      const answer =
        what === "claim"
          ? workspace.act.tap(shown, "claimed", { user: SLACK_ANN, at })
          : workspace.act.write({
              user: SLACK_ANN,
              to: message,
              text,
              event: `Ev${number}`,
              ...(photo ? { files: [buildPhoto()] } : {}),
            });
      return isAccepted(await answer);
    },
    forge: async (name) => {
      const call = SLACK_FORGERIES[name]!();
      const event = await workspace.act.write({
        user: SLACK_ANN,
        to: message,
        text: "1",
        ...call,
      });
      const tap = await workspace.act.tap(shown, "claimed", { user: SLACK_ANN, ...call });
      return isAccepted(event) || isAccepted(tap);
    },
  };
}

async function beginTelegram(): Promise<ReceivingChannel> {
  const { server, askLook, write, ...home } = await createTelegramHousehold();
  const { ref, message } = await askLook(INTENT);
  const shown = { ...message };
  return {
    ...home,
    ref,
    send: async ({ what, text = WORDS[what], photo = false, number = ++counter }) =>
      isAccepted(
        what === "claim"
          ? await server.act.tap(shown, "claimed", { update: number })
          : await write({
              to: message,
              text,
              update: number,
              ...(photo ? { file: { kind: "photo", bytes: PNG } } : {}),
            }),
      ),
    forge: async (name) => {
      const call = buildTelegramForgeries(server.token)[name]!;
      const event = await write({ to: message, text: "1", ...call });
      const tap = await server.act.tap(shown, "claimed", call);
      return isAccepted(event) || isAccepted(tap);
    },
  };
}

async function beginSms(): Promise<ReceivingChannel> {
  const { phones, askLook, write: _, ...home } = await createSmsHousehold();
  const ref = await askLook(INTENT);
  return {
    ...home,
    ref,
    send: async ({ what, text = WORDS[what], photo = false, number = ++counter }) =>
      isAccepted(
        await phones.act.receiveSms({
          from: SMS_ANN,
          body: text,
          sid: `MM${number}`,
          ...(photo ? { media: [{ type: "image/png", bytes: PNG }] } : {}),
        }),
      ),
    forge: async (name) =>
      isAccepted(await phones.act.receiveSms({ from: SMS_ANN, body: "1", ...SMS_FORGERIES[name] })),
  };
}

async function beginEmail(): Promise<ReceivingChannel> {
  const { answer, ref, ...home } = await createMailHousehold();
  return {
    ...home,
    ref,
    send: async ({ what, text = WORDS[what], photo = false, number = ++counter }) => {
      const refused = await answer({
        text,
        messageId: `<${number}@mail.example>`,
        ...(photo ? { files: [{ name: "keys.png", type: "image/png", bytes: PNG }] } : {}),
      });
      if (refused !== undefined) throw new Error(refused);
      return true;
    },
    forge: async (name) => {
      const [mail, code] = EMAIL_FORGERIES[name]!;
      const refused = await answer({ text: "1", ...mail });
      if (refused !== undefined && !refused.startsWith(`${code} `))
        throw new Error(`refused with another code: ${refused}`);
      return refused === undefined;
    },
  };
}

async function beginWebhook(): Promise<ReceivingChannel> {
  const home = await createFreshHousehold();
  const { secret } = await home.owner.read("/api/v1/executors/ann/webhook-secret");
  const robot = createRobot({
    secret,
    deliver: (request) => sendRequest(request.url.slice(ORIGIN.length), request),
  });
  reachOutside({ "https://ann.example.com": robot.handle });
  const executor = {
    id: "ann",
    // The response of a machine would complete the thread.
    kind: "person",
    capabilities: ["look"],
    notify: { webhook: "https://ann.example.com/hook" },
  };
  await expectOkJson(await home.owner.postBlocks({ config: { executor } }));
  const ref = await home.agent.createThread(INTENT, { requires: ["look"] });
  const url = `${ORIGIN}/hooks/executor/${home.id}/ann`;
  const claim = { MESS: [{ status: { re: ref, code: "claimed" } }] };
  const buildMessage = ({ what, text, photo = false }: MemberEvent): object => {
    if (what !== "answer")
      return { MESS: [{ status: { re: ref, code: what === "claim" ? "claimed" : "completed" } }] };
    const content = [text ?? WORDS.answer, ...(photo ? [{ image: { file: "keys.png" } }] : [])];
    return { MESS: [{ response: { re: ref, content } }] };
  };
  return {
    ...home,
    ref,
    send: async (event) =>
      isAccepted(
        await robot.callBack({
          url,
          id: `msg_${event.number ?? ++counter}`,
          message: buildMessage(event),
          ...(event.photo ? { files: [new File([PNG], "keys.png", { type: "image/png" })] } : {}),
        }),
      ),
    forge: async (name) =>
      isAccepted(await robot.callBack({ url, message: claim, ...WEBHOOK_FORGERIES[name]!() })),
  };
}

export const RECEIVING_CHANNELS = {
  slack: { forgeries: Object.keys(SLACK_FORGERIES), begin: beginSlack },
  telegram: { forgeries: Object.keys(buildTelegramForgeries("")), begin: beginTelegram },
  sms: { forgeries: Object.keys(SMS_FORGERIES), begin: beginSms },
  email: { forgeries: Object.keys(EMAIL_FORGERIES), begin: beginEmail },
  webhook: { forgeries: Object.keys(WEBHOOK_FORGERIES), begin: beginWebhook },
} as const satisfies Partial<Record<ChannelKind, ReceivingKind>>;
