import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonMap } from "../../../../src/mess/json.ts";
import { isFinal, STATUSES } from "../../../../src/mess/status.ts";
import { deprioritize } from "../../../../src/mess/thread/escalation.ts";
import { listParticipants } from "../../../../src/mess/thread/state.ts";
import { getNextTimer } from "../../../../src/mess/thread/timers.ts";
import { TRANSITIONS } from "../../../../src/mess/thread/transitions.ts";
import { ThreadBench, buildMachine, buildPerson } from "./support.ts";

const keys = fc.constantFrom("pot", "amount", "when");

const statusBlock = fc.constantFrom(...STATUSES).chain((code) =>
  fc.record({
    code: fc.constant(code),
    questions:
      code === "needs_input"
        ? fc.uniqueArray(keys, { minLength: 1, maxLength: 3 }).map(toQuestions)
        : fc.constant([]),
    action: fc.constantFrom("cut", "burn"),
    recoverable: fc.boolean(),
    delegated_to: fc.constantFrom("tom", "work:else"),
    estimate: fc.constantFrom("PT5M", "PT4H"),
  }),
);

const toQuestions = (ids: string[]) => ids.map((id) => ({ id, question: `${id}?` }));

const block: fc.Arbitrary<JsonMap> = fc.oneof(
  statusBlock.map((status) => ({ status }) as JsonMap),
  fc.constant<JsonMap>({ response: { content: ["here"] } }),
  fc.constantFrom(true, false).map((confirm) => ({ reply: { confirm } })),
  fc.constantFrom(true, false).map((accept) => ({ reply: { accept } })),
  fc
    .dictionary(keys, fc.constant("some"), { minKeys: 1, maxKeys: 2 })
    .map((answers) => ({ reply: { answers } })),
  fc.constant({ answer: { value: "some" } }),
  fc.constant({ cancel: {} }),
  fc.constant({ followup: { message: "by the way" } }),
  fc.constant({ review: { rating: 4 } }),
  fc
    .constantFrom<JsonMap>(
      { type: "defer" },
      { type: "defer", proposed: { until: "2h" } },
      { type: "delegate", proposed: { executor: "tom" } },
      { type: "delegate", proposed: { executor: "bot" } },
      { type: "alternative", proposed: "only the ferns" },
      { type: "split", proposed: ["ferns", "roses"] },
    )
    .map((suggestion) => ({ suggestion })),
);

type Step =
  | { say: { actor: string; blocks: JsonMap[] } }
  | { pass: number }
  | { late: number }
  | { unavailable: string[]; delaySeconds: number }
  | { ends: { ref: string; status: (typeof STATUSES)[number] } };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      say: fc.record({
        actor: fc.constantFrom("claude", "ann", "bot", "tom", "zoe"),
        blocks: fc.array(block, { minLength: 1, maxLength: 3 }),
      }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ pass: fc.constantFrom(1, 60, 601, 901, 1_801, 7_201, 90_000) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      unavailable: fc.subarray(["ann", "bot"], { minLength: 1 }),
      delaySeconds: fc.constantFrom(0, 60, 40_000),
    }),
  },
  { weight: 1, arbitrary: fc.record({ late: fc.constantFrom(120, 3_600, 90_000) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      ends: fc.record({
        ref: fc.constantFrom("dep-1", "dep-2"),
        status: fc.constantFrom(...STATUSES),
      }),
    }),
  },
);

const scene = fc.record({
  confirm: fc.boolean(),
  expires: fc.option(fc.constantFrom("PT1H", "P1D"), { nil: undefined }),
  blocked: fc.boolean(),
  priority: fc.constantFrom("urgent", "normal", "background"),
  rungs: fc.tuple(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 3 })),
  steps: fc.array(step, { minLength: 1, maxLength: 25 }),
});

type Scene = Parameters<Parameters<typeof scene.map>[0]>[0];

function begin({ confirm, expires, blocked, priority, rungs }: Scene) {
  const request: JsonMap = { confirm_before: confirm, priority };
  if (expires !== undefined) request.constraints = { timing: { expires } };
  return new ThreadBench(
    request,
    [buildPerson("ann", rungs[0]), buildMachine("bot", rungs[1])],
    blocked ? ["dep-1", "dep-2"] : [],
  );
}

