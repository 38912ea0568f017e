/**
 * The protected resources (RFC 8707, RFC 9728): each address of the MCP server is one, with tokens of its own, so that
 * two of them can be two connectors of one account.
 */

/** The description of a resource that clients show people; `documentation` is a path. */
interface ResourceFacts {
  name: string;
  documentation: string;
}

export const MCP_RESOURCES = {
  "/mcp": { name: "MESS exchange", documentation: "/skill/SKILL.md" },
  "/mcp/groups": { name: "MESS groups", documentation: "/skill/groups/SKILL.md" },
  "/mcp/messages": { name: "MESS messages", documentation: "/skill/messages/SKILL.md" },
  "/mcp/all": { name: "MESS exchange, groups and messages", documentation: "/skill/SKILL.md" },
} as const satisfies Record<string, ResourceFacts>;

export type McpPath = keyof typeof MCP_RESOURCES;

export const MCP_PATHS = Object.keys(MCP_RESOURCES) as McpPath[];

/** The resource of requests that name none. Grants of earlier versions have it. */
export const DEFAULT_MCP_PATH: McpPath = "/mcp";

export const isMcpPath = (path: string): path is McpPath => Object.hasOwn(MCP_RESOURCES, path);

export const buildResourceUri = (origin: string, path: McpPath): string => `${origin}${path}`;
