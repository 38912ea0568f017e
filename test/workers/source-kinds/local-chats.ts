/** Stand-ins for the services of chats. The files of SMS and WhatsApp are tested in `sources/chats`. */
import { createSlack } from "../../support/channels/slack.ts";
import { createTelegram } from "../../support/channels/telegram.ts";
import { createTwilio } from "../../support/channels/twilio.ts";
import { createWhatsapp } from "../../support/channels/whatsapp.ts";
import { reachOutside } from "../ingress/local-services.ts";
import { ORIGIN, sendRequest } from "../support.ts";
import type { Delivery, LocalProvider } from "./local-source.ts";

type Handle = (request: Request) => Promise<Response>;

const deliver: Handle = (request) => sendRequest(request.url.slice(ORIGIN.length), request);
const readNumber = ({ id }: Pick<Delivery, "id">): number => Number(id.replace(/\D/g, ""));
const writeText = ({ subject, text }: Delivery): string => `${subject}\n${text}`;
const toSent = (text: string) => ({ text, files: [] });

const CHAT = { hasSubject: false, sendsFiles: false } as const;
const WAIT_SECONDS = 90;
const THROTTLED = { status: 429, wait: WAIT_SECONDS };

/** The service processes every request, and after `breakConnection` its answers are lost. */
function reachBreakable(origin: string, handle: Handle) {
  let isBroken = false;
  reachOutside({
    [origin]: async (request) => {
      const response = await handle(request);
      if (isBroken) throw new TypeError("the connection broke");
      return response;
    },
  });
  return () => {
    isBroken = true;
  };
}

const INVALID_TITLE = { settings: { title: 5 }, path: "title" };

export function createTelegramProvider(household: string): LocalProvider {
  const server = createTelegram({ chats: [5_005], deliver });
  const breakConnection = reachBreakable("https://api.telegram.org", server.handle);
  const { api: _, ...settings } = server.settings();
  const dispatch = { telegram: { ...settings, webhook_secret: "secret-of-the-webhook" } };
  const hook = `${ORIGIN}/hooks/telegram/${household}`;
  const call = { hook, secret: dispatch.telegram.webhook_secret };
  return {
    ...CHAT,
    settings: {},
    dispatch,
    to: "5005",
    invalid: INVALID_TITLE,
    secrets: [server.token],
    hasFiles: true,
    deliver: async (delivery) => {
      const { file } = delivery;
      const text = writeText(delivery);
      if (file) {
        const document = { kind: "document", bytes: file.bytes, name: file.name } as const;
        const sent = { ...document, type: file.mime };
        return (await server.act.write({ ...call, chat: 5_005, text, file: sent })).ok;
      }
      const number = readNumber(delivery);
      const message = {
        message_id: number,
        date: Math.floor(Date.now() / 1_000),
        chat: { id: 5_005, type: "private" },
        from: { id: 5_005, first_name: "Zoe" },
        text,
      };
      return (await server.act.update({ message }, { ...call, update: number })).ok;
    },
    listSent: () => server.inChat(5_005).map(({ text }) => toSent(text)),
    throttle: () => (server.fail(THROTTLED), WAIT_SECONDS),
    refuse: () => server.act.block(5_005),
    breakConnection,
  };
}

export function createSlackProvider(household: string): LocalProvider {
  const workspace = createSlack({ hook: `${ORIGIN}/hooks/slack/${household}`, deliver });
  const breakConnection = reachBreakable("https://slack.com", workspace.handle);
  const { api: _, ...slack } = workspace.settings();
  return {
    ...CHAT,
    settings: {},
    dispatch: { slack },
    to: "D04ZOE",
    invalid: INVALID_TITLE,
    secrets: [slack.bot_token, slack.signing_secret],
    hasFiles: true,
    deliver: async (delivery) => {
      const { id: event, file } = delivery;
      const text = writeText(delivery);
      if (file) {
        const files = [{ name: file.name, type: file.mime, bytes: file.bytes }];
        return (await workspace.act.write({ user: "U04ZOE", text, files, event })).ok;
      }
      const ts = `1712345678.00000${readNumber(delivery)}`;
      const message = { type: "message", user: "U04ZOE", channel: "D04ZOE", ts, text };
      return (await workspace.act.event(message, { event })).ok;
    },
    listSent: () => workspace.messages.map(({ text }) => toSent(text)),
    throttle: () => (workspace.fail(THROTTLED), WAIT_SECONDS),
    refuse: () => workspace.act.revoke(),
    breakConnection,
  };
}

export function createSmsProvider(household: string): LocalProvider {
  const phones = createTwilio({ hook: `${ORIGIN}/hooks/twilio/${household}`, deliver });
  const breakConnection = reachBreakable("https://api.twilio.com", phones.handle);
  const { api: _, ...sms } = phones.settings();
  const zoe = "+15005550199";
  return {
    ...CHAT,
    settings: {},
    dispatch: { sms },
    to: zoe,
    invalid: INVALID_TITLE,
    secrets: [phones.authToken],
    hasFiles: false,
    // A form has another spelling of line breaks and spaces.
    hasPlainRaw: false,
    deliver: async (delivery) => {
      const sms = { from: zoe, body: writeText(delivery), sid: `SM${delivery.id}` };
      return (await phones.act.receiveSms(sms)).ok;
    },
    listSent: () => phones.messages.map(({ body }) => toSent(body)),
    throttle: () => (phones.fail(THROTTLED), WAIT_SECONDS),
    refuse: () => phones.act.stop(zoe),
    breakConnection,
  };
}

export function createWhatsappProvider(household: string, source: string): LocalProvider {
  const cloud = createWhatsapp({ hook: `${ORIGIN}/hooks/sources/${household}/${source}`, deliver });
  reachOutside(cloud.hosts);
  const { phone_number_id: _, ...secrets } = cloud.settings;
  const zoe = "15005550199";
  cloud.act.openWindow(zoe);
  return {
    ...CHAT,
    settings: cloud.settings,
    to: zoe,
    invalid: {
      settings: { ...cloud.settings, phone_number_id: "+1 500" },
      path: "phone_number_id",
    },
    secrets: Object.values(secrets),
    hasFiles: false,
    deliver: async (delivery) =>
      (await cloud.act.write({ from: zoe, text: writeText(delivery), id: delivery.id })).ok,
    listSent: () => cloud.messages.map(({ body }) => toSent(body)),
    throttle: () => (cloud.fail(THROTTLED), WAIT_SECONDS),
    refuse: () => cloud.act.revoke(),
    breakConnection: () => cloud.act.breakConnection(),
  };
}