function take(thread: ThreadBench, one: Step): boolean {
  if ("pass" in one) thread.pass(one.pass);
  else if ("late" in one) thread.advanceSeconds(one.late);
  else if ("unavailable" in one) {
    const delay = { until: thread.now + one.delaySeconds * 1_000, reason: "quiet hours" };
    const unavailable = one.unavailable.map((id) =>
      one.delaySeconds > 0 ? { id, delay } : { id, reason: "away" },
    );
    const cloneAfterRepeat = () =>
      structuredClone(thread.runSystemAction((draft) => deprioritize(draft, unavailable)).state);
    cloneAfterRepeat();
    // The thread may have moved to the next step; a repeated call must change nothing.
    expect(cloneAfterRepeat()).toEqual(cloneAfterRepeat());
  } else if ("ends" in one) thread.endDependency(one.ends.ref, one.ends.status);
  else {
    const delegate = { delegate: buildPerson("tom") };
    const outside = JSON.stringify(one.say.blocks).includes("work:else");
    return thread.try(one.say.actor, one.say.blocks, outside ? {} : delegate) === undefined;
  }
  return true;
}

describe("any sequence of messages and time", { timeout: 120_000 }, () => {
  it("any sequence of messages changes the state according to the table, or is refused and changes nothing", () => {
    fc.assert(
      fc.property(scene, (given) => {
        const thread = begin(given);
        for (const one of given.steps) {
          const before = structuredClone(thread.state);
          const known = thread.documents.length;
          const countBefore = thread.notices.length;
          const taken = take(thread, one);
          if (!taken) {
            expect(thread.state).toEqual(before);
            expect(thread.documents).toHaveLength(known);
            expect(thread.notices).toHaveLength(countBefore);
            continue;
          }
          checkConsistency(thread);
          isFollowedUp(thread);
          // No member loses an offer.
          expect(listParticipants(thread.state)).toEqual(
            expect.arrayContaining(listParticipants(before)),
          );
          // However late the alarm is, only few notices are sent.
          if ("late" in one) expect(thread.notices.length - countBefore).toBeLessThanOrEqual(6);
          if (isFinal(before.status)) expect(thread.state.status).toBe(before.status);
        }
      }),
      { numRuns: 2_000 },
    );
  });
});

function checkConsistency(thread: ThreadBench): void {
  const { state, documents } = thread;
  expect(state.serial).toBe(documents.length - 1);
  expect(documents.map(({ serial }) => serial)).toEqual(documents.map((_, index) => index));
  expect(new Set(documents.map(({ name }) => name)).size).toBe(documents.length);
  if (state.status === "pending") expect(state.executor).toBeNull();
  if (["claimed", "in_progress", "waiting", "partial"].includes(state.status))
    expect(state.executor).not.toBeNull();
  if (state.executor !== null)
    expect(state.candidates.map(({ id }) => id)).toContain(state.executor);
  if (state.status === "needs_confirmation") expect(state.action?.open).toBe(true);
  if (state.status === "needs_input") expect(state.questions.length).toBeGreaterThan(0);
  else expect(state.questions).toEqual([]);
  if (state.status === "completed" && state.confirm_before)
    expect(state.confirmed).toContain(state.action?.text);
  expect(listParticipants(state)).toContain("claude");
}

/** Every pending thread has a timer, or the owners were alerted. */
function isFollowedUp({ state, notices, now }: ThreadBench): void {
  const due = getNextTimer(state);
  if (due !== undefined) expect(due).toBeGreaterThan(now);
  const open =
    ["pending", "retrying"].includes(state.status) &&
    state.executor === null &&
    state.blocked_by.length === 0;
  if (open) expect(due !== undefined || state.owner_told === true).toBe(true);
  expect(state.rung_since !== undefined).toBe(open && state.offered);
  for (const candidate of state.candidates) {
    const reached = state.offered && (candidate.rung ?? 1) <= (state.rung ?? 0);
    if (reached) expect(candidate.asked).toBe(true);
  }
  const known = ["claude", ...state.candidates.map(({ id }) => id)];
  for (const { kind, to } of notices) {
    if (kind === "alert") expect(to).toEqual([]);
    else expect(to).not.toEqual([]);
    expect(known).toEqual(expect.arrayContaining(to));
    expect(new Set(to).size).toBe(to.length);
  }
}

describe("the table of transitions", () => {
  const reported = STATUSES.filter((code) => code !== "cancelled");

  it.each(STATUSES)(
    "the table of transitions decides what the holder of a %s thread may report",
    (from) => {
      const taken = reported.filter((code) => {
        const thread = new ThreadBench().appendStatus("ann", "claimed");
        thread.state.status = from;
        if (from === "needs_confirmation")
          thread.state.action = { text: "cut", asked_in: "question-001", open: true };
        const report = { code, message: "so it is", action: "cut", delegated_to: "work:else" };
        return thread.try("ann", { status: report }) === undefined;
      });

      // A second claim of the holder renews the lease but does not change the status back.
      const allowed = TRANSITIONS[from].filter((code) => code !== "claimed" || from === "claimed");
      expect(taken.toSorted()).toEqual([...allowed].toSorted());
    },
  );
});
