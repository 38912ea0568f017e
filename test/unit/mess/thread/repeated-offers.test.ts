/** Later offers of a thread: repeated, deferred, or from a state of an older version. */
import { describe, expect, it } from "vitest";
import { listParticipants } from "../../../../src/mess/thread/state.ts";
import {
  ThreadBench,
  HOUR_SECONDS,
  buildMachine,
  MINUTE_SECONDS,
  buildPerson,
  START,
} from "./support.ts";

describe("a thread that is offered again", () => {
  it("a thread is offered again to its last holder if there is no other candidate", () => {
    const alone = new ThreadBench({}, [buildMachine("bot")])
      .appendStatus("bot", "claimed")
      .pass(900);
    expect(alone.listedNotices).toEqual(["offer bot", "offer bot"]);
    expect(alone.notices.at(-1)?.note).toMatch(/\bbot\b/);

    const left = new ThreadBench({}, [buildMachine("bot"), buildPerson("ann", 2)]);
    left.appendStatus("bot", "claimed").pass(900).appendStatus("ann", "declined");
    expect(left.state.status).toBe("pending");
    expect(left.listedNotices).toEqual(["offer bot", "offer ann", "offer bot"]);
  });

  it("a thread that has expired meanwhile is not offered again", () => {
    const thread = new ThreadBench({ constraints: { timing: { expires: "1h" } } }, [
      buildPerson("ann"),
    ]);
    thread.appendStatus("ann", "in_progress").pass(2 * HOUR_SECONDS);
    expect(thread.state.status).toBe("expired");
    expect(thread.listedNotices).toEqual(["offer ann", "reminder ann"]);
  });

  it("a thread that failed recoverably is offered again", () => {
    const thread = new ThreadBench({}, [
      buildMachine("bot"),
      buildMachine("bee"),
      buildPerson("ann", 2),
    ]);
    thread.appendStatus("bot", "claimed").appendStatus("bot", "failed", { recoverable: true });
    expect(thread.state).toMatchObject({ status: "retrying", rung: 1 });
    expect(thread.listedNotices).toEqual(["offer bot bee", "offer bee"]);
    expect(thread.pass(30 * MINUTE_SECONDS).listedNotices.slice(2)).toEqual([
      "reminder bee",
      "offer ann",
    ]);
  });

  it("a thread whose holder declines is offered to the first step with a candidate that has not declined", () => {
    const thread = new ThreadBench({}, [
      buildPerson("ann"),
      buildMachine("bot"),
      buildPerson("tom", 2),
    ]);
    thread
      .appendStatus("bot", "declined")
      .appendStatus("ann", "claimed")
      .appendStatus("ann", "declined");
    expect(thread.listedNotices).toEqual(["offer ann bot", "offer tom"]);
    expect(thread.state.rung).toBe(2);
  });

  it("a deferred thread that was claimed early and failed is offered again at its time", () => {
    const thread = new ThreadBench({}, [buildPerson("ann"), buildPerson("tom", 2)]);
    thread.append("ann", { suggestion: { type: "defer", proposed: "P2D" } });
    thread.append("claude", { reply: { accept: true } });
    thread.appendStatus("ann", "failed", { recoverable: true });
    expect(thread.state).toMatchObject({ status: "retrying", offered: false });
    expect(thread.pass(48 * HOUR_SECONDS).listedNotices).toEqual(["offer ann", "offer ann"]);
  });

  it("a deferred thread whose holder declines is not offered before its time", () => {
    const thread = new ThreadBench({}, [buildPerson("ann"), buildPerson("tom", 2)]);
    thread.append("ann", { suggestion: { type: "defer", proposed: "P2D" } });
    thread.append("claude", { reply: { accept: true } });
    thread.appendStatus("ann", "claimed").appendStatus("ann", "declined");
    expect(thread.listedNotices).toEqual(["offer ann"]);
    expect(thread.state).toMatchObject({ status: "pending", offered: false });
    thread.pass(48 * HOUR_SECONDS);
    expect(thread.listedNotices).toEqual(["offer ann", "offer tom"]);
  });
});

describe("a stored state without steps", () => {
  /** A stored state of an older version, without the fields of the escalation. */
  function ageThread(thread: ThreadBench): ThreadBench {
    const { rung: _r, rung_since: _s, rung_seconds: _t, ...state } = thread.state;
    const candidates = state.candidates.map(({ rung: _rung, asked: _asked, ...one }) => one);
    thread.state = { ...state, candidates };
    return thread;
  }

  it("a stored state without steps treats all candidates as offered", () => {
    const thread = ageThread(new ThreadBench({}, [buildPerson("ann"), buildMachine("bot")]));
    expect(listParticipants(thread.state)).toEqual(["claude", "ann", "bot"]);
    expect(thread.appendStatus("bot", "claimed").state.executor).toBe("bot");
    thread.appendStatus("bot", "declined");
    expect(thread.listedNotices).toEqual(["offer ann bot", "offer ann"]);
  });

  it("a stored state without steps is escalated from the next message on", () => {
    const thread = ageThread(new ThreadBench({}, [buildPerson("ann")]));
    thread.now = START + 5 * HOUR_SECONDS * 1000;
    thread.append("claude", { followup: { message: "please" } });
    expect(thread.pass(15 * MINUTE_SECONDS).listedNotices).toEqual(["offer ann", "reminder ann"]);
    expect(thread.pass(15 * MINUTE_SECONDS).listedNotices.at(-1)).toBe("alert");
  });

  it("a stored state without steps that was not offered yet is offered to the first step", () => {
    const thread = ageThread(new ThreadBench({}, undefined, ["2026-05-04-002"]));
    expect(listParticipants(thread.state)).toEqual(["claude"]);
    thread.endDependency("2026-05-04-002", "completed");
    expect(thread.listedNotices).toEqual(["offer ann bot"]);
  });
});
