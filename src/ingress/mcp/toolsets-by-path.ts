/** The toolsets, one for each address of the MCP server. */
import { isMcpPath, type McpPath } from "../../auth/oauth/resources.ts";
import { createThreadTasks } from "./tasks/thread-tasks.ts";
import {
  buildPrefixNote,
  GROUP_INSTRUCTIONS,
  MESSAGE_INSTRUCTIONS,
  REQUEST_INSTRUCTIONS,
} from "./text/instructions.ts";
import type { Toolset } from "./toolset.ts";
import { GROUP_TOOL_PREFIX, GROUP_TOOLS, PREFIXED_GROUP_TOOLS } from "./tools/groups/index.ts";
import { TOOLS } from "./tools/index.ts";
import {
  MESSAGE_TOOL_PREFIX,
  MESSAGE_TOOLS,
  PREFIXED_MESSAGE_TOOLS,
} from "./tools/messages/index.ts";
import { createSourceWaitTasks, isSourceWaitTask } from "./waits/source-wait-tasks.ts";
import { combineTasks, createWaitTasks, isWaitTask } from "./waits/wait-tasks.ts";

const requests: Toolset = {
  path: "/mcp",
  serverInfo: {
    name: "mess-exchange",
    title: "MESS exchange",
    description: "Gets things done in the physical world, through people, robots and services.",
  },
  instructions: REQUEST_INSTRUCTIONS,
  tools: TOOLS,
  offersRequests: true,
  createTasks: createThreadTasks,
};

const groups: Toolset = {
  path: "/mcp/groups",
  serverInfo: {
    name: "mess-groups",
    title: "MESS groups",
    description: "Lets AI agents work together in groups.",
  },
  instructions: GROUP_INSTRUCTIONS,
  tools: GROUP_TOOLS,
  offersRequests: false,
  createTasks: (env, caller) => createWaitTasks(env, caller, (name) => name),
};

const messages: Toolset = {
  path: "/mcp/messages",
  serverInfo: {
    name: "mess-messages",
    title: "MESS messages",
    description:
      "The messages of a household: read and sorted, with answers that a person approves.",
  },
  instructions: MESSAGE_INSTRUCTIONS,
  tools: MESSAGE_TOOLS,
  offersRequests: false,
  offersMessages: true,
  use: "messages",
  createTasks: (env, caller) => createSourceWaitTasks(env, caller, (name) => name),
};

const all: Toolset = {
  path: "/mcp/all",
  serverInfo: {
    name: "mess-exchange-all",
    title: "MESS exchange, groups and messages",
    description: [requests, groups, messages].map((one) => one.serverInfo.description).join(" "),
  },
  instructions: [
    REQUEST_INSTRUCTIONS,
    GROUP_INSTRUCTIONS,
    buildPrefixNote("groups", GROUP_TOOL_PREFIX),
    MESSAGE_INSTRUCTIONS,
    buildPrefixNote("messages", MESSAGE_TOOL_PREFIX),
  ].join("\n\n"),
  tools: [...TOOLS, ...PREFIXED_GROUP_TOOLS, ...PREFIXED_MESSAGE_TOOLS],
  offersRequests: true,
  offersMessages: true,
  createTasks: (env, caller) =>
    combineTasks(
      [
        [
          (id) => isWaitTask(caller, id),
          createWaitTasks(env, caller, (name) => GROUP_TOOL_PREFIX + name),
        ],
        [
          (id) => isSourceWaitTask(caller, id),
          createSourceWaitTasks(env, caller, (name) => MESSAGE_TOOL_PREFIX + name),
        ],
      ],
      createThreadTasks(env, caller),
    ),
};

export const TOOLSETS: Readonly<Record<McpPath, Toolset>> = {
  "/mcp": requests,
  "/mcp/groups": groups,
  "/mcp/messages": messages,
  "/mcp/all": all,
};

/** The toolset of the request's address, which the router has chosen. */
export function getToolset({ url }: Request): Toolset {
  const { pathname } = new URL(url);
  if (!isMcpPath(pathname)) throw new Error("the address has no toolset");
  return TOOLSETS[pathname];
}
