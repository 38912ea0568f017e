/** The services outside, as the exchange reaches them in a test: requests to their addresses end at local servers. */
import { vi } from "vitest";

/** Until `vi.unstubAllGlobals()`. A host that is not listed cannot be reached. A request ends when its signal aborts. */
export function reachOutside(
  hosts: Readonly<Record<string, (request: Request) => Promise<Response>>>,
): void {
  vi.stubGlobal("fetch", async (input: string | URL | Request, init?: RequestInit) => {
    const request = new Request(input, init);
    const handle = hosts[new URL(request.url).origin];
    if (!handle) throw new TypeError("no such host");
    const answer = handle(request);
    return init?.signal ? await Promise.race([answer, rejectOnAbort(init.signal)]) : await answer;
  });
}

const rejectOnAbort = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => {
    signal.addEventListener("abort", () => reject(new DOMException("aborted", "AbortError")));
  });
