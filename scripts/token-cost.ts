/**
 * Measures the tokens that the MCP server costs an agent, on an exchange started for this. Exits with 1 if a budget
 * is exceeded.
 *
 *   node scripts/token-cost.ts
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { withExchange } from "./lib/exchange/exchange.ts";
import { stopController } from "./lib/program.ts";
import { collectTexts, computeCosts } from "./lib/token-cost.ts";

const directory = mkdtempSync(join(tmpdir(), "mess-token-cost-"));
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.on(signal, () => stopController.abort());
try {
  await withExchange(
    { port: 0, readyFile: undefined },
    directory,
    stopController.signal,
    async (ready) => {
      const costs = computeCosts(await collectTexts(ready));
      console.log("Tokens (estimate of scripts/lib/tokens.ts) and budgets:\n");
      for (const { what, tokens, budget } of costs)
        console.log(`${String(tokens).padStart(6)} of ${String(budget).padStart(5)}  ${what}`);
      if (costs.some(({ tokens, budget }) => tokens > budget)) process.exitCode = 1;
    },
  );
} finally {
  rmSync(directory, { recursive: true, force: true });
}
