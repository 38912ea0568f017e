/**
 * `npm run bench [-- append threads list lag bill dispatch isolation mcp groups sources tokens respond]`: compares each measurement with a
 * baseline of the same run and prints Markdown. The baseline is a bare Durable Object that inserts one row, behind the
 * same HTTP server.
 */
import { runAppendBench } from "./append.ts";
import { runCostBench } from "./cost.ts";
import { runDispatchBench } from "./dispatch.ts";
import { runGroupsBench } from "./groups.ts";
import { runLagBench } from "./index-lag.ts";
import { runIsolationBench } from "./isolation.ts";
import { startStack } from "./lib/bench-worker.ts";
import { runListBench } from "./list.ts";
import { runMcpBench } from "./mcp.ts";
import { runRespondBench } from "./respond.ts";
import { runSourcesBench } from "./sources.ts";
import { runThreadsBench } from "./threads.ts";
import { runTokensBench } from "./tokens.ts";

const BENCHES = {
  append: runAppendBench,
  threads: runThreadsBench,
  list: runListBench,
  lag: runLagBench,
  bill: runCostBench,
  dispatch: runDispatchBench,
  isolation: runIsolationBench,
  mcp: runMcpBench,
  groups: runGroupsBench,
  sources: runSourcesBench,
  tokens: runTokensBench,
  respond: runRespondBench,
} as const;

const chosenBenches = process.argv.slice(2);
const unknownBench = chosenBenches.find((name) => !Object.hasOwn(BENCHES, name));
if (unknownBench !== undefined) {
  console.error(
    `there is no benchmark ${unknownBench}; choose from: ${Object.keys(BENCHES).join(", ")}`,
  );
  process.exit(2);
}

const stack = await startStack();
try {
  for (const [name, bench] of Object.entries(BENCHES)) {
    if (chosenBenches.length > 0 && !chosenBenches.includes(name)) continue;
    console.log(await bench(stack));
    console.log();
  }
} finally {
  await stack.stop();
}
