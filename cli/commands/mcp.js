/** `mess mcp`: an MCP server on standard input and output, for clients that cannot connect to a remote one. */
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { readArguments } from "../lib/command.js";
import { Connection } from "../lib/mcp/connection.js";
import { Router } from "../lib/mcp/router.js";
import { chooseProfile, readProfiles, resolveProfile } from "../lib/profiles.js";

const USAGE = "mess mcp [--tools SET] [--profile NAME]";
const PATHS = /** @type {Readonly<Record<string, string>>} */ ({
  requests: "/mcp",
  groups: "/mcp/groups",
  messages: "/mcp/messages",
  all: "/mcp/all",
});
const LAST_RESPONSES_MS = 2_000;
const PARSE_ERROR = -32_700;

/** @type {import("../lib/command.js").Command} */
export const mcp = {
  name: "mcp",
  summary: "Serve the exchange's tools to an AI client on this machine (MCP by stdio)",
  usage: [USAGE],
  description: `For clients that start a program instead of connecting to an address. The tools are those of the exchange.
With several profiles in config.yaml, each tool has the parameter "exchange" with their names; the
default profile answers calls without it. The address of another exchange's resource ends with ?exchange=NAME. --profile serves one exchange only.

In the client's configuration: {"mcpServers": {"mess": {"command": "mess", "args": ["mcp"]}}}`,
  options: {
    tools: {
      type: "string",
      value: "SET",
      choices: Object.keys(PATHS),
      help: "which tools to serve",
    },
  },
  examples: [["mess mcp --tools all", "requests, AI groups and message sources"]],
  run: async (context) => {
    readArguments(context, [], USAGE);
    const profiles = listProfiles(context.values["profile"]);
    const path = PATHS[context.values["tools"] ?? "requests"] ?? "/mcp";
    const server = createServer(profiles, path);
    const pending = new Set();
    for await (const line of createInterface({ input: process.stdin })) {
      const message = parseMessage(line);
      if (message === undefined) continue;
      const handled = server.handle(message).finally(() => pending.delete(handled));
      pending.add(handled);
      // The handshake and its end must arrive in order.
      if (["initialize", "notifications/initialized"].includes(message["method"])) await handled;
    }
    // The client is gone; a script that has sent its calls at once still gets their responses.
    await Promise.race([Promise.all(pending), sleep(LAST_RESPONSES_MS, undefined, { ref: false })]);
    server.close();
  },
};

/** @param {object} message */
const emit = (message) => void process.stdout.write(`${JSON.stringify(message)}\n`);

/** The exchanges to serve, the default one first. @param {string | undefined} name */
function listProfiles(name) {
  const chosen = chooseProfile(name);
  if (name !== undefined || process.env["MESS_PROFILE"] || chosen.name === "environment")
    return [chosen];
  const others = readProfiles().profiles.filter((one) => one.name !== chosen.name);
  return [chosen, ...others.map((one) => resolveProfile(one))];
}

/**
 * @param {readonly import("../lib/profiles.js").Profile[]} profiles
 * @param {string} path
 */
function createServer(profiles, path) {
  const [only, ...others] = profiles;
  if (others.length > 0 || !only) return new Router(profiles, path, emit);
  const connection = new Connection(only, path, emit);
  return {
    handle: (/** @type {any} */ message) => connection.send(message),
    close: () => connection.close(),
  };
}

/** @param {string} line @returns {Record<string, any> | undefined} */
function parseMessage(line) {
  if (line.trim() === "") return undefined;
  try {
    const message = JSON.parse(line);
    if (typeof message === "object" && message !== null && !Array.isArray(message)) return message;
  } catch {
    // Reported below, like a line that is no message.
  }
  emit({
    jsonrpc: "2.0",
    id: null,
    error: { code: PARSE_ERROR, message: "not a JSON-RPC message" },
  });
  return undefined;
}
