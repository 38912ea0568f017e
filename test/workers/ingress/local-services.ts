/** Redirects the requests to external services to local servers. */
import { vi } from "vitest";

/** Lasts until `vi.unstubAllGlobals()`. Requests to hosts that are not listed fail; a request ends with its signal. */
export function reachOutside(
  hosts: Readonly<Record<string, (request: Request) => Promise<Response>>>,
): void {
  vi.stubGlobal("fetch", async (input: string | URL | Request, init?: RequestInit) => {
    const request = new Request(input, init);
    const handle = hosts[new URL(request.url).origin];
    if (!handle) throw new TypeError("no such host");
    const response = handle(request);
    return init?.signal
      ? await Promise.race([response, rejectOnAbort(init.signal)])
      : await response;
  });
}

const rejectOnAbort = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => {
    signal.addEventListener("abort", () => reject(new DOMException("aborted", "AbortError")));
  });
