/** One channel with a local server in place of its service, in the form that all contract tests use. */
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
  /** The actions of its buttons, without the link. */
  actions?: readonly (string | undefined)[];
  link?: string;
  /** The token that opens the link, for machines. */
  token?: string;
}

export interface LocalChannel extends TestHousehold {
  /** The offers of this intent that reached Ann, in order; reminders are left out. */
  offersOf: (intent: string) => string[];
  /** What Ann sees now, oldest first. */
  shown: () => ShownMessage[];
  /** Attempts one delivery to Ann, as the thread does: a new message, or an edit of the one with this handle. */
  deliver: (notice?: Partial<Notice>, handle?: string) => Promise<SendResult>;
  /** Tokens and keys of the channel. */
  secrets: readonly string[];
  /** Every request fails in this way until `lift`. */
  outage: (fault: Fault) => void;
  lift: () => void;
  /** The next request is carried out, and its answer is lost. */
  loseAnswer: () => void;
  /** The service never answers any more. */
  silence: () => void;
  /** The service asks to wait for the returned number of seconds. */
  limit: () => number;
  /** The address accepts nothing any more. */
  revoke: () => void;
  /** The reader deletes the first message; absent if that is not possible. */
  remove?: () => void;
  /** An owner sets a wrong secret; absent if owners set none. */
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
  /** The service's own way to refuse an address for good; 410 by default. */
  revoke?: () => void;
  /** The service's own response to too many requests; a `Retry-After` header by default. */
  buildLimited?: (seconds: number) => Response;
}

/** Puts faults in front of any server: its status, its silence, and answers that are lost. */
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
      const answer = await handle(request);
      if (losing === 0) return answer;
      losing--;
      throw new TypeError("the connection broke");
    },
  };
}

const LIMIT_SECONDS = 600;

/** Sets up the channel for Ann, with the server at the address of the service. */
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
    lift: faulty.faults.lift,
    loseAnswer: faulty.lose,
    silence: faulty.silence,
    limit: () => {
      faulty.faults.outage({ status: 429, wait: LIMIT_SECONDS });
      return LIMIT_SECONDS;
    },
    revoke: server.revoke ?? faulty.revoke,
    ...(server.remove ? { remove: server.remove } : {}),
    ...(wrong ? { mistake: () => configure({ ...server, ...wrong }) } : {}),
  };
}

/** The texts with the intent that are not reminders, which have a headline that differs. */
export const listOffers = (intent: string, texts: readonly string[]): string[] => {
  const reminder = buildHeadline(buildNotice({ kind: "reminder", intent }));
  return texts.filter((text) => text.includes(intent) && !text.includes(reminder));
};

/** Reads the thread through the link of a message, as a browser does for a person and a machine with its token. */
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
