/** All tools for message sources, in the order in which clients list them. None approves or sends (decision 79). */
import type { ErrorHints } from "../../tool-errors.ts";
import type { Tool, ToolNamer } from "../../tool.ts";
import { buildDraftTools } from "./drafts.ts";
import { buildListTool } from "./list.ts";
import { buildMarkTool } from "./mark.ts";
import { buildPolicyTool } from "./policy.ts";
import { buildReadTool } from "./read.ts";
import { buildWaitTool } from "./wait.ts";

const buildErrorHints = (toolName: ToolNamer): ErrorHints => ({
  not_found: `Call ${toolName("list")} without parameters for your sources, and use their names and ids; do not guess.`,
  draft_changed: `Somebody changed the draft. Read it with ${toolName("read")}, and repeat the change with its revision if it is still right.`,
  person_required: `Only a person can do this. ${toolName("request_approval")} asks the owners.`,
});

const buildMessageTools = (toolName: ToolNamer): Tool[] =>
  [
    buildListTool(toolName),
    buildReadTool(toolName),
    buildWaitTool(toolName),
    ...buildDraftTools(toolName),
    buildMarkTool(toolName),
    buildPolicyTool(toolName),
  ].map((tool) => ({ ...tool, errorHints: buildErrorHints(toolName), isBrief: true as const }));

export const MESSAGE_TOOLS: readonly Tool[] = buildMessageTools((name) => name);

/** Before the names of the tools where other tools are offered, too. */
export const MESSAGE_TOOL_PREFIX = "message_";

export const PREFIXED_MESSAGE_TOOLS: readonly Tool[] = buildMessageTools(
  (name) => MESSAGE_TOOL_PREFIX + name,
);
