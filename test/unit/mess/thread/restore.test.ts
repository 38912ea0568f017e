import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonMap } from "../../../../src/mess/json.ts";
import { isFinal, STATUSES } from "../../../../src/mess/status.ts";
import { deriveEnvelope } from "../../../../src/mess/messe-af/derive-envelope.ts";
import { readBlocks } from "../../../../src/mess/wire/message.ts";
import { readThread } from "../../../../src/mess/messe-af/read.ts";
import { writeThreadFiles } from "../../../../src/mess/messe-af/write.ts";
import { anyCourse } from "../../../support/generators/any-course.ts";
import { buildThread } from "../../../support/generators/any-thread.ts";
import { buildEnvelope } from "../../../../src/mess/thread/envelope.ts";
import { restoreThread } from "../../../../src/mess/thread/restore/restore.ts";
import type { ThreadState } from "../../../../src/mess/thread/state.ts";
import { getNextTimer } from "../../../../src/mess/thread/timers.ts";
import { ThreadBench, buildPerson } from "./support.ts";

const buildQuestions = (...ids: string[]): JsonMap => ({
  status: { code: "needs_input", questions: ids.map((id) => ({ id, question: `${id}?` })) },
});
/**
 * What a file does not show: other candidates and their escalation, and what was sent to whom. An import offers the
 * thread to nobody, starts the holder's lease again, and reminds nobody of a question.
 */
const NOT_IN_FILE = [
  "candidates",
  "lease_ends",
  "lost_by",
  "offered",
  "owner_told",
  "reminded",
  "retry_at",
  "rung",
  "rung_elapsed",
  "rung_since",
  "size",
  "unanswered",
] as const;
/** Where an end leaves these does not matter: no message reads them any more. */
const UNUSED_AFTER_END = ["action", "questions", "resume"] as const;

/** All of the state that a file shows, and whether the timers that an import starts again are running. */
function pickShown(state: ThreadState): object {
  const shown: Partial<ThreadState> = { ...state };
  for (const key of NOT_IN_FILE) delete shown[key];
  if (isFinal(state.status)) for (const key of UNUSED_AFTER_END) delete shown[key];
  return {
    ...shown,
    confirmed: state.confirmed.toSorted(),
    // The member that a suggestion names is known to the household, not to a file.
    suggestions: state.suggestions.map(({ delegate: _delegate, ...made }) => made),
    isLeased: state.lease_ends !== undefined,
    isWaitingForAnswer: state.unanswered !== undefined,
  };
}

/** Exports the thread and reads it back. */
function readBack(bench: ThreadBench): ThreadState {
  const read = readThread(writeThreadFiles(buildThread(bench)));
  if (!read.ok) throw new Error(JSON.stringify(read.error));
  const { envelope, messages } = read.value.thread;
  return restoreThread(envelope, messages, "UTC", bench.now).state;
}

/** The same without the YAML between, which is much slower and has tests of its own. */
function deriveBack(bench: ThreadBench) {
  const { envelope, messages } = buildThread(bench);
  const documents = messages.map((document) => ({ document, blocks: readBlocks(document.MESS) }));
  const derived = deriveEnvelope(envelope, documents);
  if (!derived.ok) throw new Error(JSON.stringify(derived.error));
  const restored = restoreThread(derived.value.envelope, messages, "UTC", bench.now).state;
  return { restored, ...derived.value };
}

const RUNS = Number(process.env["RELIABILITY_REPLAYS"] ?? 400);

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

  it(
    "a thread from a file has the state that its messages made, after each message and each action of the exchange",
    () => {
      fc.assert(
        fc.property(anyCourse, ({ bench, steps }) => {
          for (const takeStep of steps) {
            takeStep();
            const { restored, envelope, differences } = deriveBack(bench);
            expect(differences).toEqual([]);
            expect(envelope).toEqual(buildThread(bench).envelope);
            expect(pickShown(restored)).toEqual(pickShown(bench.state));
          }
        }),
        { numRuns: RUNS },
      );
    },
    20_000 + RUNS * 100,
  );

  it("the courses that are tried reach each status", () => {
    const statuses = new Set<string>();

    for (const { bench, steps } of fc.sample(anyCourse, { seed: 1, numRuns: 400 }))
      for (const takeStep of steps) {
        takeStep();
        statuses.add(bench.state.status);
      }

    expect([...statuses].toSorted()).toEqual([...STATUSES].toSorted());
  });

  it("a thread from a file is completed by its response, as the original thread would be", () => {
    const thread = new ThreadBench().append("ann", { response: { content: ["here"] } });
    thread.state = readBack(thread);

    expect(thread.pass(599).state.status).toBe("claimed");
    expect(thread.pass(1).state.status).toBe("completed");
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

      expect(pickShown(restoreState(thread))).toEqual(pickShown(thread.state));
      const read = readThread(writeThreadFiles(buildThread(thread)));
      expect(read).toMatchObject({ ok: true, value: { differences: [] } });
    },
  );

  it("a thread from a file keeps a claim in the message that deferred its next attempt", () => {
    const thread = new ThreadBench()
      .append("ann", { suggestion: { type: "defer", proposed: { until: "2h" } } })
      .appendStatus("ann", "failed", { recoverable: true });
    const both = [{ reply: { accept: true } }, { status: { code: "claimed" } }];
    thread.append("ann", both, { owner: true });
    expect(thread.state).toMatchObject({ status: "claimed", executor: "ann" });

    expect(pickShown(readBack(thread))).toEqual(pickShown(thread.state));
  });

  it("a thread from a file knows its holder who withdrew a question in the same message", () => {
    const thread = new ThreadBench().append("ann", buildQuestions("pot"));
    thread.append("ann", [{ status: { code: "declined" } }, { status: { code: "claimed" } }]);
    expect(thread.state).toMatchObject({ status: "claimed", executor: "ann" });

    expect(pickShown(readBack(thread))).toEqual(pickShown(thread.state));
    const read = readThread(writeThreadFiles(buildThread(thread)));
    expect(read).toMatchObject({ ok: true, value: { differences: [] } });
  });

  it("a thread from a file has no question of a candidate once another member responded", () => {
    const thread = new ThreadBench({}, [buildPerson("ann"), buildPerson("cy")])
      .append("ann", buildQuestions("pot"))
      .append("cy", { response: { content: ["here"] } })
      .append("cy", buildQuestions("when"))
      .append("claude", { reply: { answers: { when: "today" } } });
    expect(thread.state).toMatchObject({ status: "claimed", executor: "cy" });

    expect(deriveBack(thread)).toMatchObject({ differences: [], envelope: { status: "claimed" } });
  });

  it("a thread from a file that expired with a question holds nobody", () => {
    const thread = new ThreadBench({ constraints: { timing: { expires: "P1D" } } }, [
      buildPerson("ann"),
      buildPerson("cy"),
    ])
      .appendStatus("ann", "claimed")
      .append("ann", buildQuestions("pot"))
      .advanceSeconds(90_000)
      .append("ann", [{ status: { code: "declined" } }, buildQuestions("pot")])
      .pass(0);
    expect(thread.state.status).toBe("expired");

    expect(pickShown(restoreState(thread))).toEqual(pickShown(thread.state));
  });

  it("a thread from a file keeps its open questions", () => {
    const thread = new ThreadBench()
      .append("ann", buildQuestions("pot", "when"))
      .append("claude", { reply: { answers: { when: "today" } } });
    const { questions, soft_claim } = restoreState(thread);
    expect(questions.map(({ key }) => key)).toEqual(["pot"]);
    expect(soft_claim).toBe("ann");
  });
});
