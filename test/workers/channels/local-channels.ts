/** Every channel, each with a local server in place of its service. */
import { defined } from "../../../src/mess/defined.ts";
import { env } from "cloudflare:workers";
import type { ChannelKind } from "../../../src/channels/channel.ts";
import { getHouseholdStub } from "../../../src/stubs.ts";
import { createDiscord } from "../../support/channels/discord.ts";
import { createGoogleChat } from "../../support/channels/google-chat.ts";
import { createMcpRobot } from "../../support/channels/mcp-robot.ts";
import { createNtfy } from "../../support/channels/ntfy.ts";
import { createPushService } from "../../support/channels/push.ts";
import { createRobot } from "../../support/channels/robot.ts";
import { createSlack } from "../../support/channels/slack.ts";
import { listActions } from "../../support/channels/telegram-methods.ts";
import { createTelegram } from "../../support/channels/telegram.ts";
import { createTwilio } from "../../support/channels/twilio.ts";
import { getPostOffice } from "../ingress/email/mail-household.ts";
import { createFreshHousehold, ORIGIN } from "../support.ts";
import { createLocalChannel, listOffers, type LocalChannel } from "./local-channel.ts";

const findLink = (text: string): string => /https:\/\/\S+/.exec(text)?.[0] ?? "no link";

const rejectDelivery = () => Promise.reject(new Error("nobody replies in this test"));

/** Agents of the pool have their channel without a service or a configuration. */
export type ServiceKind = Exclude<ChannelKind, "group">;

