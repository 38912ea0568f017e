/** Starts Redis and the plain MCP server on it, for the comparison of AI groups. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { claimPort, HOST, isAnswering } from "../../scripts/lib/exchange/ports.ts";

export interface RedisStack {
  /** The URL of the MCP server. */
  url: string;
  stop(): Promise<void>;
}

const SERVER = join(import.meta.dirname, "..", "redis-mcp-server.ts");

/** Undefined where `redis-server` is not installed. Every write is appended to a file, which is synced each second. */
export async function startRedisStack(): Promise<RedisStack | undefined> {
  const directory = mkdtempSync(join(tmpdir(), "mess-redis-"));
  const port = await claimPort(0);
  const options = ["--port", String(port), "--bind", HOST, "--dir", directory];
  const redis = spawn("redis-server", [...options, "--appendonly", "yes"], { stdio: "ignore" });
  const stopRedis = async (): Promise<void> => {
    await stop(redis);
    rmSync(directory, { recursive: true, force: true });
  };
  if (!(await isStarted(redis, port))) {
    await stopRedis();
    return undefined;
  }
  const server = spawn(process.execPath, [SERVER, String(port)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [serverPort] = (await once(createInterface(server.stdout), "line")) as [string];
  return {
    url: `http://${HOST}:${serverPort}/mcp`,
    stop: async () => {
      await stop(server);
      await stopRedis();
    },
  };
}

async function isStarted(redis: ChildProcess, port: number): Promise<boolean> {
  const failed = new AbortController();
  redis.once("error", () => failed.abort());
  redis.once("exit", () => failed.abort());
  while (!failed.signal.aborted) if (await isAnswering(port)) return true;
  return false;
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill();
  await exited;
}
