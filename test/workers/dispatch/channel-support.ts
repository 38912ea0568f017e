/** Calls a channel directly, with a test notice and a local server in place of its API. */
import { env } from "cloudflare:workers";
import type { Notice, SendContext } from "../../../src/channels/channel.ts";
import type { Egress } from "../../../src/egress/egress.ts";
import { refuse } from "../../../src/mess/errors.ts";
import { ok } from "../../../src/mess/result.ts";

/** The error of a request to a server that cannot be reached. */
export const UNREACHED = "the connection failed";

export const NOW = Date.parse("2031-04-05T10:00:00Z");

export const SHORT_LINK = "https://mess.test/r/smith_2031-04-05-006_1abcdefghjkmnpqrs";
export const INTENT = "check what is in the fridge";

/** A notice: an offer of a thread, with the fields of `more` replaced. */
export const buildNotice = (more: Partial<Notice> = {}): Notice => ({
  id: "msg_2031-04-05-006.1",
  kind: "offer",
  household: "smith",
  ref: "2031-04-05-006",
  executor: "ann",
  intent: INTENT,
  priority: "normal",
  status: "pending",
  requestor: "scout",
  holder: null,
  isHolder: false,
  context: [],
  actions: ["claimed", "declined", "response"],
  link: {
    url: "https://mess.test/respond?ref=2031-04-05-006&token=x",
    short_url: SHORT_LINK,
  },
  request: { intent: INTENT },
  buildFile: () => Promise.resolve(""),
  ...more,
});

/** Passes requests to the handler; a handler that throws simulates a failed connection. */
export const createEgressTo = (handle: (request: Request) => Promise<Response>): Egress => {
  const reach = async (url: string, init: RequestInit = {}) => {
    try {
      return ok(await handle(new Request(url, init)));
    } catch {
      return refuse("internal", UNREACHED, "Try again later.");
    }
  };
  return {
    send: async (url, init) => {
      const answered = await reach(url, init);
      if (!answered.ok) return answered;
      const { status, headers } = answered.value;
      return ok({ status, headers, text: await answered.value.text() });
    },
    fetch: () => Promise.reject(new Error("this channel fetches nothing")),
    open: () => Promise.reject(new Error("this channel opens nothing")),
    connect: () => Promise.reject(new Error("this channel connects to nothing")),
  };
};

export const createSenderTo = <Settings>(
  handle: (request: Request) => Promise<Response>,
  settings: Settings,
  bindings: Partial<Env> = {},
): SendContext<Settings> => ({
  settings,
  egress: createEgressTo(handle),
  now: NOW,
  env: { ...env, ...bindings },
});
