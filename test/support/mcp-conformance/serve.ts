/**
 * Serves the Worker with the suite's fixtures, and a proxy to the exchange that adds a key, since the suite has none.
 */
import { createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { claimPort, HOST } from "../../../scripts/lib/exchange/ports.ts";
import { ROOT } from "../../../scripts/lib/exchange/wrangler.ts";
import { run, createTemporaryDirectory } from "../exchange-process.ts";

export interface Served {
  /** Address of the MCP endpoint. */
  url: string;
  stop(): Promise<void>;
}

const START_TIMEOUT_MS = 60_000;

export async function serveFixtures(): Promise<Served> {
  const port = await claimPort(0);
  const url = `http://${HOST}:${port}/mcp`;
  const program = run(join(ROOT, "node_modules", ".bin", "node"), [
    join(ROOT, "node_modules", "wrangler", "bin", "wrangler.js"),
    "dev",
    `--config=${join(ROOT, "test", "support", "mcp-conformance", "wrangler.toml")}`,
    `--ip=${HOST}`,
    `--port=${port}`,
    "--inspector-port=0",
    `--persist-to=${createTemporaryDirectory()}`,
    "--show-interactive-dev-session=false",
  ]);
  const stop = async () => {
    if (program.child.pid !== undefined) process.kill(-program.child.pid, "SIGTERM");
    await program.exit;
  };
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (!(await isUp(url))) {
    if (Date.now() > deadline || program.child.exitCode !== null) {
      await stop();
      throw new Error(`The fixtures' Worker did not start:\n${program.output()}`);
    }
    await sleep(100);
  }
  return { url, stop };
}

const isUp = async (url: string): Promise<boolean> => {
  try {
    return (await fetch(url)).status === 405;
  } catch {
    return false;
  }
};

/** Forwards every request unchanged to the exchange, with the key added. */
export async function serveWithKey(target: string, key: string): Promise<Served> {
  const { hostname, port } = new URL(target);
  const server = createServer((incoming, outgoing) => {
    const headers = { ...incoming.headers, authorization: `Bearer ${key}` };
    const { method, url: path } = incoming;
    const forwarded = request({ host: hostname, port, path, method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    forwarded.on("error", () => outgoing.destroy());
    outgoing.on("close", () => forwarded.destroy());
    incoming.pipe(forwarded);
  });
  const address = await startListening(server);
  return {
    url: `http://${HOST}:${address.port}/mcp`,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}

const startListening = (server: Server): Promise<AddressInfo> =>
  new Promise((resolve, reject) => {
    server.on("error", reject);
    server.listen(0, HOST, () => resolve(server.address() as AddressInfo));
  });
