/** Starts a local MCP robot whose responses are streamed. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { createMcpRobot, type McpRobotOptions } from "../channels/mcp-robot.ts";

/** `url` is the address for `notify: {mcp: …}`. */
export async function startMcpRobot(options: McpRobotOptions) {
  const robot = createMcpRobot(options);
  const server = createServer((incoming, outgoing) => {
    const headers = Object.entries(incoming.headers).map(([name, value]): [string, string] => [
      name,
      String(value),
    ]);
    const { method = "GET", url = "/" } = incoming;
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("end", () => {
      const body = method === "POST" ? { body: Buffer.concat(chunks) } : {};
      robot
        .handle(new Request(`${getOrigin()}${url}`, { method, headers, ...body }))
        .then((response) => {
          outgoing.writeHead(response.status, Object.fromEntries(response.headers));
          outgoing.flushHeaders();
          if (response.body) Readable.fromWeb(response.body as never).pipe(outgoing);
          else outgoing.end();
        })
        .catch(() => incoming.socket.destroy());
    });
  });
  const getOrigin = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    ...robot,
    url: `${getOrigin()}/mcp`,
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
