import { describe, expect, it } from "vitest";
import { ThreadBench, machine, person } from "./support.ts";

describe("claiming (decision 30)", () => {
  it("goes to the first, and tells the next who holds it", () => {
    const thread = new ThreadBench().status("ann", "claimed");

    const fault = thread.try("bot", { status: { code: "claimed" } });

    expect(fault).toMatchObject({ code: "already_claimed", valid: ["ann"] });
    expect(thread.state.executor).toBe("ann");
  });

  it("is implied by any work that is reported, and both are logged (decision 29)", () => {
    const thread = new ThreadBench().status("bot", "completed");
    expect(thread.actions).toEqual(["created", "dispatched", "claimed", "completed"]);
    expect(thread.state).toMatchObject({ status: "completed", executor: "bot" });
  });

  it("applies the blocks of one message in order", () => {
    const thread = new ThreadBench().say("ann", [
      { status: { code: "claimed" } },
      { status: { code: "completed" } },
      { response: { content: ["done, the fern was dry"] } },
    ]);
    expect(thread.actions).toEqual(["created", "dispatched", "claimed", "completed"]);
    expect(thread.documents.map(({ name }) => name)).toEqual([undefined, "response-001"]);
  });

  it("changes nothing when a later block is refused", () => {
    const thread = new ThreadBench();
    const before = structuredClone(thread.state);

    const fault = thread.try("ann", [
      { status: { code: "completed" } },
      { status: { code: "held" } },
    ]);

    expect(fault).toMatchObject({ code: "thread_finished", path: "MESS[1].status" });
    expect(thread.state).toEqual(before);
  });

  it("by someone who was not asked is refused", () => {
    const fault = new ThreadBench().try("zoe", { status: { code: "claimed" } });
    expect(fault?.code).toBe("wrong_role");
  });

  it("again by its holder renews it, and logs nothing", () => {
    const thread = new ThreadBench().status("ann", "claimed").pass(3_600).status("ann", "claimed");
    expect(thread.actions.filter((action) => action === "claimed")).toHaveLength(1);
    expect(thread.state.lease_ends).toBe(thread.now + 7_200_000);
  });
});

describe("a lease", () => {
  it("lapses after silence: the thread is released and open to all again", () => {
    const thread = new ThreadBench().status("bot", "in_progress").pass(899);
    expect(thread.state.executor).toBe("bot");

    thread.pass(1);

    expect(thread.state).toMatchObject({ status: "pending", executor: null });
    expect(thread.actions.slice(-3)).toEqual(["released", "pending", "dispatched"]);
    expect(thread.try("ann", { status: { code: "claimed" } })).toBeUndefined();
  });

  it("is renewed by any message of the holder, a followup too", () => {
    const thread = new ThreadBench().status("bot", "in_progress").pass(800);
    thread.say("bot", { followup: { message: "still at it" } }).pass(800);
    expect(thread.state.executor).toBe("bot");
  });

  it("is renewed by a suggestion of the holder, and not by anybody else's", () => {
    const thread = new ThreadBench().status("bot", "in_progress").pass(800);
    thread.say("ann", { suggestion: { type: "alternative", proposed: { intent: "use the mop" } } });
    thread.say("bot", { suggestion: { type: "defer", proposed: { until: "1d" } } }).pass(800);
    expect(thread.state.executor).toBe("bot");
    thread.say("ann", { suggestion: { type: "alternative" } }).pass(100);
    expect(thread.state.executor).toBeNull();
  });

  it("keeps what was announced while the work goes on, and begins anew when it changes", () => {
    const thread = new ThreadBench().status("bot", "in_progress", { eta: "2h" }).pass(60);
    thread.say("bot", { followup: { message: "it is a big one" } });
    thread.status("bot", "in_progress", { progress_pct: 20 }).pass(7_000);
    expect(thread.state.executor).toBe("bot");

    thread.status("bot", "waiting").pass(900);
    expect(thread.state.executor).toBeNull();
  });

  it("lasts past what the holder announced", () => {
    const thread = new ThreadBench().status("bot", "claimed", { eta: "2h" }).pass(7_200 + 899);
    expect(thread.state.executor).toBe("bot");
    expect(thread.pass(1).state.executor).toBeNull();
  });

  it("stands still while the holder waits for an answer", () => {
    const thread = new ThreadBench().status("bot", "needs_input", { message: "which pot?" });
    thread.status("bot", "claimed").pass(100_000);
    expect(thread.state.executor).toBe("bot");
  });
});

