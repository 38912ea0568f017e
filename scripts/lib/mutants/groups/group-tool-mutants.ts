/** Defects of the MCP server's addresses and of its tools for AI groups, which would break silently. */
import type { Mutant } from "../mutant.ts";

const RESOURCES = ["oauth/resources"];
const TOOLS = ["mcp/groups/tools"];
const WAITS = ["mcp/groups/wait"];
const POOLS = ["mcp/groups/pools"];

export const GROUP_TOOL_MUTANTS: readonly Mutant[] = [
  {
    name: "group tools: a token for one address opens another",
    file: "src/auth/oauth/access-tokens.ts",
    find: "for (const path of paths) {",
    replace: 'for (const path of [...paths, "/mcp" as const]) {',
    tests: RESOURCES,
  },
  {
    name: "group tools: a grant for one address replaces that for another",
    file: "src/ingress/pages/sign-in/authorize.ts",
    find: "...(path === DEFAULT_MCP_PATH ? [] : [path]),",
    replace: "...(isDefault || pathname ? [] : [pathname]),",
    tests: RESOURCES,
  },
  {
    name: "group tools: the text of another agent is not quoted",
    file: "src/ingress/mcp/text/describe-group.ts",
    find: "    quoteText(content),",
    replace: "    [quoteText(content), content][1]!,",
    tests: TOOLS,
  },
  {
    name: "group tools: the task of a wait lasts as long as its id says",
    file: "src/ingress/mcp/waits/wait-task-id.ts",
    find: "seconds >= 0 && seconds <= MAX_LONG_WAIT_SECONDS",
    replace: "seconds >= 0",
    tests: WAITS,
  },
  {
    name: "group tools: a task that is cancelled takes messages from the next wait",
    file: "src/ingress/mcp/waits/wait-tasks.ts",
    find: "const continued = isDelivery && task.isContinued",
    replace: "const continued = task.isContinued",
    tests: WAITS,
  },
  {
    name: "group tools: a cancelled task takes messages that arrive later",
    file: "src/groups/reading/receive-messages.ts",
    find: "wait !== undefined && store.cancelledWaits.has(key, wait)",
    replace: "wait === key && store.cancelledWaits.has(key, wait)",
    tests: WAITS,
  },
  {
    name: "group tools: a task that is cancelled loses its result",
    file: "src/ingress/mcp/waits/wait-tasks.ts",
    find: 'if (task.status !== "working") return true;',
    replace: 'if (task.status === "cancelled") return true;',
    tests: WAITS,
  },
  {
    name: "group tools: the messages of a task are repeated by the next wait",
    file: "src/ingress/mcp/waits/wait-tasks.ts",
    find: "isContinued: cursor === undefined,",
    replace: "isContinued: cursor !== undefined,",
    tests: WAITS,
  },
  {
    name: "group tools: a client without progress waits longer than it listens",
    file: "src/ingress/mcp/waits/long-wait.ts",
    find: "Math.min(timeout, MAX_WAIT_SECONDS)",
    replace: "Math.max(timeout, MAX_WAIT_SECONDS)",
    tests: WAITS,
  },
  {
    name: "group tools: a client that vanishes keeps its wait",
    file: "src/ingress/mcp/waits/long-wait.ts",
    find: "wait(seconds * 1_000, mcp.mcpReq.signal)",
    replace: "wait(seconds * 1_000, new AbortController().signal)",
    tests: WAITS,
  },
  {
    name: "group tools: a call without ids goes to the first of several households",
    file: "src/ingress/mcp/tools/groups/find-by-ids.ts",
    find: "if (hasSeveral(caller) && id === undefined)",
    replace: "if (!hasSeveral(caller) && id === undefined && caller.principals.length > 1)",
    tests: POOLS,
  },
];
