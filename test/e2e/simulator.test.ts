import { afterAll, beforeAll, expect, it } from "vitest";
import type { TaskResult } from "../../scripts/lib/simulation/simulated-agent.ts";
import { formatTask, listLost, formatSummary } from "../../scripts/lib/simulation/report.ts";
import { naming } from "../support/naming.ts";
import { simulate } from "../../scripts/lib/simulation/simulate.ts";
import { removeDirectories, type Stack, startStack } from "../support/exchange-process.ts";

let stack: Stack;

beforeAll(async () => {
  stack = await startStack();
});
afterAll(async () => {
  await stack.stop();
  removeDirectories();
});

it("the simulated household brings every errand to an end or to its owner, through outages", async () => {
  const told: TaskResult[] = [];
  const options = { seed: 7, people: 4, robots: 3, requests: 10, outages: 2 };

  const outcome = await simulate(
    stack.ready,
    options,
    (fate) => told.push(fate),
    new AbortController().signal,
  );

  const story = outcome.fates.map((fate) => formatTask(fate)).join("\n");
  expect(listLost(outcome), story).toEqual([]);
  expect(told).toHaveLength(10);
  expect(outcome.outages).toHaveLength(2);
  const done = outcome.fates.filter(({ status }) => status === "completed");
  expect(done.length, story).toBeGreaterThanOrEqual(5);
  // Who completed it was asked by a channel, and the thread says so.
  for (const { history, executor } of done)
    expect(history).toContainEqual(
      expect.objectContaining({ action: "dispatched", note: naming(executor!) }),
    );
  const [total, , loss, ...more] = formatSummary(outcome).split("\n");
  expect(total).toEqual(naming(10, `${done.length} completed`));
  expect([loss, ...more]).toEqual([naming(0)]);
}, 120_000);
