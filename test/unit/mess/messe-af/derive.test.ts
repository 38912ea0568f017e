import { describe, expect, it } from "vitest";
import { readThread } from "../../../../src/mess/messe-af/read.ts";
import { writeThreadFiles } from "../../../../src/mess/messe-af/write.ts";
import { buildThread } from "../../../support/generators/any-thread.ts";
import { ThreadBench, buildMachine, buildPerson } from "../thread/support.ts";

/** The envelope that a read derives for the in-memory thread; throws if it differs from the thread's own. */
function readEnvelopeBack(bench: ThreadBench) {
  const thread = buildThread(bench);
  const read = readThread(writeThreadFiles(thread));
  if (!read.ok) throw new Error(JSON.stringify(read.error));
  expect(read.value.differences).toEqual([]);
  expect(read.value.thread).toEqual(thread);
  return read.value.thread.envelope;
}

const questionFields = { questions: [{ id: "pot", question: "which pot?" }] };
const answer = { reply: { answers: { pot: "the blue one" } } };

describe("the state derived from messages", () => {
  it("messages alone show that an answer returns to held after a refused confirmation", () => {
    const bench = new ThreadBench()
      .appendStatus("ann", "claimed")
      .appendStatus("ann", "needs_confirmation", { action: "cut" })
      .append("claude", { reply: { confirm: false } })
      .appendStatus("ann", "needs_input", questionFields)
      .append("claude", answer);

    expect(readEnvelopeBack(bench)).toMatchObject({ status: "held", executor: "ann" });
  });

  it("messages alone show that an answer to a candidate returns to retrying", () => {
    const bench = new ThreadBench()
      .appendStatus("ann", "failed", { recoverable: true })
      .appendStatus("bot", "needs_input", questionFields)
      .append("claude", answer);

    expect(readEnvelopeBack(bench)).toMatchObject({ status: "retrying", executor: null });
  });

  it("messages alone show that a candidate with a question may claim before the answer", () => {
    const bench = new ThreadBench()
      .appendStatus("bot", "needs_input", questionFields)
      .appendStatus("bot", "claimed")
      .append("claude", answer);

    expect(readEnvelopeBack(bench)).toMatchObject({ status: "claimed", executor: "bot" });
  });

  it("messages alone show a release, although the last sender before it was not the holder", () => {
    const bench = new ThreadBench()
      .appendStatus("bot", "claimed")
      .pass(60)
      .append("claude", { followup: { message: "any news?" } })
      .pass(900);

    expect(bench.actions).toContain("released");
    expect(readEnvelopeBack(bench)).toMatchObject({ status: "pending", executor: null });
  });

  it("messages alone show a change by the exchange between two blocks of one message", () => {
    const bench = new ThreadBench({}, [buildPerson("ann"), buildMachine("bot")]).append("bot", [
      { status: { code: "failed", recoverable: true } },
      { status: { code: "in_progress", message: "once more" } },
    ]);

    expect(readEnvelopeBack(bench)).toMatchObject({ status: "in_progress", executor: "bot" });
  });

  it("messages alone show an end after silence", () => {
    const expired = new ThreadBench({ needed_by: "2026-05-04T09:00:00Z" }).pass(3_600);
    const completed = new ThreadBench().append("bot", { response: { content: ["watered"] } });

    expect(readEnvelopeBack(expired)).toMatchObject({ status: "expired" });
    expect(readEnvelopeBack(completed)).toMatchObject({ status: "completed", executor: "bot" });
  });
});
