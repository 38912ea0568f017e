/** A channel whose service is a local server, with the interface that all contract tests use. */
import { defined } from "../../../src/mess/defined.ts";
import { env } from "cloudflare:workers";
import type { ChannelKind, Notice, SendResult } from "../../../src/channels/channel.ts";
import { buildHeadline } from "../../../src/channels/shared/notice-text.ts";
import { attemptDelivery } from "../../../src/delivery/delivery-attempt.ts";
import { getHouseholdStub } from "../../../src/stubs.ts";
import { type Fault, FaultQueue } from "../../support/fault-injection.ts";
import { buildNotice } from "../dispatch/channel-support.ts";
import { reachOutside } from "../ingress/local-services.ts";
import { Browser } from "../respond/support.ts";
import { expectOkJson, ORIGIN, sendRequest, type TestHousehold } from "../support.ts";

/** A message as its reader sees it now. */
export interface ShownMessage {
  text: string;
  /** The actions of its buttons, except the link to the page. */
  actions?: readonly (string | undefined)[];
  link?: string;
  /** For machines: the token with which they open the link. */
  token?: string;
}

export interface LocalChannel extends TestHousehold {
  /** The offers of this intent that arrived at Ann's address, in order; without reminders. */
  offersOf: (intent: string) => string[];
  /** The messages that Ann sees now, oldest first. */
  shown: () => ShownMessage[];
  /** Makes one attempt of a delivery to Ann: a new message, or an edit of the message with this handle. */
  deliver: (notice?: Partial<Notice>, handle?: string) => Promise<SendResult>;
  /** Tokens and keys of the channel. */
  secrets: readonly string[];
  /** Makes every request fail in this way until `endOutage`. */
  outage: (fault: Fault) => void;
  endOutage: () => void;
  /** The service processes the next request, but its response is lost. */
  loseAnswer: () => void;
  /** From now on the service does not respond. */
  silence: () => void;
  /** From now on the service asks to wait; returns the seconds. */
  limit: () => number;
  /** From now on the service refuses the address permanently. */
  revoke: () => void;
  /** Ann deletes the first message; absent if that is not possible. */
  remove?: () => void;
  /** The owner sets a wrong secret; absent if the channel has no secret of the owner. */
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
  shown: () => ShownMessage[];
  /** Ids or texts of the offers; by default the shown messages with the intent. */
  offersOf?: LocalChannel["offersOf"];
  secrets: readonly string[];
  /** An address or settings with a wrong secret. */
  wrong?: { address?: unknown; settings?: object };
  remove?: () => void;
  /** Makes the service refuse the address permanently in its own way; the default is status 410. */
  revoke?: () => void;
  /** The service's response to too many requests; the default has a `Retry-After` header. */
  buildLimited?: (seconds: number) => Response;
}

/** Injects faults before a server: error statuses, no response, and lost responses. */
function withFaults({ handle, buildLimited }: Server) {
  const faults = new FaultQueue();
  let losing = 0;
  let isGone = false;
  let isSilent = false;
  return {
    faults,
    lose: () => void losing++,
    silence: () => {
      isSilent = true;
    },
    revoke: () => {
      isGone = true;
    },
    handle: async (request: Request): Promise<Response> => {
      if (isSilent) return await new Promise(() => undefined);
      if (isGone) return new Response("gone", { status: 410 });
      const fault = faults.take();
      if (fault?.status === 429 && buildLimited) return buildLimited(fault.wait ?? 1);
      if (fault) {
        const headers = fault.wait === undefined ? {} : { "Retry-After": String(fault.wait) };
        return new Response("a fault", { status: fault.status, headers });
      }
      const response = await handle(request);
      if (losing === 0) return response;
      losing--;
      throw new TypeError("the connection broke");
    },
  };
}

const LIMIT_SECONDS = 600;

/** Configures the channel for Ann, and redirects its requests to the local server. */
export async function createLocalChannel(
  channel: ChannelKind,
  home: TestHousehold,
  server: Server,
): Promise<LocalChannel> {
  const { shown, wrong, secrets } = server;
  const faulty = withFaults(server);
  reachOutside({ [server.origin]: faulty.handle });
  const configure = async ({ address, settings }: Pick<Server, "address" | "settings">) => {
    const executor = { id: "ann", capabilities: ["look"], notify: { [channel]: address } };
    const dispatch = settings ? [{ config: { dispatch: { [channel]: settings } } }] : [];
    await expectOkJson(await home.owner.postBlocks(...dispatch, { config: { executor } }));
  };
  await configure(server);
  const deliver: LocalChannel["deliver"] = async (more = {}, handle) => {
    const { contacts } = await getHouseholdStub(env, home.id).contacts.findContacts({
      recipients: ["ann"],
      priority: "normal",
    });
    const notice = buildNotice({
      actions: ["claimed", "declined", "completed", "response"],
      household: home.id,
      ...more,
    });
    const accept = () => Promise.resolve(true);
    const address = contacts[0]!.addresses[0]!;
    return (await attemptDelivery(env, address, notice, handle ?? null, accept)).result;
  };
  return {
    ...home,
    offersOf:
      server.offersOf ??
      ((intent) =>
        listOffers(
          intent,
          shown().map(({ text }) => text),
        )),
    shown,
    deliver,
    secrets,
    outage: faulty.faults.outage,
    endOutage: faulty.faults.endOutage,
    loseAnswer: faulty.lose,
    silence: faulty.silence,
    limit: () => {
      faulty.faults.outage({ status: 429, wait: LIMIT_SECONDS });
      return LIMIT_SECONDS;
    },
    revoke: server.revoke ?? faulty.revoke,
    ...defined({ remove: server.remove }),
    ...(wrong ? { mistake: () => configure({ ...server, ...wrong }) } : {}),
  };
}

/** The texts that contain the intent and not the headline of a reminder. */
export const listOffers = (intent: string, texts: readonly string[]): string[] => {
  const reminder = buildHeadline(buildNotice({ kind: "reminder", intent }));
  return texts.filter((text) => text.includes(intent) && !text.includes(reminder));
};

/** Opens the link of a message, like a person's browser or like a machine with its token; returns the intent. */
export async function readByLink({ link = "", token }: ShownMessage, ref: string): Promise<string> {
  if (token !== undefined) {
    const headers = { Authorization: `Bearer ${token}`, Accept: "application/json" };
    const { envelope } = await expectOkJson(
      await sendRequest(link.slice(ORIGIN.length), { headers }),
    );
    return envelope.intent as string;
  }
  const { pathname, searchParams } = new URL(link);
  const browser = new Browser();
  const opened = await browser.open(
    pathname.startsWith("/r/")
      ? { code: pathname.slice("/r/".length) }
      : { token: searchParams.get("token") ?? "" },
  );
  if (opened.status !== 204) throw new Error(await opened.text());
  const { envelope } = await browser.readState(ref);
  return envelope.intent as string;
}
