import { expect, it } from "vitest";
import { estimateTokens } from "../../../scripts/lib/tokens.ts";
import { listTools } from "../../../src/ingress/mcp/tool-calls.ts";

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
