/** A notice to a machine, and a simulated network of hosts on which machines listen. */
import { env } from "cloudflare:workers";
import { vi } from "vitest";
import type { Notice, SendContext } from "../../../src/channels/channel.ts";
import { createEgress } from "../../../src/egress/egress-fetch.ts";
import { buildNotice } from "./channel-support.ts";

export const REF = "2031-05-04-001-rice";

export const buildMachineNotice = (change: Partial<Notice> = {}): Notice => {
  const { link: _link, ...bare } = buildNotice();
  return {
    ...bare,
    id: "notice-1",
    household: "home",
    ref: REF,
    executor: "moppy",
    intent: "mop up the rice",
    actions: ["claimed", "completed", "declined", "response"],
    context: ["by the stove"],
    callback: {
      url: "https://mess.test/hooks/executor/home/moppy",
      token: "a.callback.token",
      expires: "2031-05-04T18:00:00Z",
    },
    request: { intent: "mop up the rice", context: ["by the stove"] },
    buildFile: async () =>
      `ref: ${REF}\nstatus: pending\n---\nfrom: scout\nMESS:\n  - request:\n      intent: mop up the rice\n`,
    ...change,
  };
};

type Handler = (request: Request) => Promise<Response>;

const hosts = new Map<string, Handler>();

/** Connects a machine to a host, and returns its origin. Requests to unknown hosts fail. */
export function connectHost(host: string, handle: Handler): string {
  hosts.set(host, handle);
  vi.stubGlobal("fetch", async (url: string, init: RequestInit) => {
    const found = hosts.get(new URL(url).host);
    if (!found) throw new TypeError("connection refused");
    return await until(init.signal, found(new Request(url, init)));
  });
  return `https://${host}`;
}

/** Waits for the response; it and its body end when the signal aborts, like those of `fetch`. */
async function until(
  signal: AbortSignal | null | undefined,
  answer: Promise<Response>,
): Promise<Response> {
  if (!signal) return await answer;
  const late = new Promise<never>((_resolve, reject) => {
    signal.addEventListener("abort", () => reject(new DOMException("too late", "AbortError")));
  });
  const response = await Promise.race([answer, late]);
  const body = response.body?.pipeThrough(new TransformStream(), { signal }) ?? null;
  return new Response(body, response);
}

/** A send context with the real egress and all its rules. */
export const createSender = (more: Partial<SendContext<object>> = {}): SendContext<object> => ({
  settings: {},
  egress: createEgress({ loopback: false, origin: "https://mess.test" }),
  now: Date.now(),
  env,
  ...more,
});
