import { describe, expect, it } from "vitest";
import { estimateTokens } from "../../../scripts/lib/tokens.ts";
import { listTools } from "../../../src/ingress/mcp/tool-calls.ts";
import { createFreshHousehold } from "../support.ts";
import { callRpc } from "./support.ts";

const MAX_TOKENS = 4_000;

const buildCaller = (...households: string[]) =>
  ({ principals: households.map((household) => ({ household })) }) as never;

it.each([
  ["one household", buildCaller("home")],
  ["four households", buildCaller("home", "cabin", "office", "garden")],
])("the whole list of tools stays under 4,000 tokens for %s", (_label, caller) => {
  const tokens = estimateTokens(JSON.stringify(listTools(caller)));

  expect(tokens).toBeLessThan(MAX_TOKENS);
  expect(tokens).toBeGreaterThan(1_000);
});

it("every tool describes each parameter and the fields of its result", () => {
  for (const { name, inputSchema, outputSchema } of listTools(buildCaller("home", "cabin"))) {
    for (const [parameter, schema] of Object.entries(inputSchema.properties ?? {}))
      expect(schema, `${name} ${parameter}`).toHaveProperty("description");
    expect(outputSchema, name).toMatchObject({ type: "object", properties: { text: {} } });
  }
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
