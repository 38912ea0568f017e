import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonMap } from "../../../../src/mess/json.ts";
import { isFinal } from "../../../../src/mess/status.ts";
import { readThread } from "../../../../src/mess/messe-af/read.ts";
import { writeThreadFiles } from "../../../../src/mess/messe-af/write.ts";
import { buildThread } from "../../../support/any-thread.ts";
import { buildEnvelope } from "../../../../src/mess/thread/envelope.ts";
import { restoreThread } from "../../../../src/mess/thread/restore.ts";
import type { ThreadState } from "../../../../src/mess/thread/state.ts";
import { getNextTimer } from "../../../../src/mess/thread/timers.ts";
import { ThreadBench, buildPerson } from "./support.ts";

const buildQuestions = (...ids: string[]): JsonMap => ({
  status: { code: "needs_input", questions: ids.map((id) => ({ id, question: `${id}?` })) },
});
const confirm = (action: string): JsonMap => ({ status: { code: "needs_confirmation", action } });

const fromExecutor = fc.oneof<fc.Arbitrary<JsonMap>[]>(
  fc
    .constantFrom("claimed", "in_progress", "waiting", "held", "retrying", "partial", "declined")
    .map((code) => ({ status: { code } })),
  fc.constantFrom(buildQuestions("pot"), buildQuestions("pot", "when"), buildQuestions("amount")),
  fc.constantFrom(confirm("cut"), confirm("burn")),
  fc.constant({ status: { code: "failed", recoverable: true } }),
  fc.constant({ status: { code: "delegated", delegated_to: "tom" } }),
  fc.constant({ response: { content: ["here"] } }),
  fc
    .constantFrom<JsonMap>(
      { type: "defer" },
      { type: "defer", proposed: "PT2H" },
      { type: "defer", proposed: { until: "2031-01-01T00:00:00Z" } },
      { type: "delegate", proposed: { executor: "tom" } },
      { type: "alternative", proposed: "only the ferns" },
      { type: "split", proposed: ["ferns", "roses"] },
    )
    .map((suggestion) => ({ suggestion })),
);
const fromRequestor = fc.oneof<fc.Arbitrary<JsonMap>[]>(
  fc.constantFrom("pot", "when", "amount").map((key) => ({ reply: { answers: { [key]: "x" } } })),
  fc.constant({ answer: { value: "x" } }),
  fc.boolean().map((yes) => ({ reply: { confirm: yes } })),
  fc.constant({ reply: { accept: true } }),
);

const step = fc.oneof(
  fc.record({ actor: fc.constantFrom("ann", "bot", "tom"), says: fromExecutor }),
  fc.record({ actor: fc.constant("claude"), says: fromRequestor }),
  fc.constant({ pass: 7_201 }),
);

/** The part of the state that decides about the next message and that a file contains. */
const pickJudged = (state: ThreadState) => ({
  status: state.status,
  executor: state.executor,
  resume: state.resume,
  questions: state.questions,
  soft_claim: state.soft_claim,
  open: state.action?.open ? state.action : undefined,
  confirmed: state.confirmed.toSorted(),
  // The member that a suggestion names is known to the household, not to a file.
  suggestions: state.suggestions.map(({ delegate: _delegate, ...said }) => said),
  not_before: state.not_before,
  attempts: state.attempts,
  serial: state.serial,
});

const restoreState = (thread: ThreadBench): ThreadState => {
  const messages = thread.documents.flatMap(({ document, acks }) => [document, ...acks]);
  const envelope = buildEnvelope(thread.state, thread.history);
  return restoreThread(envelope, messages, "UTC", thread.now).state;
};

describe("a thread that was read from a file", () => {
  it("a thread from a file gives its holder a new lease (decision 30)", () => {
    const thread = new ThreadBench().appendStatus("ann", "in_progress");
    expect(restoreState(thread).lease_ends).toBe(thread.now + 7_200_000);
    expect(restoreState(thread.appendStatus("ann", "completed")).lease_ends).toBeUndefined();
  });

  it("a thread from a file accepts the same next messages as the original thread", () => {
    let compared = 0;
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 15 }), (steps) => {
        const thread = new ThreadBench();
        for (const one of steps) {
          if ("pass" in one) thread.pass(one.pass);
          else thread.try(one.actor, one.says, { delegate: buildPerson("tom") });
          if (isFinal(thread.state.status)) break;
          expect(pickJudged(restoreState(thread))).toEqual(pickJudged(thread.state));
          compared++;
        }
      }),
      { numRuns: 400 },
    );
    expect(compared).toBeGreaterThan(1_000);
  });

  it("a thread from a file sends no notices until it was offered here", () => {
    const open = new ThreadBench({}, [buildPerson("ann")]);
    const held = new ThreadBench({}, [buildPerson("ann")]).appendStatus("ann", "claimed");
    expect(getNextTimer(restoreState(open))).toBeUndefined();
    held.state = restoreState(held);
    expect(held.pass(2 * 3_600).listedNotices).toEqual(["offer ann", "reminder ann", "offer ann"]);
    expect(held.pass(1_800).listedNotices.slice(3)).toEqual(["reminder ann", "alert"]);
  });

  it.each<[string, JsonMap]>([
    ["delegate", { executor: "tom" }],
    ["defer", { until: "2h" }],
  ])(
    "a thread from a file shows the former holder in the message that ended the claim (%s)",
    (type, proposed) => {
      const thread = new ThreadBench().appendStatus("bot", "in_progress");
      thread.append("bot", { suggestion: { type, proposed } }, { delegate: buildPerson("tom") });
      const both = [{ reply: { accept: true } }, { status: { code: "claimed" } }];
      thread.append("ann", both, { owner: true });
      expect(thread.state).toMatchObject({ status: "claimed", executor: "ann" });

      expect(pickJudged(restoreState(thread))).toEqual(pickJudged(thread.state));
      const read = readThread(writeThreadFiles(buildThread(thread)));
      expect(read).toMatchObject({ ok: true, value: { differences: [] } });
    },
  );

  it("a thread from a file keeps its open questions", () => {
    const thread = new ThreadBench()
      .append("ann", buildQuestions("pot", "when"))
      .append("claude", { reply: { answers: { when: "today" } } });
    const { questions, soft_claim } = restoreState(thread);
    expect(questions.map(({ key }) => key)).toEqual(["pot"]);
    expect(soft_claim).toBe("ann");
  });
});
