/** All tools, in the order in which clients list them. */
import type { Tool } from "../tool.ts";
import { cancelTool } from "./cancel.ts";
import { capabilitiesTool } from "./capabilities.ts";
import { doTool } from "./do.ts";
import { fetchTool } from "./fetch.ts";
import { messTool } from "./mess.ts";
import { observeTool } from "./observe.ts";
import { replyTool } from "./reply.ts";
import { statusTool } from "./status.ts";
import { waitTool } from "./wait.ts";

export const TOOLS: readonly Tool[] = [
  observeTool,
  doTool,
  statusTool,
  waitTool,
  replyTool,
  cancelTool,
  capabilitiesTool,
  fetchTool,
  messTool,
];
