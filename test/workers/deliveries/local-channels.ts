/**
 * Every channel behind a local server of its own, in one form: a household whose Ann looks and is reached there, and
 * what the server can do to the exchange.
 */
import { getHouseholdStub } from "../../../src/stubs.ts";
import { env } from "cloudflare:workers";
import { buildHeadline } from "../../../src/channels/shared/notice-text.ts";
import type { ChannelKind } from "../../../src/channels/channel.ts";
import { createDiscord } from "../../support/discord.ts";
import { type Fault, FaultQueue } from "../../support/fault-injection.ts";
import { createGoogleChat } from "../../support/google-chat.ts";
import { createMcpRobot } from "../../support/mcp-robot.ts";
import { createNtfy } from "../../support/ntfy.ts";
import { createPushService } from "../../support/push.ts";
import { createRobot } from "../../support/robot.ts";
import { createSlack } from "../../support/slack.ts";
import { createTelegram } from "../../support/telegram.ts";
import { createTwilio } from "../../support/twilio.ts";
import { buildNotice } from "../dispatch/channel-support.ts";
import { getPostOffice } from "../ingress/mail-household.ts";
import { reachOutside } from "../ingress/local-services.ts";
import { expectOkJson, createFreshHousehold, ORIGIN, type TestHousehold } from "../support.ts";

export interface LocalChannel extends TestHousehold {
  /** What Ann was asked with these words, in the order of arrival; reminders are none. */
  asked: (intent: string) => string[];
  /** All that the service holds for Ann, as it is shown now. */
  seen: () => string;
  /** Every request meets it until `lift`. */
  outage: (fault: Fault) => void;
  lift: () => void;
  /** The next request is carried out, and its answer is lost on the way. */
  loseAnswer: () => void;
  /** Seconds that the service says to wait from now on. */
  limit: () => number;
  /** Nothing will ever be taken from us any more. */
  revoke: () => void;
  /** An owner sets a secret that the service does not know; absent where there is none to set. */
  mistake?: () => Promise<void>;
}

type Handle = (request: Request) => Promise<Response>;

interface Server {
  origin: string;
  handle: Handle;
  /** `notify.{channel}` of Ann. */
  address: unknown;
  /** `dispatch.{channel}`. */
  settings?: object;
  asked: LocalChannel["asked"];
  seen: () => unknown;
  /** Both or either with a wrong secret. */
  wrong?: { address?: unknown; settings?: object };
  /** How the service says so in place of 410. */
  revoke?: () => void;
  /** Its own form of a fault, where a status is not all. */
  limited?: (wait: number) => Response;
}

/** Faults before any server: what it answers meanwhile, and answers that get lost. */
function withFaults({ handle, limited }: Server) {
  const faults = new FaultQueue();
  let losing = 0;
  let gone = false;
  return {
    faults,
    lose: () => void losing++,
    revoke: () => {
      gone = true;
    },
    handle: async (request: Request): Promise<Response> => {
      if (gone) return new Response("gone", { status: 410 });
      const fault = faults.take();
      if (fault?.status === 429 && limited) return limited(fault.wait ?? 1);
      if (fault) {
        const headers = fault.wait === undefined ? {} : { "Retry-After": String(fault.wait) };
        return new Response("a fault", { status: fault.status, headers });
      }
      const answer = await handle(request);
      if (losing === 0) return answer;
      losing--;
      throw new TypeError("the connection broke");
    },
  };
}

const WAIT = 600;

/** Puts the server at its address, and Ann behind it. */
async function createLocalChannel(
  channel: ChannelKind,
  home: TestHousehold,
  server: Server,
): Promise<LocalChannel> {
  const trouble = withFaults(server);
  reachOutside({ [server.origin]: trouble.handle });
  const configure = async ({ address, settings }: Pick<Server, "address" | "settings">) => {
    const executor = { id: "ann", capabilities: ["look"], notify: { [channel]: address } };
    const dispatch = settings ? [{ config: { dispatch: { [channel]: settings } } }] : [];
    await expectOkJson(await home.owner.postBlocks(...dispatch, { config: { executor } }));
  };
  await configure(server);
  const { wrong } = server;
  return {
    ...home,
    asked: server.asked,
    seen: () => JSON.stringify(server.seen()),
    outage: trouble.faults.outage,
    lift: trouble.faults.lift,
    loseAnswer: trouble.lose,
    limit: () => {
      trouble.faults.outage({ status: 429, wait: WAIT });
      return WAIT;
    },
    revoke: server.revoke ?? trouble.revoke,
    ...(wrong ? { mistake: () => configure({ ...server, ...wrong }) } : {}),
  };
}

/** Those that ask for it; a reminder begins with words of its own. */
const listMatching = (intent: string, texts: readonly string[]): string[] => {
  const reminder = buildHeadline(buildNotice({ kind: "reminder", intent }));
  return texts.filter((text) => text.includes(intent) && !text.includes(reminder));
};

