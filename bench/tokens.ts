/** What the MCP server's list of tools and its typical results cost a model, in estimated tokens. */
import { collectTexts, costsOf } from "../scripts/lib/token-cost.ts";
import { PHONE } from "../scripts/lib/demo-household.ts";
import { household, type Stack } from "./lib/bench-worker.ts";

export async function tokensBench(stack: Stack): Promise<string> {
  const { owner, agent } = await household(stack, "tokens");
  const executor = { id: PHONE, kind: "person", capabilities: ["check-visual", "take-photo"] };
  await owner.send("POST", "/mess", { MESS: [{ config: { executor } }] });
  const made = await owner.send("POST", "/api/v1/keys", { actor: PHONE, role: "executor" });
  const { key } = (await made.json()) as { key: string };
  const { origin } = stack;
  const texts = await collectTexts({
    origin,
    mcp: `${origin}/mcp`,
    household: "tokens",
    keys: { owner: owner.key, agent: agent.key, executors: { [PHONE]: key } },
  });
  const lines = costsOf(texts).map(({ what, tokens, most }) => `| ${what} | ${tokens} | ${most} |`);
  return ["## Tokens", "", "| | tokens | budget |", "| --- | --- | --- |", ...lines].join("\n");
}
