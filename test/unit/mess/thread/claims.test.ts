import { describe, expect, it } from "vitest";
import { ThreadBench, buildPerson } from "./support.ts";

describe("claims (decision 30)", () => {
  it("the blocks of one message are applied in order, and the message is named by its response", () => {
    const thread = new ThreadBench().append("ann", [
      { status: { code: "claimed" } },
      { status: { code: "completed" } },
      { response: { content: ["done, the fern was dry"] } },
    ]);
    expect(thread.actions).toEqual(["created", "dispatched", "claimed", "completed"]);
    expect(thread.documents.map(({ name }) => name)).toEqual([undefined, "response-001"]);
  });
});

describe("the lease of a claim", () => {
  it("a lease is renewed by a suggestion of the holder, and not by one of another member", () => {
    const thread = new ThreadBench().appendStatus("bot", "in_progress").pass(800);
    thread.append("ann", {
      suggestion: { type: "alternative", proposed: { intent: "use the mop" } },
    });
    thread.append("bot", { suggestion: { type: "defer", proposed: { until: "1d" } } }).pass(800);
    expect(thread.state.executor).toBe("bot");
    thread.append("ann", { suggestion: { type: "alternative" } }).pass(100);
    expect(thread.state.executor).toBeNull();
  });

  it("a lease keeps an announced time while the work continues, and starts again when the status changes", () => {
    const thread = new ThreadBench().appendStatus("bot", "in_progress", { eta: "2h" }).pass(60);
    thread.append("bot", { followup: { message: "it is a big one" } });
    thread.appendStatus("bot", "in_progress", { progress_pct: 20 }).pass(7_000);
    expect(thread.state.executor).toBe("bot");

    thread.appendStatus("bot", "waiting").pass(900);
    expect(thread.state.executor).toBeNull();
  });
});

describe("declines (decision 31)", () => {
  it("a decline of every candidate ends the thread with a message of the exchange", () => {
    const thread = new ThreadBench()
      .appendStatus("ann", "declined")
      .appendStatus("bot", "declined");
    expect(thread.state.status).toBe("declined");
    expect(thread.documents.at(-1)?.document).toMatchObject({
      from: "exchange",
      MESS: [{ status: { code: "declined" } }],
    });
  });
});

describe("delegation (decision 34)", () => {
  it("a holder may delegate while an approval is open, and the approval is withdrawn", () => {
    const thread = new ThreadBench().append("ann", {
      status: { code: "needs_confirmation", action: "repot" },
    });
    thread.append(
      "ann",
      { status: { code: "delegated", delegated_to: "tom" } },
      { delegate: buildPerson("tom") },
    );
    expect(thread.state).toMatchObject({
      status: "pending",
      executor: null,
      action: { open: false },
    });
  });
});

describe("recoverable failures (decision 32)", () => {
  it("a retry ends once a later question was withdrawn", () => {
    const thread = new ThreadBench().appendStatus("bot", "failed", { recoverable: true });
    thread
      .appendStatus("ann", "needs_input", { message: "which pot?" })
      .appendStatus("ann", "declined");
    expect(thread.state.status).toBe("pending");
    thread.appendStatus("bot", "needs_input", { message: "how much?" });
    expect(thread.append("claude", { answer: { value: "a cup" } }).state.status).toBe("pending");
  });
});
