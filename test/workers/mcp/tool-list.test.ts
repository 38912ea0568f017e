import { describe, expect, it } from "vitest";
import { estimateTokens } from "../../../scripts/lib/tokens.ts";
import { listTools } from "../../../src/ingress/mcp/tool-calls.ts";
import { TOOLSETS } from "../../../src/ingress/mcp/toolsets.ts";

const MAX_TOKENS = 4_000;

const buildCaller = (...households: string[]) =>
  ({ principals: households.map((household) => ({ household })) }) as never;

const listNames = (path: keyof typeof TOOLSETS): string[] =>
  TOOLSETS[path].tools.map(({ name }) => name);

describe.each(["/mcp", "/mcp/groups"] as const)("the tools at %s", (path) => {
  it.each([
    ["one household", buildCaller("home")],
    ["four households", buildCaller("home", "cabin", "office", "garden")],
  ])(`the whole list of tools at ${path} stays under 4,000 tokens for %s`, (_label, caller) => {
    const tokens = estimateTokens(JSON.stringify(listTools(TOOLSETS[path], caller)));

    expect(tokens).toBeLessThan(MAX_TOKENS);
    expect(tokens).toBeGreaterThan(1_000);
  });
});

it.each(Object.values(TOOLSETS))(
  "every tool at $path describes each parameter and the fields of its result",
  (toolset) => {
    const listed = listTools(toolset, buildCaller("home", "cabin"));

    for (const { name, inputSchema, outputSchema } of listed) {
      for (const [parameter, schema] of Object.entries(inputSchema.properties ?? {}))
        expect(schema, `${name} ${parameter}`).toHaveProperty("description");
      expect(outputSchema, name).toMatchObject({ type: "object", properties: { text: {} } });
    }
  },
);

it("the address for everything offers the tools of both others, those of groups with a prefix", () => {
  const groups = listNames("/mcp/groups");

  expect(listNames("/mcp/all")).toEqual([
    ...listNames("/mcp"),
    ...groups.map((name) => `group_${name}`),
  ]);
  expect(new Set(listNames("/mcp/all")).size).toBe(listNames("/mcp/all").length);
  expect(groups).toEqual(expect.arrayContaining(["initiate", "wait", "pool_claim", "wipe_all"]));
});
