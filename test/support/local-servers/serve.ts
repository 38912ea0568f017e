/** Serves a handler of web requests on a free local port, for local servers of channel APIs. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface Served {
  readonly origin: string;
  readonly stop: () => Promise<void>;
}

/** `handle` may throw to close the connection, like a server that crashes. */
export async function serveLocally(
  handle: (request: Request) => Promise<Response>,
): Promise<Served> {
  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("end", () => {
      const headers = Object.entries(incoming.headers).map(([name, value]): [string, string] => [
        name,
        Array.isArray(value) ? value.join(", ") : (value ?? ""),
      ]);
      const { method = "GET", url = "/" } = incoming;
      const body = method === "GET" || method === "HEAD" ? {} : { body: Buffer.concat(chunks) };
      handle(new Request(`${getOrigin()}${url}`, { method, headers, ...body }))
        .then(async (response) => {
          outgoing.writeHead(response.status, Object.fromEntries(response.headers));
          outgoing.end(Buffer.from(await response.arrayBuffer()));
        })
        .catch(() => incoming.socket.destroy());
    });
  });
  const getOrigin = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    origin: getOrigin(),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
