/** Time from the ack of a new thread until a list shows it. */
import { measureMedian, getQuantile } from "./lib/measure.ts";
import { createHousehold, type Stack } from "./lib/bench-worker.ts";

const RUNS = 100;

export async function runLagBench(stack: Stack): Promise<string> {
  const household = await createHousehold(stack, "lag");
  const lags: number[] = [];
  const lists: number[] = [];
  const writes: number[] = [];
  for (let run = 0; run < RUNS; run++) {
    const { ref } = await household.agent.postBlocks({ request: { intent: `seen ${run}` } });
    const acked = performance.now();
    for (;;) {
      const begun = performance.now();
      const { threads } = (await (await household.agent.send("GET", "/mess?limit=1")).json()) as {
        threads: { ref: string }[];
      };
      lists.push(performance.now() - begun);
      if (threads[0]?.ref === ref) break;
    }
    lags.push(performance.now() - acked);
    const begun = performance.now();
    await (await fetch(`${stack.origin}/baseline/lag`, { method: "POST", body: "a row" })).text();
    writes.push(performance.now() - begun);
  }
  const sorted = lags.toSorted((a, b) => a - b);
  const lag = measureMedian(lags);
  return `## Lag of the index

A new thread appears in a list ${lag.toFixed(1)} ms after its ack (p99 ${getQuantile(sorted, 0.99).toFixed(1)} ms),
including the read of the list, which alone takes ${measureMedian(lists).toFixed(1)} ms; the baseline's insert takes
${measureMedian(writes).toFixed(1)} ms, so the ratio is ${(lag / measureMedian(writes)).toFixed(1)}.`;
}
