/** An executor's endpoint that responds at once and records the time of each call, or never responds. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface Endpoint {
  readonly url: string;
  /** `performance.now()` of every call, by path and thread; calls of the baseline have no thread. */
  readonly calls: Map<string, number>;
  /** Resolves once this number of calls was received. */
  readonly until: (count: number) => Promise<void>;
  stop(): Promise<void>;
}

export const buildCallKey = (path: string, ref = ""): string => `${path} ${ref}`;

/** @param silent paths that never get a response */
export async function startEndpoint(silent: readonly string[] = []): Promise<Endpoint> {
  const calls = new Map<string, number>();
  const waiting: { count: number; resolve: () => void }[] = [];
  const server = createServer((request, response) => {
    const path = request.url ?? "";
    if (silent.includes(path)) return;
    const key = buildCallKey(path, String(request.headers["mess-ref"] ?? ""));
    if (!calls.has(key)) calls.set(key, performance.now());
    request.resume();
    response.writeHead(204).end();
    for (const { count, resolve } of waiting) if (calls.size >= count) resolve();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    until: (count) =>
      new Promise((resolve) => {
        waiting.push({ count, resolve });
        if (calls.size >= count) resolve();
      }),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
