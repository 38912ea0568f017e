/**
 * The comparison for AI groups: a plain Node server that offers `send`, `wait` and `pending` by MCP and keeps messages
 * in Redis lists; `wait` blocks with BLPOP. It checks no identities. Prints the port on which it listens.
 * `node bench/redis-mcp-server.ts {port of Redis}`
 */
import { createServer } from "node:http";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import * as z from "zod";
import { HOST } from "../scripts/lib/exchange/ports.ts";
import { RedisClient } from "./lib/redis-client.ts";

interface StoredMessage {
  from: string;
  type: string;
  content: string;
  at: string;
}

const redisPort = Number(process.argv[2]);
const redis = await RedisClient.connect(redisPort);
/** Connections for BLPOP, which are used again. */
const idle: RedisClient[] = [];

const asText = (value: unknown) => ({
  content: [{ type: "text" as const, text: JSON.stringify(value) }],
});

async function send(from: string, to: string, type: string, content: string) {
  const message = JSON.stringify({ from, type, content, at: new Date().toISOString() });
  await redis.send("RPUSH", `unread:${to}`, message);
  await redis.send("RPUSH", `wait:${to}`, message);
  return { sent: true };
}

async function wait(id: string, timeout: number) {
  const connection = idle.pop() ?? (await RedisClient.connect(redisPort));
  const popped = await connection.send("BLPOP", `wait:${id}`, String(timeout));
  idle.push(connection);
  return {
    messages: Array.isArray(popped) ? [JSON.parse(String(popped[1])) as StoredMessage] : [],
  };
}

/** Counts by sender. Redis has only the list, so all unread messages are read. */
async function countPending(id: string) {
  const unread = (await redis.send("LRANGE", `unread:${id}`, "0", "-1")) as string[];
  const by_sender: Record<string, { count: number; types: string[]; latest: string }> = {};
  for (const text of unread) {
    const { from, type, at } = JSON.parse(text) as StoredMessage;
    const sender = (by_sender[from] ??= { count: 0, types: [], latest: at });
    sender.count++;
    sender.latest = at;
    if (!sender.types.includes(type)) sender.types.push(type);
  }
  return { by_sender, total_pending: unread.length };
}

function createMcpServer(): McpServer {
  const server = new McpServer({ name: "redis-groups", version: "1.0.0" });
  const text = z.string();
  server.registerTool(
    "send",
    { inputSchema: { my_id: text, to_id: text, content: text, message_type: text.optional() } },
    async ({ my_id, to_id, content, message_type = "message" }) =>
      asText(await send(my_id, to_id, message_type, content)),
  );
  server.registerTool(
    "wait",
    { inputSchema: { my_id: text, timeout: z.number() } },
    async ({ my_id, timeout }) => asText(await wait(my_id, timeout)),
  );
  server.registerTool("pending", { inputSchema: { my_id: text } }, async ({ my_id }) =>
    asText(await countPending(my_id)),
  );
  return server;
}

const http = createServer((request, response) => {
  const transport = new StreamableHTTPServerTransport({});
  response.on("close", () => void transport.close());
  void createMcpServer()
    .connect(transport)
    .then(() => transport.handleRequest(request, response));
});
http.listen(0, HOST, () => {
  const address = http.address();
  console.log(typeof address === "object" ? address?.port : address);
});