const rejectDelivery = () => Promise.reject(new Error("nobody writes back here"));

export const LOCAL_CHANNELS: Readonly<Record<ChannelKind, () => Promise<LocalChannel>>> = {
  async slack() {
    const workspace = createSlack({ hook: ORIGIN, channels: [], deliver: rejectDelivery });
    const { api: _, ...settings } = workspace.settings();
    return await createLocalChannel("slack", await createFreshHousehold(), {
      origin: "https://slack.com",
      handle: workspace.handle,
      address: "U04ANN",
      settings,
      seen: () => workspace.messages.map(({ blocks }) => blocks),
      wrong: { settings: { ...settings, bot_token: "xoxb-of-nobody" } },
      asked: (intent) =>
        listMatching(
          intent,
          workspace.messages.map(({ text }) => text),
        ),
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
      seen: () => server.inChat(1_001).map(({ text }) => text),
      wrong: { settings: { ...settings, bot_token: "1:of-nobody" } },
      asked: (intent) =>
        listMatching(
          intent,
          server.inChat(1_001).map(({ text }) => text),
        ),
      revoke: () => server.act.block(1_001),
      limited: (wait) =>
        Response.json(
          { ok: false, error_code: 429, parameters: { retry_after: wait } },
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
      seen: () => phones.messages.map(({ body }) => body),
      wrong: { settings: { ...phones.settings(), auth_token: "of nobody" } },
      asked: (intent) =>
        listMatching(
          intent,
          phones.messages.map(({ body }) => body),
        ),
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
      seen: () => office.messages.map(({ text }) => text),
      asked: (intent) =>
        office.messages.map(({ subject }) => subject).filter((subject) => subject === intent),
    });
    return {
      ...localChannel,
      outage: office.outage,
      lift: office.lift,
      loseAnswer: office.loseAnswer,
      // The service says by a code of its own what is to wait.
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
    await stub.contacts.subscribe("ann", await service.subscribe("phone", vapid.value.publicKey));
    return await createLocalChannel("push", home, {
      origin: "https://push.example",
      handle: service.handle,
      address: true,
      seen: () => service.messages.map(({ note }) => note),
      asked: (intent) =>
        service.messages
          .filter(({ note }) => note["kind"] === "offer" && note["intent"] === intent)
          .map(({ topic }) => topic),
    });
  },
  async ntfy() {
    const server = createNtfy({ token: "sesame" });
    return await createLocalChannel("ntfy", await createFreshHousehold(), {
      origin: "https://ntfy.sh",
      handle: server.handle,
      address: "anns-topic",
      settings: { token: "sesame" },
      seen: () => server.shown("anns-topic"),
      wrong: { settings: { token: "of nobody" } },
      asked: (intent) =>
        listMatching(
          intent,
          server.messages
            // What takes the place of another is no question of its own.
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
      seen: () => room.messages.map(({ content }) => content),
      wrong: { address: room.address().replace(/[^/]+$/, "of-nobody") },
      asked: (intent) =>
        listMatching(
          intent,
          room.messages.map(({ versions }) => versions[0] ?? ""),
        ),
      revoke: room.act.revoke,
    });
  },
  async google_chat() {
    const space = createGoogleChat();
    return await createLocalChannel("google_chat", await createFreshHousehold(), {
      origin: "https://chat.googleapis.com",
      handle: space.handle,
      address: space.address(),
      seen: () => space.messages.map(({ text }) => text),
      wrong: { address: space.address().replace(/token=.*$/, "token=of-nobody") },
      asked: (intent) =>
        listMatching(
          intent,
          space.messages.map(({ text }) => text),
        ),
      revoke: space.act.revoke,
    });
  },
  async webhook() {
    const home = await createFreshHousehold();
    const { secret } = await home.owner.read("/api/v1/executors/ann/webhook-secret");
    const moppy = createRobot({ secret, deliver: rejectDelivery });
    const url = "https://moppy.example.com/hook";
    return await createLocalChannel("webhook", home, {
      origin: "https://moppy.example.com",
      handle: moppy.handle,
      address: { url, body: "json" },
      // The same id is the same call, however often it comes.
      seen: () => moppy.hooks.map(({ event, json }) => [event, json.data.holder]),
      wrong: { address: { url, secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw" } },
      asked: (intent) => [
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
    const moppy = createMcpRobot({
      era: "json",
      token: "sesame",
      work: async () => ({ content: [{ type: "text", text: "all clean" }] }),
    });
    return await createLocalChannel("mcp", await createFreshHousehold(), {
      origin: "https://moppy.example.com",
      handle: moppy.handle,
      address: { url, token: "sesame" },
      seen: () => moppy.calls,
      wrong: { address: { url, token: "of nobody" } },
      asked: (intent) => moppy.calls.filter((call) => call.intent === intent).map(({ ref }) => ref),
    });
  },
};
