/**
 * What an agent pays for the MCP server in tokens: the list of tools, the instructions, a typical status.
 * Exits with 1 where a budget is exceeded.
 *
 *   node scripts/token-cost.ts [--json]
 */
import { budgets, measure } from "./lib/token-cost.ts";

const costs = measure();
const over = budgets.filter(({ name, most }) => costs[name] > most);

if (process.argv.includes("--json")) console.log(JSON.stringify(costs));
else {
  console.log("Tokens are estimated: see estimateTokens in scripts/lib/tokens.ts.\n");
  for (const { name, most, what } of budgets)
    console.log(`${String(costs[name]).padStart(6)} of ${String(most).padStart(5)}  ${what}`);
}
for (const { what, most } of over) console.error(`Over its budget of ${most}: ${what}`);
process.exitCode = over.length > 0 ? 1 : 0;
