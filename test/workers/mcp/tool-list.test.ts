import { describe, expect, it } from "vitest";
import { estimateTokens } from "../../../scripts/lib/tokens.ts";
import { listTools } from "../../../src/ingress/mcp/tool-list.ts";
import { TOOLSETS } from "../../../src/ingress/mcp/toolsets-by-path.ts";
import { createFreshHousehold } from "../support.ts";
import { callRpc } from "./support.ts";

const MAX_TOKENS = { "/mcp": 4_000, "/mcp/groups": 4_000, "/mcp/messages": 2_500 };

const buildCaller = (...households: string[]) =>
  ({ principals: households.map((household) => ({ household })) }) as never;

const listNames = (path: keyof typeof TOOLSETS): string[] =>
  TOOLSETS[path].tools.map(({ name }) => name);

describe.each(["/mcp", "/mcp/groups", "/mcp/messages"] as const)("the tools at %s", (path) => {
  it.each([
    ["one household", buildCaller("home")],
    ["four households", buildCaller("home", "cabin", "office", "garden")],
  ])(
    `the whole list of tools at ${path} stays under its limit of tokens for %s`,
    (_label, caller) => {
      const tokens = estimateTokens(JSON.stringify(listTools(TOOLSETS[path], caller)));

      expect(tokens).toBeLessThan(MAX_TOKENS[path]);
      expect(tokens).toBeGreaterThan(1_000);
    },
  );
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

it("the address for everything offers the tools of all others, those of groups and messages with a prefix", () => {
  const groups = listNames("/mcp/groups");
  const messages = listNames("/mcp/messages");

  expect(listNames("/mcp/all")).toEqual([
    ...listNames("/mcp"),
    ...groups.map((name) => `group_${name}`),
    ...messages.map((name) => `message_${name}`),
  ]);
  expect(new Set(listNames("/mcp/all")).size).toBe(listNames("/mcp/all").length);
  expect(groups).toEqual(expect.arrayContaining(["initiate", "wait", "pool_claim", "wipe_all"]));
  expect(messages).toHaveLength(8);
});

describe("the list of tools", () => {
  it("every tool has a title, all four hints and a closed schema", async () => {
    const { agent } = await createFreshHousehold();

    const { result } = await callRpc(agent, "tools/list");

    expect(result.tools.map(({ name }: { name: string }) => name).toSorted()).toEqual([
      "mess",
      "mess_cancel",
      "mess_capabilities",
      "mess_do",
      "mess_fetch",
      "mess_observe",
      "mess_reply",
      "mess_status",
      "mess_wait",
    ]);
    for (const { title, annotations, inputSchema } of result.tools) {
      expect(title).toMatch(/^[A-Z]/);
      expect(Object.keys(annotations).toSorted()).toEqual([
        "destructiveHint",
        "idempotentHint",
        "openWorldHint",
        "readOnlyHint",
        "title",
      ]);
      expect(inputSchema).toMatchObject({ type: "object", additionalProperties: false });
    }
  });

  it("tools have no exchange parameter for a caller with one household", async () => {
    const { agent } = await createFreshHousehold();

    const { result } = await callRpc(agent, "tools/list");

    expect(JSON.stringify(result)).not.toContain('"exchange"');
  });
});
