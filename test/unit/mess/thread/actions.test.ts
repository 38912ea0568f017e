import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonMap } from "../../../../src/mess/json.ts";
import { STATUSES } from "../../../../src/mess/status.ts";
import { type Action, ACTIONS, listPermissions } from "../../../../src/mess/thread/actions.ts";
import type { MessageSender } from "../../../../src/mess/thread/policy.ts";
import { ThreadBench, buildMachine, buildPerson } from "./support.ts";

/** Messages of each action as people send them: with every field of the form, alone or after an answer. */
const MESSAGES: Readonly<Record<Action, readonly (JsonMap | JsonMap[])[]>> = {
  claimed: [{ status: { code: "claimed", estimate: "PT2H" } }],
  in_progress: [{ status: { code: "in-progress", progress_pct: 40, message: "half" } }],
  resume: [{ status: { code: "in_progress", message: "again" } }],
  waiting: [
    { status: { code: "waiting", waiting_for: { type: "access", location: "cellar" } } },
    { status: { code: "waiting", waiting_for: "rain" } },
  ],
  held: [{ status: { code: "held", reason: "lunch" } }],
  needs_input: [
    {
      status: {
        code: "needs_input",
        questions: [{ id: "pot", question: "which?", options: ["a", "b"] }, "how much?"],
      },
    },
    { status: { code: "needs_input", message: "which one?" } },
  ],
  needs_confirmation: [
    {
      status: {
        code: "needs_confirmation",
        action: "cut",
        consequences: "gone",
        reversible: false,
      },
    },
  ],
  partial: [
    [
      { response: { content: ["some"] } },
      { status: { code: "partial", completed: ["a"], remaining: ["b"] } },
    ],
    { status: { code: "partial" } },
  ],
  completed: [
    { status: { code: "completed", message: "there" } },
    [{ response: { content: ["all"] } }, { status: { code: "completed" } }],
  ],
  failed: [
    { status: { code: "failed", reason: "broken", recoverable: true } },
    { status: { code: "failed", reason: "broken", recoverable: false } },
  ],
  declined: [{ status: { code: "declined", reason: "away" } }],
  delegated: [{ status: { code: "delegated", delegated_to: "tom", reason: "taller" } }],
  response: [{ response: { content: ["here", { location: { name: "shed" } }], notes: "wet" } }],
  suggestion: [
    { suggestion: { type: "defer", proposed: { until: "spring" } } },
    { suggestion: { type: "split", proposed: { intents: ["a", "b"] } } },
  ],
  followup: [{ followup: { message: "by the way", context: ["more"] } }],
  cancel: [{ cancel: { reason: "rain" } }],
  review: [{ review: { rating: 4, feedback: "good" } }],
};

const SENDERS: MessageSender[] = [
  ...["claude", "ann", "bot", "tom", "zoe"].map((actor) => ({ actor, owner: false })),
  { actor: "mum", owner: true },
];

/** Each member's allowed actions, with those of their messages that the thread accepts. */
function compare(thread: ThreadBench): void {
  for (const { actor, owner } of SENDERS) {
    const before = structuredClone(thread.state);
    const may = listPermissions(thread.state, { actor, owner }, thread.now);
    expect(thread.state).toEqual(before);
    expect(may.map(({ action }) => action)).toEqual([...ACTIONS]);
    for (const { action, allowed, reason } of may) {
      if (action === "resume" && !["waiting", "held"].includes(before.status)) {
        expect([allowed, reason]).toEqual([false, "illegal_transition"]);
        continue;
      }
      for (const mess of MESSAGES[action]) {
        const copy = Object.assign(new ThreadBench(), {
          state: structuredClone(before),
          now: thread.now,
        });
        const fault = copy.try(actor, mess, { delegate: buildPerson("tom"), owner });
        expect([actor, action, allowed]).toEqual([actor, action, !fault]);
        if (!Array.isArray(mess)) expect(reason).toBe(fault?.code);
      }
    }
  }
}

const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      actor: fc.constantFrom("ann", "bot", "ann", "tom", "claude"),
      mess: fc.constantFrom(...ACTIONS).chain((action) => fc.constantFrom(...MESSAGES[action])),
    }),
  },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom<JsonMap>(
        { reply: { confirm: true } },
        { reply: { confirm: false } },
        { reply: { answers: { pot: "a" } } },
        { answer: { value: "b" } },
      )
      .map((mess) => ({ actor: "claude", mess })),
  },
  { weight: 1, arbitrary: fc.constantFrom(1, 601, 7_201, 90_000).map((pass) => ({ pass })) },
);

describe("permissions of a member", { timeout: 120_000 }, () => {
  it("an action is allowed if and only if the thread accepts it, in any reachable state", () => {
    const reached = new Set<string>();
    fc.assert(
      fc.property(
        fc.boolean(),
        fc.option(fc.constantFrom("PT1H", "P1D"), { nil: undefined }),
        fc.boolean(),
        fc.array(step, { maxLength: 8 }),
        (confirm, expires, blocked, steps) => {
          const request: JsonMap = { confirm_before: confirm };
          if (expires !== undefined) request["constraints"] = { timing: { expires } };
          const candidates = [buildPerson("ann"), buildMachine("bot", 2)];
          const thread = new ThreadBench(request, candidates, blocked ? ["dep-1"] : []);
          for (const one of steps) {
            if ("pass" in one) thread.pass(one.pass);
            else thread.try(one.actor, one.mess, { delegate: buildPerson("tom") });
          }
          reached.add(thread.state.status);
          compare(thread);
        },
      ),
      { numRuns: 200 },
    );
    expect(reached.size).toBeGreaterThan(8);
  });

  it("allowed actions depend on the present time, not on the last alarm", () => {
    const thread = new ThreadBench({ constraints: { timing: { expires: "PT1H" } } });
    thread.now += 2 * 3_600_000;

    const may = listPermissions(thread.state, { actor: "ann", owner: false }, thread.now);

    expect(may.find(({ action }) => action === "claimed")).toMatchObject({
      allowed: false,
      reason: "thread_finished",
    });
  });

  it.each(STATUSES)("a %s thread gives a reason for every action that is not allowed", (status) => {
    const thread = new ThreadBench().appendStatus("ann", "claimed");
    thread.state.status = status;

    for (const { allowed, reason, message } of listPermissions(
      thread.state,
      { actor: "ann", owner: false },
      thread.now,
    ))
      expect(typeof reason === "string" && typeof message === "string").toBe(!allowed);
  });
});