describe("declining (decision 31)", () => {
  it("counts for that candidate only", () => {
    const thread = new ThreadBench().status("ann", "declined", { reason: "not at home" });
    expect(thread.state).toMatchObject({ status: "pending", executor: null });
    expect(thread.try("bot", { status: { code: "claimed" } })).toBeUndefined();
  });

  it("by the holder opens the thread to the others again", () => {
    const thread = new ThreadBench().status("ann", "claimed").status("ann", "declined");
    expect(thread.state).toMatchObject({ status: "pending", executor: null });
    expect(thread.actions.slice(-3)).toEqual(["declined", "pending", "dispatched"]);
  });

  it("by everybody ends the thread, and the exchange says so in the record", () => {
    const thread = new ThreadBench().status("ann", "declined").status("bot", "declined");
    expect(thread.state.status).toBe("declined");
    expect(thread.documents.at(-1)?.document).toMatchObject({
      from: "exchange",
      MESS: [{ status: { code: "declined" } }],
    });
  });

  it("by a candidate leaves the holder alone", () => {
    const thread = new ThreadBench().status("ann", "claimed").status("bot", "declined");
    expect(thread.state).toMatchObject({ status: "claimed", executor: "ann" });
  });

  it("is what an executor's cancelled means (decision 35)", () => {
    const thread = new ThreadBench({}, [person("ann")]).status("ann", "cancelled");
    expect(thread.state.status).toBe("declined");
    expect(thread.documents[1]?.document.MESS).toMatchObject([{ status: { code: "declined" } }]);
  });

  it("is taken back by a claim", () => {
    const thread = new ThreadBench().status("ann", "declined").status("ann", "claimed");
    expect(thread.state.executor).toBe("ann");
    thread.status("ann", "declined").status("bot", "claimed");
    expect(thread.state.executor).toBe("bot");
  });
});

describe("delegating (decision 34)", () => {
  it("to a member keeps the thread and offers it to that member first", () => {
    const thread = new ThreadBench().status("ann", "claimed");
    thread.say(
      "ann",
      { status: { code: "delegated", delegated_to: "tom" } },
      { delegate: person("tom") },
    );
    expect(thread.state).toMatchObject({ status: "pending", executor: null });
    expect(thread.state.candidates[0]?.id).toBe("tom");
    expect(thread.actions).toContain("delegated");
  });

  it("is possible while an approval is open, which goes with the one who asked", () => {
    const thread = new ThreadBench().say("ann", {
      status: { code: "needs_confirmation", action: "repot" },
    });
    thread.say(
      "ann",
      { status: { code: "delegated", delegated_to: "tom" } },
      { delegate: person("tom") },
    );
    expect(thread.state).toMatchObject({
      status: "pending",
      executor: null,
      action: { open: false },
    });
  });

  it("elsewhere ends it here", () => {
    const thread = new ThreadBench().status("ann", "claimed");
    thread.say("ann", { status: { code: "delegated", delegated_to: "work:facilities" } });
    expect(thread.state).toMatchObject({ status: "delegated", delegated_to: "work:facilities" });
  });
});

describe("a recoverable failure (decision 32)", () => {
  it("re-queues the thread as retrying, and fails for good at the limit", () => {
    const thread = new ThreadBench({}, [machine("bot"), machine("bee")]);
    const fail = { recoverable: true, reason: "wheel stuck" };
    thread.status("bot", "claimed").status("bot", "failed", fail);
    expect(thread.state).toMatchObject({ status: "retrying", executor: null });

    thread.status("bee", "claimed").status("bee", "failed", fail);
    thread.status("bot", "claimed").status("bot", "failed", fail);

    expect(thread.state.status).toBe("failed");
  });

  it("is over with once a question that followed it was withdrawn", () => {
    const thread = new ThreadBench().status("bot", "failed", { recoverable: true });
    thread.status("ann", "needs_input", { message: "which pot?" }).status("ann", "declined");
    expect(thread.state.status).toBe("pending");
    thread.status("bot", "needs_input", { message: "how much?" });
    expect(thread.say("claude", { answer: { value: "a cup" } }).state.status).toBe("pending");
  });

  it("without recoverable is terminal at once", () => {
    const thread = new ThreadBench().status("bot", "failed", { reason: "no floor found" });
    expect(thread.state.status).toBe("failed");
    expect(thread.try("ann", { status: { code: "claimed" } })?.code).toBe("thread_finished");
  });
});