export const LOCAL_CHANNELS: Readonly<Record<ServiceKind, () => Promise<LocalChannel>>> = {
  async slack() {
    const workspace = createSlack({ hook: ORIGIN, channels: [], deliver: rejectDelivery });
    const { api: _, ...settings } = workspace.settings();
    return await createLocalChannel("slack", await createFreshHousehold(), {
      origin: "https://slack.com",
      handle: workspace.handle,
      address: "U04ANN",
      settings,
      secrets: [settings.bot_token, settings.signing_secret],
      shown: () =>
        workspace.messages.map(({ shown, blocks }) => {
          const buttons = blocks
            .filter(({ type }) => type === "actions")
            .flatMap(({ elements = [] }) => elements);
          const link = buttons.find(({ action_id }) => action_id === "respond")?.url;
          return {
            text: shown.join("\n"),
            actions: buttons.map(({ action_id }) => action_id),
            ...defined({ link }),
          };
        }),
      wrong: { settings: { ...settings, bot_token: "xoxb-of-nobody" } },
      remove: () => workspace.act.remove(workspace.messages[0]!),
      revoke: () => workspace.act.revoke(),
    });
  },
  async telegram() {
    const server = createTelegram({ chats: [1_001], deliver: rejectDelivery });
    const { api: _, ...settings } = server.settings();
    return await createLocalChannel("telegram", await createFreshHousehold(), {
      origin: "https://api.telegram.org",
      handle: server.handle,
      address: 1_001,
      settings,
      secrets: [server.token],
      shown: () =>
        server.inChat(1_001).map(({ text, keyboard }) => {
          const link = keyboard.flat().find(({ url }) => url !== undefined)?.url;
          return {
            text,
            actions: listActions(keyboard).flat(),
            ...defined({ link }),
          };
        }),
      wrong: { settings: { ...settings, bot_token: "1:of-nobody" } },
      remove: () => server.act.remove(server.messages[0]!),
      revoke: () => server.act.block(1_001),
      buildLimited: (seconds) =>
        Response.json(
          { ok: false, error_code: 429, parameters: { retry_after: seconds } },
          { status: 429 },
        ),
    });
  },
  async sms() {
    const phones = createTwilio();
    return await createLocalChannel("sms", await createFreshHousehold(), {
      origin: "https://api.twilio.com",
      handle: phones.handle,
      address: "+15005550101",
      settings: phones.settings(),
      secrets: [phones.authToken],
      shown: () => phones.messages.map(({ body }) => ({ text: body, link: findLink(body) })),
      wrong: { settings: { ...phones.settings(), auth_token: "of nobody" } },
      revoke: () => phones.act.stop("+15005550101"),
    });
  },
  async email() {
    const home = await createFreshHousehold();
    const office = getPostOffice(home.id);
    const localChannel = await createLocalChannel("email", home, {
      origin: "https://mail.example",
      handle: rejectDelivery,
      address: "ann@example.com",
      settings: { from: "tasks@mess.test" },
      secrets: [],
      shown: () =>
        office.messages.map(({ subject, text }) => ({
          text: `${subject}\n${text}`,
          link: findLink(text),
        })),
      offersOf: (intent) =>
        office.messages.map(({ subject }) => subject).filter((subject) => subject === intent),
    });
    return {
      ...localChannel,
      outage: office.outage,
      endOutage: office.endOutage,
      loseAnswer: office.loseAnswer,
      silence: office.silence,
      // The mail service reports limits by error codes, without `Retry-After`.
      limit: () => {
        office.refuse("E_RATE_LIMIT_EXCEEDED");
        return 60;
      },
      revoke: () => office.suppress("ann@example.com"),
    };
  },
  async push() {
    const home = await createFreshHousehold();
    const service = createPushService();
    const stub = getHouseholdStub(env, home.id);
    const vapid = await stub.contacts.getVapidKeys();
    if (!vapid.ok) throw new Error(vapid.error.message);
    const subscription = await service.subscribe("phone", vapid.value.publicKey);
    await stub.contacts.subscribe("ann", subscription);
    const actionByName: Readonly<Record<string, string>> = {
      claim: "claimed",
      decline: "declined",
    };
    return await createLocalChannel("push", home, {
      origin: "https://push.example",
      handle: service.handle,
      address: true,
      secrets: [vapid.value.privateKey.d ?? "no key", subscription.keys.auth],
      shown: () =>
        // A browser shows the latest notification of each topic.
        [...new Map(service.messages.map((message) => [message.topic, message])).values()].map(
          ({ note }) => ({
            text: [note["intent"], ...(note["lines"] as string[]), note["holder"]].join("\n"),
            actions: (note["actions"] as string[]).map((name) => actionByName[name]),
          }),
        ),
      offersOf: (intent) =>
        service.messages
          .filter(({ note }) => note["kind"] === "offer" && note["intent"] === intent)
          .map(({ topic }) => topic),
    });
  },
  async ntfy() {
    const token = `tk_${crypto.randomUUID()}`;
    const server = createNtfy({ token });
    return await createLocalChannel("ntfy", await createFreshHousehold(), {
      origin: "https://ntfy.sh",
      handle: server.handle,
      address: "anns-topic",
      settings: { token },
      secrets: [token, "anns-topic"],
      shown: () =>
        server.shown("anns-topic").map(({ title = "", message, click }) => ({
          text: `${title}\n${message}`,
          ...defined({ link: click }),
        })),
      wrong: { settings: { token: "of nobody" } },
      offersOf: (intent) =>
        listOffers(
          intent,
          server.messages
            // A message that replaces another one is not a new offer.
            .filter(({ sequence_id }) => sequence_id === undefined)
            .map(({ title = "", message }) => `${title} ${message}`),
        ),
    });
  },
  async discord() {
    const room = createDiscord();
    return await createLocalChannel("discord", await createFreshHousehold(), {
      origin: "https://discord.com",
      handle: room.handle,
      address: room.address(),
      secrets: [room.token],
      shown: () => room.messages.map(({ content }) => ({ text: content, link: findLink(content) })),
      wrong: { address: room.address().replace(/[^/]+$/, "of-nobody") },
      offersOf: (intent) =>
        listOffers(
          intent,
          room.messages.map(({ versions }) => versions[0] ?? ""),
        ),
      remove: () => room.act.remove(room.messages[0]!),
      revoke: room.act.revoke,
    });
  },
  async google_chat() {
    const space = createGoogleChat();
    return await createLocalChannel("google_chat", await createFreshHousehold(), {
      origin: "https://chat.googleapis.com",
      handle: space.handle,
      address: space.address(),
      secrets: [space.key, space.token],
      shown: () => space.messages.map(({ text }) => ({ text, link: findLink(text) })),
      wrong: { address: space.address().replace(/token=.*$/, "token=of-nobody") },
      revoke: space.act.revoke,
    });
  },
  async webhook() {
    const home = await createFreshHousehold();
    const { secret } = await home.owner.read("/api/v1/executors/ann/webhook-secret");
    const moppy = createRobot({ secret, deliver: rejectDelivery });
    const url = "https://moppy.example.com/hook-of-moppy";
    return await createLocalChannel("webhook", home, {
      origin: "https://moppy.example.com",
      handle: moppy.handle,
      address: { url, body: "json" },
      secrets: [secret, "hook-of-moppy"],
      shown: () =>
        moppy.hooks.map(({ event, json: { data } }) => ({
          text: [event, data.intent, ...(data.context ?? []), data.news, data.holder].join("\n"),
          link: data.thread,
          token: data.callback?.token,
        })),
      wrong: { address: { url, secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw" } },
      // Repeated requests have the same id and are counted once.
      offersOf: (intent) => [
        ...new Set(
          moppy.hooks
            .filter(({ event, json }) => event === "task.offered" && json.data.intent === intent)
            .map(({ id }) => id),
        ),
      ],
    });
  },
  async mcp() {
    const url = "https://moppy.example.com/mcp";
    const token = crypto.randomUUID();
    const moppy = createMcpRobot({
      era: "json",
      token,
      work: async () => ({ content: [{ type: "text", text: "all clean" }] }),
    });
    return await createLocalChannel("mcp", await createFreshHousehold(), {
      origin: "https://moppy.example.com",
      handle: moppy.handle,
      address: { url, token },
      secrets: [token],
      shown: () =>
        moppy.calls.map(({ intent, context, ref, callback }) => ({
          text: [intent, ...context].join("\n"),
          link: `${ORIGIN}/mess/${ref}`,
          ...(callback ? { token: callback.token } : {}),
        })),
      wrong: { address: { url, token: "of nobody" } },
      offersOf: (intent) =>
        moppy.calls.filter((call) => call.intent === intent).map(({ ref }) => ref),
    });
  },
};
