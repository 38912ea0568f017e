/** How long after its ack a new thread shows in a list. */
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
    await (await fetch(`${stack.origin}/floor/lag`, { method: "POST", body: "a row" })).text();
    writes.push(performance.now() - begun);
  }
  const sorted = lags.toSorted((a, b) => a - b);
  const lag = measureMedian(lags);
  return `## Lag of the index

A new thread shows in a list ${lag.toFixed(1)} ms after its ack (p99 ${getQuantile(sorted, 0.99).toFixed(1)} ms), the
reading of the list included, which alone takes ${measureMedian(lists).toFixed(1)} ms; the floor's insert takes
${measureMedian(writes).toFixed(1)} ms, so the lag is ${(lag / measureMedian(writes)).toFixed(1)} floors.`;
}
