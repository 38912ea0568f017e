import { describe, expect, it } from "vitest";
import { ThreadBench, machine, person } from "./support.ts";

describe("the end of a thread (decisions 26–28)", () => {
  it("is final: no status, no cancel", () => {
    const thread = new ThreadBench().status("ann", "completed");
    expect(thread.try("ann", { status: { code: "in_progress" } })?.code).toBe("thread_finished");
    expect(thread.try("claude", { cancel: {} })?.code).toBe("thread_finished");
  });

  it("still takes a response, a followup and a review", () => {
    const thread = new ThreadBench().status("ann", "completed");
    thread.say("ann", { response: { content: ["photo to follow"] } });
    thread.say("claude", { followup: { message: "thank you" } });
    thread.say("claude", { review: { rating: 5 } });
    expect(thread.state.status).toBe("completed");
    expect(thread.documents.map(({ name }) => name)).toEqual([
      undefined,
      "status-001",
      "response-002",
      "followup-003",
      "review-004",
    ]);
  });

  it("as partial lets the same executor go on, and nobody else", () => {
    const thread = new ThreadBench().status("ann", "partial", {
      completed: ["ferns"],
      remaining: ["roses"],
    });
    expect(thread.try("bot", { status: { code: "claimed" } })?.code).toBe("already_claimed");
    thread.status("ann", "in_progress").status("ann", "completed");
    expect(thread.state.status).toBe("completed");
  });

  it("comes ten quiet minutes after a person's bare response", () => {
    const thread = new ThreadBench().say("ann", { response: { content: ["all watered"] } });
    expect(thread.state.status).toBe("claimed");
    expect(thread.pass(599).state.status).toBe("claimed");
    expect(thread.pass(1).state.status).toBe("completed");
    expect(thread.documents.at(-1)?.document.from).toBe("exchange");
  });

  it("does not come when the person goes on working", () => {
    const thread = new ThreadBench()
      .say("ann", { response: { content: ["half"] } })
      .status("ann", "in_progress");
    expect(thread.pass(3_600).state.status).toBe("in_progress");
  });

  it("does not come while a question is open, nor with its answer", () => {
    const thread = new ThreadBench({}, [machine("bot")]).say("bot", [
      { response: { content: ["one pot done"] } },
      { status: { code: "needs_input", message: "the other as well?" } },
    ]);
    thread.say("bot", { response: { content: ["it looks dry"] } });
    thread.say("claude", { answer: { value: "yes" } });
    expect(thread.state.status).toBe("claimed");
    thread.status("bot", "in_progress").status("bot", "completed");
  });

  it("comes at once after a machine's response", () => {
    const thread = new ThreadBench({}, [machine("bot")]).say("bot", {
      response: { content: ["done"] },
    });
    expect(thread.state.status).toBe("completed");
  });

  it("comes when it has grown too large to be read whole", () => {
    const thread = new ThreadBench();
    thread.state.size = 16 * 1024 * 1024;
    expect(thread.try("claude", { followup: { message: "more" } })?.code).toBe("thread_full");
  });

  it("by cancel belongs to the requestor and the owner", () => {
    expect(new ThreadBench().try("ann", { cancel: {} })?.code).toBe("wrong_role");
    const thread = new ThreadBench().status("ann", "in_progress");
    thread.say("claude", { cancel: { reason: "it rains" } });
    expect(thread.state.status).toBe("cancelled");
    expect(thread.history.at(-1)?.note).toBe("it rains");
  });
});

describe("expiry (decisions 33, 38)", () => {
  it("hits a thread that nobody took", () => {
    const thread = new ThreadBench({ constraints: { timing: { expires: "2h" } } });
    expect(thread.pass(7_199).state.status).toBe("pending");
    expect(thread.pass(1).state.status).toBe("expired");
  });

  it("is needed_by before constraints.timing.expires", () => {
    const thread = new ThreadBench({
      needed_by: "2026-05-04T09:00:00Z",
      constraints: { timing: { expires: "5m" } },
    });
    expect(thread.pass(3_599).state.status).toBe("pending");
    expect(thread.pass(1).state.status).toBe("expired");
  });

  it("never hits work in progress, but waits for it to pause", () => {
    const thread = new ThreadBench({ constraints: { timing: { expires: "1h" } } }, [person("ann")]);
    thread.status("ann", "in_progress").pass(3_700);
    expect(thread.state.status).toBe("in_progress");
    thread.status("ann", "held");
    expect(thread.state.status).toBe("expired");
  });

  it("judges a late message by what time has made of the thread, alarm or not", () => {
    const thread = new ThreadBench({ constraints: { timing: { expires: "1h" } } });
    thread.now += 3_600_000;
    expect(thread.try("ann", { status: { code: "claimed" } })?.code).toBe("thread_finished");
  });
});

describe("not_before and dependencies (decision 42)", () => {
  it("keep the thread from its candidates until its time", () => {
    const thread = new ThreadBench({
      constraints: { timing: { not_before: "2026-05-04T10:00:00Z" } },
    });
    expect(thread.try("ann", { status: { code: "claimed" } })?.code).toBe("wrong_role");
    thread.pass(7_200).status("ann", "claimed");
    expect(thread.actions).toEqual(["created", "dispatched", "claimed"]);
  });

  it("release it when all are completed", () => {
    const thread = new ThreadBench({}, undefined, ["2026-05-04-002", "2026-05-04-003"]);
    thread
      .dependencyEnds("2026-05-04-002", "completed")
      .dependencyEnds("2026-05-04-003", "partial");
    expect(thread.state).toMatchObject({ offered: false, blocked_by: ["2026-05-04-003"] });
    thread.dependencyEnds("2026-05-04-003", "completed");
    expect(thread.state).toMatchObject({ offered: true, blocked_by: [] });
  });

  it.each([
    ["hold", "held"],
    ["cancel", "cancelled"],
    ["proceed", "pending"],
  ])("that fail %s it", (policy, status) => {
    const constraints = { depends_on: ["x"], on_dependency_failure: policy };
    const thread = new ThreadBench({ constraints }, undefined, ["2026-05-04-002"]);
    thread.dependencyEnds("2026-05-04-002", "failed");
    expect(thread.state.status).toBe(status);
    expect(thread.state.offered).toBe(policy === "proceed");
  });
});
