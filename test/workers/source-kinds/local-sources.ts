/** Every kind of message source, with a stand-in for its provider. */
import { Webhook } from "standardwebhooks";
import type { SourceKindName } from "../../../src/mess/sources/vocabulary.ts";
import { buildMail, createPostOffice, type SentMail } from "../../support/channels/mail.ts";
import { deliverMail } from "../ingress/email/mail-household.ts";
import { reachOutside } from "../ingress/local-services.ts";
import { createFreshHousehold } from "../support.ts";
import { createFeedProvider } from "./local-feed.ts";
import { createMailboxProvider } from "./local-mailbox.ts";
import {
  createSlackProvider,
  createSmsProvider,
  createTelegramProvider,
  createWhatsappProvider,
} from "./local-chats.ts";
import { createSensorProvider } from "./local-sensor.ts";
import { type LocalProvider, LocalSource, type SentMessage } from "./local-source.ts";
import { postSignedJson } from "./signed-request.ts";

const NAME = "inbox";

type CreateProvider = (household: string) => LocalProvider | Promise<LocalProvider>;

function createMailProvider(household: string): LocalProvider {
  const office = createPostOffice();
  return {
    settings: { from: "home@mess.test" },
    invalid: { settings: { from: "not an address" }, path: "from" },
    secrets: [],
    hasFiles: true,
    deliver: async ({ id, subject, text, file }) => {
      const refused = await deliverMail(
        buildMail({
          to: `${NAME}.${household}@mess.test`,
          from: "ann@elsewhere.example",
          subject,
          text,
          headers: { "Message-ID": `<${id}@elsewhere.example>` },
          files: file ? [{ name: file.name, type: file.mime, bytes: file.bytes }] : [],
        }),
      );
      return refused === undefined;
    },
    bindings: () => ({ SEND_EMAIL: office.binding }),
    listSent: () => office.messages.map((mail) => toSent(mail)),
    throttle: () => {
      office.refuse("E_RATE_LIMIT_EXCEEDED");
      return 60;
    },
    refuse: () => office.suppress("ann@elsewhere.example"),
    breakConnection: () => office.loseAnswer(),
  };
}

const toSent = ({ subject, text, attachments = [] }: SentMail): SentMessage => ({
  subject,
  text,
  files: attachments.map(({ filename, content }) => ({ name: filename, bytes: content })),
});

const HOOK_ORIGIN = "https://hooks.example.com";

function createWebhookProvider(household: string): LocalProvider {
  const secret = `whsec_${btoa(crypto.randomUUID())}`;
  const webhook = new Webhook(secret);
  const received = new Map<string, SentMessage>();
  const path = `/in/${crypto.randomUUID()}`;
  let wait: number | undefined;
  let isGone = false;
  let isBroken = false;
  reachOutside({
    [HOOK_ORIGIN]: async (request) => {
      if (wait !== undefined)
        return new Response("later", { status: 429, headers: { "Retry-After": String(wait) } });
      if (isGone) return new Response("gone", { status: 410 });
      const body = await request.text();
      webhook.verify(body, Object.fromEntries(request.headers));
      const { data } = JSON.parse(body) as {
        data: {
          id: string;
          subject?: string;
          body: string;
          attachments?: { name: string; base64: string }[];
        };
      };
      received.set(request.headers.get("webhook-id") ?? "", {
        ...(data.subject === undefined ? {} : { subject: data.subject }),
        text: data.body,
        files: (data.attachments ?? []).map(({ name, base64 }) => ({
          name,
          bytes: Uint8Array.from(atob(base64), (one) => one.charCodeAt(0)),
        })),
      });
      if (isBroken) throw new TypeError("the connection broke");
      return new Response(null, { status: 204 });
    },
  });
  return {
    settings: { secret, url: `${HOOK_ORIGIN}${path}` },
    invalid: { settings: { secret: "not-a-signing-secret" }, path: "secret" },
    secrets: [secret, path, "not-a-signing-secret"],
    hasFiles: false,
    deliver: async (message) =>
      (
        await postSignedJson(`/hooks/sources/${household}/${NAME}`, secret, message.id, {
          title: message.subject,
          text: message.text,
        })
      ).ok,
    listSent: () => [...received.values()],
    throttle: () => (wait = 90),
    refuse: () => {
      isGone = true;
    },
    breakConnection: () => {
      isBroken = true;
    },
    knowsRepeated: true,
  };
}

export const LOCAL_PROVIDERS: Partial<Record<SourceKindName, CreateProvider>> = {
  email: createMailProvider,
  mailbox: () => createMailboxProvider(),
  webhook: createWebhookProvider,
  feed: createFeedProvider,
  telegram: createTelegramProvider,
  slack: createSlackProvider,
  sms: createSmsProvider,
  whatsapp: (household) => createWhatsappProvider(household, NAME),
  sensor: (household) => createSensorProvider(household, NAME),
};

/** A connected source of the kind in a household of its own. */
export async function createLocalSource(kind: SourceKindName): Promise<LocalSource> {
  const home = await createFreshHousehold();
  const provider = await LOCAL_PROVIDERS[kind]!(home.id);
  const source = await new LocalSource(home, kind, NAME, provider).connect();
  await provider.waitForPoll?.();
  return source;
}
