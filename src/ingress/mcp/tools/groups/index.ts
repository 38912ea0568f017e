/** All tools of AI groups, in the order in which clients list them. */
import { fail } from "../../../../mess/result.ts";
import type { Tool, ToolNamer } from "../../tool.ts";
import { buildClaimTools } from "./claims.ts";
import { buildHandoffTools } from "./handoff.ts";
import { buildHealthTools } from "./health.ts";
import { buildMembershipTools } from "./memberships.ts";
import { buildMessageTools } from "./messages.ts";
import { buildPendingTools } from "./pending.ts";
import { buildPoolTools } from "./pool.ts";
import { buildReservationTools } from "./reservations.ts";
import { buildSearchTool } from "./search.ts";
import { buildStatusTool } from "./status.ts";
import { buildWaitTool } from "./wait.ts";

const buildGroupTools = (toolName: ToolNamer): Tool[] =>
  [
    ...buildMembershipTools(toolName),
    buildStatusTool(toolName),
    ...buildMessageTools(toolName),
    ...buildPendingTools(toolName),
    buildSearchTool(toolName),
    buildWaitTool(toolName),
    ...buildHandoffTools(toolName),
    ...buildPoolTools(toolName),
    ...buildClaimTools(toolName),
    ...buildHealthTools(toolName),
    ...buildReservationTools(toolName),
    // The hints of their refusals name tools already.
  ].map((tool) => ({ ...tool, errorHints: {}, isBrief: true as const }));

export const GROUP_TOOLS: readonly Tool[] = buildGroupTools((name) => name);

/** Before the names of the tools where other tools are offered, too. */
export const GROUP_TOOL_PREFIX = "group_";

const PLAIN_NAMES = GROUP_TOOLS.map(({ name }) => name).join("|");
/** Names of tools in hints of refusals, which do not know the address. */
const NAMED_TOOL_PATTERN = new RegExp(`(?<=\\b(?:[Cc]all|or|with|by) )(?:${PLAIN_NAMES})\\b`, "g");

/** The same tools, named with the prefix; the hints of their refusals, too. */
export const PREFIXED_GROUP_TOOLS: readonly Tool[] = buildGroupTools(
  (name) => GROUP_TOOL_PREFIX + name,
).map((tool) => ({
  ...tool,
  async run(input, call) {
    const outcome = await tool.run(input, call);
    if (outcome.ok) return outcome;
    const hint = outcome.error.hint.replaceAll(NAMED_TOOL_PATTERN, `${GROUP_TOOL_PREFIX}$&`);
    return fail({ ...outcome.error, hint });
  },
}));
