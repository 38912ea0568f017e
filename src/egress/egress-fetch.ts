/** Sends the outgoing requests of channels: checked addresses, no redirects, limited time and response size. */
import { type Outcome, refuse } from "../mess/errors.ts";
import { ok } from "../mess/result.ts";
import type { Egress, EgressResponse, EgressFile } from "./egress.ts";
import { checkAddress, type EgressRules } from "./egress-address.ts";
import { connectToMailServer } from "./egress-connect.ts";
import { readUpTo } from "./read-up-to.ts";

/** Timeout of a request including its whole response. */
const REQUEST_TIMEOUT_MS = 20_000;
/** Maximum bytes that are read of a response. */
const MAX_READ_BYTES = 64 * 1024;

const refuseUnreachable = (reason: string) =>
  refuse("internal", reason, "Try again later, or correct the address.");

/** Creates the client for outgoing requests. Responses are read up to their limit, then canceled. */
export function createEgress(rules: EgressRules): Egress {
  const open = async (
    text: string,
    init: RequestInit & { signal: AbortSignal },
  ): Promise<Outcome<Response>> => {
    const address = checkAddress(text, rules);
    if (!address.ok) return address;
    try {
      const response = await fetch(address.value.href, { ...init, redirect: "manual" });
      if (response.status >= 300 && response.status < 400 && init.redirect !== "manual") {
        await discardBody(response);
        return refuseUnreachable("the server responded with a redirect, which is not followed");
      }
      return ok(response);
    } catch {
      return refuseUnreachable(init.signal.aborted ? "no answer in time" : "the connection failed");
    }
  };

  const fetchWithTimeout = async <T>(
    url: string,
    init: RequestInit,
    read: (response: Response) => Promise<Outcome<T>>,
  ): Promise<Outcome<T>> => {
    const late = AbortSignal.timeout(REQUEST_TIMEOUT_MS);
    const signal = init.signal ? AbortSignal.any([late, init.signal]) : late;
    const opened = await open(url, { ...init, signal });
    if (!opened.ok) return opened;
    try {
      return await read(opened.value);
    } catch {
      return refuseUnreachable(
        signal.aborted ? "no answer in time" : "the connection was interrupted",
      );
    }
  };

  return {
    open,
    connect: (server) => connectToMailServer(server, rules),
    send: (url, init = {}) =>
      fetchWithTimeout<EgressResponse>(url, init, async (response) => {
        const { bytes } = await readUpTo(response, MAX_READ_BYTES);
        const { status, headers } = response;
        return ok({ status, headers, text: new TextDecoder().decode(bytes) });
      }),
    fetch: (url, init, maxBytes) =>
      fetchWithTimeout<EgressFile>(url, init, async (response) => {
        if (!response.ok) {
          await discardBody(response);
          return refuseUnreachable(`the file's server responded with status ${response.status}`);
        }
        const { bytes, isCut } = await readUpTo(response, maxBytes);
        const mime = response.headers.get("Content-Type") ?? "application/octet-stream";
        return isCut
          ? refuse("too_large", `the file is larger than ${maxBytes} bytes`, "Send a smaller file.")
          : ok({ mime, bytes });
      }),
  };
}

async function discardBody(response: Response): Promise<void> {
  await response.body?.cancel().catch(() => undefined);
}
