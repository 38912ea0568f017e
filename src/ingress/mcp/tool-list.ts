/** Lists the tools of an address as clients see them, with as few tokens as possible. */
import type { Tool as ListedTool } from "@modelcontextprotocol/server";
import * as z from "zod";
import { boundedTextSchema } from "../../mess/lengths.ts";
import { LIMITS } from "../../mess/limits.ts";
import { hasSeveral, type McpCaller } from "./caller.ts";
import type { Tool } from "./tool.ts";
import type { Toolset } from "./toolset.ts";

/** The tool's parameter schema for this caller: `exchange` is included only if the caller has several households. */
export function getInputSchema(
  { input, takesExchange, isBrief }: Tool,
  caller: McpCaller | undefined,
): z.ZodObject {
  if (!caller || !takesExchange) return input;
  const households = caller.principals.map(({ household }) => household);
  const exchange = isBrief
    ? boundedTextSchema(LIMITS.nameChars).optional().describe("Household")
    : z.enum(households).optional().describe("Household; default: the first");
  return input.extend({ exchange });
}

/** Keywords that the listed schemas omit, since models ignore them. They are still enforced. */
const OMITTED_KEYS = ["maxLength", "minLength", "maxItems", "propertyNames"];

/** Keywords that brief listings omit, too. */
const OMITTED_IN_BRIEF_KEYS = [
  ...OMITTED_KEYS,
  "minItems",
  "minimum",
  "maximum",
  "additionalProperties",
];

function toListedTool(tool: Tool, caller: McpCaller | undefined): ListedTool {
  const { name, title, description, hints, output, isBrief } = tool;
  const omitted = isBrief ? OMITTED_IN_BRIEF_KEYS : OMITTED_KEYS;
  return {
    name,
    title,
    description,
    inputSchema: toListedSchema(getInputSchema(tool, caller), omitted),
    outputSchema: toListedSchema(output, isBrief ? [...omitted, "required"] : omitted),
    annotations: {
      ...(isBrief ? {} : { title }),
      readOnlyHint: hints.readOnly,
      destructiveHint: hints.destructive,
      idempotentHint: hints.idempotent,
      openWorldHint: hints.openWorld,
    },
  };
}

/** Omits `$schema`, since the dialect is MCP's default and costs tokens. */
function toListedSchema(
  schema: z.ZodObject,
  omitted: readonly string[],
): ListedTool["inputSchema"] {
  const { $schema: _dialect, ...listed } = z.toJSONSchema(schema, { io: "output" });
  return simplifySchema(listed, omitted) as ListedTool["inputSchema"];
}

function simplifySchema(schema: unknown, omitted: readonly string[]): unknown {
  if (Array.isArray(schema)) return schema.map((part) => simplifySchema(part, omitted));
  if (typeof schema !== "object" || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema)
      .filter(
        ([key, value]) =>
          !omitted.includes(key) &&
          Math.abs(Number(value)) !== Number.MAX_SAFE_INTEGER &&
          !isEmptySchema(value),
      )
      .map(([key, value]) => [key, simplifySchema(value, omitted)]),
  );
}

/** A schema or a set of properties that allows anything. */
const isEmptySchema = (value: unknown): boolean =>
  typeof value === "object" && value !== null && Object.keys(value).length === 0;

/** The tool lists for every caller with one household. */
const singleHouseholdTools = new Map<Toolset, ListedTool[]>();

export function listTools(toolset: Toolset, caller: McpCaller): ListedTool[] {
  const { tools } = toolset;
  if (hasSeveral(caller)) return tools.map((tool) => toListedTool(tool, caller));
  const known = singleHouseholdTools.get(toolset);
  if (known) return known;
  const listed = tools.map((tool) => toListedTool(tool, undefined));
  singleHouseholdTools.set(toolset, listed);
  return listed;
}
