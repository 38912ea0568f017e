import { beforeAll, expect, it } from "vitest";
import type { TaskResult } from "../../scripts/lib/simulation/simulated-agent.ts";
import { formatTask } from "../../scripts/lib/simulation/report.ts";
import { formatSummary, listLost } from "../../scripts/lib/simulation/summary.ts";
import { expectNaming } from "../support/naming.ts";
import { simulate } from "../../scripts/lib/simulation/simulate.ts";
import { type SharedExchange, joinExchange } from "../support/exchange-process.ts";

let stack: SharedExchange;

beforeAll(async () => {
  stack = await joinExchange();
});
it("the simulated household completes every request or alerts the owner, despite outages", async () => {
  const ended: TaskResult[] = [];
  const options = { seed: 7, people: 4, robots: 3, requests: 10, outages: 2 };

  const outcome = await simulate(
    stack.ready,
    options,
    (result) => ended.push(result),
    new AbortController().signal,
  );

  const story = outcome.results.map((result) => formatTask(result)).join("\n");
  expect(listLost(outcome), story).toEqual([]);
  expect(ended).toHaveLength(10);
  expect(outcome.outages).toHaveLength(2);
  const done = outcome.results.filter(({ status }) => status === "completed");
  expect(done.length, story).toBeGreaterThanOrEqual(5);
  // The history shows that the executor was notified.
  for (const { history, executor } of done)
    expect(history).toContainEqual(
      expect.objectContaining({ action: "dispatched", note: expectNaming(executor!) }),
    );
  const summary = formatSummary(outcome).split("\n");
  expect(summary[0]).toEqual(expectNaming(10, done.length));
  expect(summary.at(-1)).toEqual(expectNaming(0));
}, 120_000);
