import { describe, expect, it } from "vitest";
import { ThreadBench, buildMachine, buildPerson } from "./support.ts";

describe("the end of a thread (decisions 26–28)", () => {
  it("a thread does not complete while a question is open, nor with its answer", () => {
    const thread = new ThreadBench({}, [buildMachine("bot")]).append("bot", [
      { response: { content: ["one pot done"] } },
      { status: { code: "needs_input", message: "the other as well?" } },
    ]);
    thread.append("bot", { response: { content: ["it looks dry"] } });
    thread.append("claude", { answer: { value: "yes" } });
    expect(thread.state.status).toBe("claimed");
    thread.appendStatus("bot", "in_progress").appendStatus("bot", "completed");
  });

  it("a thread that is too large to be read at once accepts no more messages", () => {
    const thread = new ThreadBench();
    thread.state.size = 16 * 1024 * 1024;
    expect(thread.try("claude", { followup: { message: "more" } })?.code).toBe("thread_full");
  });
});

describe("expiry (decisions 33, 38)", () => {
  it("a thread expires at needed_by rather than at constraints.timing.expires", () => {
    const thread = new ThreadBench({
      needed_by: "2026-05-04T09:00:00Z",
      constraints: { timing: { expires: "5m" } },
    });
    expect(thread.pass(3_599).state.status).toBe("pending");
    expect(thread.pass(1).state.status).toBe("expired");
  });

  it("a thread in progress does not expire before its work is paused", () => {
    const thread = new ThreadBench({ constraints: { timing: { expires: "1h" } } }, [
      buildPerson("ann"),
    ]);
    thread.appendStatus("ann", "in_progress").pass(3_700);
    expect(thread.state.status).toBe("in_progress");
    thread.appendStatus("ann", "held");
    expect(thread.state.status).toBe("expired");
  });
});
