/** The services outside, as the exchange reaches them in a test: requests to their addresses end at local servers. */
import { vi } from "vitest";

/** Until `vi.unstubAllGlobals()`. A host that nobody named is one that cannot be reached. */
export function reachOutside(
  hosts: Readonly<Record<string, (request: Request) => Promise<Response>>>,
): void {
  vi.stubGlobal("fetch", (input: string | URL | Request, init?: RequestInit) => {
    const request = new Request(input, init);
    const handle = hosts[new URL(request.url).origin];
    return handle ? handle(request) : Promise.reject(new TypeError("no such host"));
  });
}
