/** Estimated tokens of the MCP server's tool list and of its typical results. */
import { collectTexts, computeCosts } from "../scripts/lib/token-cost.ts";
import { DEMO_PHONE_ID } from "../scripts/lib/demo/demo-household.ts";
import { createHousehold, type Stack } from "./lib/bench-worker.ts";

export async function runTokensBench(stack: Stack): Promise<string> {
  const { owner, agent } = await createHousehold(stack, "tokens");
  const executor = {
    id: DEMO_PHONE_ID,
    kind: "person",
    capabilities: ["check-visual", "take-photo"],
  };
  await owner.send("POST", "/mess", { MESS: [{ config: { executor } }] });
  const made = await owner.send("POST", "/api/v1/keys", { actor: DEMO_PHONE_ID, role: "executor" });
  const { key } = (await made.json()) as { key: string };
  const { origin } = stack;
  const texts = await collectTexts({
    origin,
    mcp: `${origin}/mcp`,
    household: "tokens",
    keys: { owner: owner.key, agent: agent.key, executors: { [DEMO_PHONE_ID]: key } },
  });
  const lines = computeCosts(texts).map(
    ({ what, tokens, budget }) => `| ${what} | ${tokens} | ${budget} |`,
  );
  return ["## Tokens", "", "| | tokens | budget |", "| --- | --- | --- |", ...lines].join("\n");
}
