/**
 * `npm run bench [-- append threads list lag bill dispatch mcp tokens respond]`: every measure beside a floor in the same run, as Markdown.
 * The floor is a bare Durable Object that inserts one row, behind the same HTTP server.
 */
import { appendBench } from "./append.ts";
import { billBench } from "./cost.ts";
import { dispatchBench } from "./dispatch.ts";
import { lagBench } from "./index-lag.ts";
import { startStack } from "./lib/bench-worker.ts";
import { listBench } from "./list.ts";
import { mcpBench } from "./mcp.ts";
import { respondBench } from "./respond.ts";
import { threadsBench } from "./threads.ts";
import { tokensBench } from "./tokens.ts";

const BENCHES = {
  append: appendBench,
  threads: threadsBench,
  list: listBench,
  lag: lagBench,
  bill: billBench,
  dispatch: dispatchBench,
  mcp: mcpBench,
  tokens: tokensBench,
  respond: respondBench,
} as const;

const chosen = process.argv.slice(2);
const unknown = chosen.find((name) => !Object.hasOwn(BENCHES, name));
if (unknown !== undefined) {
  console.error(`no bench is called ${unknown}; there are: ${Object.keys(BENCHES).join(", ")}`);
  process.exit(2);
}

const stack = await startStack();
try {
  for (const [name, bench] of Object.entries(BENCHES)) {
    if (chosen.length > 0 && !chosen.includes(name)) continue;
    console.log(await bench(stack));
    console.log();
  }
} finally {
  await stack.stop();
}
