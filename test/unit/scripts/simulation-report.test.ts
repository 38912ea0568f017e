import { describe, expect, it } from "vitest";
import { formatTask } from "../../../scripts/lib/simulation/report.ts";
import { formatSummary, listLost } from "../../../scripts/lib/simulation/summary.ts";
import { wrap } from "../../../scripts/lib/simulation/plain-text.ts";
import type { TaskResult } from "../../../scripts/lib/simulation/simulated-agent.ts";
import { expectNaming } from "../../support/naming.ts";

const AT = "2026-05-04T09:00:00+00:00";
const MEMBERS = Array.from({ length: 12 }, (_, index) => `member-${index}`);

const buildResult = (change: Partial<TaskResult> = {}): TaskResult => ({
  task: {
    id: "errand-1",
    title: "water the basil",
    intent: "water the basil (request 1)",
    requires: "home-care",
    question: "Which pot?",
    reply: "the small one",
    answer: "Done.",
    priority: "normal",
    at: 0,
  },
  ref: "2026-05-04-001-errand-1",
  status: "completed",
  executor: "ann",
  history: [
    { action: "created", at: AT, by: "claude" },
    { action: "dispatched", at: AT, by: "exchange", note: `offered to ${MEMBERS.join(", ")}` },
    { action: "dispatched", at: AT, by: "exchange", note: "notified ann via slack" },
    { action: "claimed", at: AT, by: "ann" },
    { action: "completed", at: AT, by: "ann" },
  ],
  messages: [
    { from: "ann", received: AT, MESS: [{ status: { code: "claimed" } }] },
    { from: "ann", received: AT, MESS: [{ suggestion: { proposed: "Water the mint too." } }] },
    { from: "claude", received: AT, MESS: [{ reply: { accept: true } }] },
    { from: "ann", received: AT, MESS: [{ status: { code: "completed" } }] },
  ],
  photos: 0,
  took: 2_000,
  ...change,
});

const buildOutcome = (results: TaskResult[]) => ({ results, notified: 3, alerts: [], outages: [] });
const NAMES = new Map([
  ["ann", "Ann"],
  ["claude", "Claude"],
]);

describe("the report of a simulation", () => {
  it("a request is told in lines of at budget 80 columns, in the order of the events", () => {
    const lines = formatTask(buildResult(), NAMES).split("\n");

    for (const line of lines) expect(line.length).toBeLessThanOrEqual(80);
    const text = lines.join("\n");
    const order = ["water the basil", "member-11", "Slack", "mint", "Claude", "Completed"];
    const positions = order.map((word) => text.indexOf(word));
    expect(positions).not.toContain(-1);
    expect(positions).toEqual(positions.toSorted((a, b) => a - b));
  });

  it("a summary counts the requests, those of each member, and the lost ones", () => {
    const open = buildResult({ status: "pending", executor: null });
    const outcome = buildOutcome([buildResult(), buildResult({ took: 5_000 }), open]);

    const lines = formatSummary(outcome, NAMES).split("\n");

    expect(listLost(outcome)).toEqual([open]);
    expect(lines[0]).toEqual(expectNaming(3, 2, 1));
    expect(lines[1]).toEqual(expectNaming("Ann", 2));
    expect(lines.at(-1)).toEqual(expectNaming(1));
  });

  it("a word longer than a line stays whole", () => {
    expect(wrap(`see ${"x".repeat(100)} there`, "  ").split("\n")).toEqual([
      "see",
      `  ${"x".repeat(100)}`,
      "  there",
    ]);
  });
});
