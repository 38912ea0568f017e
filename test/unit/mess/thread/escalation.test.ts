/** The order of offers, and the alerts to owners. */
import { describe, expect, it } from "vitest";
import { listParticipants } from "../../../../src/mess/thread/state.ts";
import {
  ThreadBench,
  HOUR_SECONDS,
  createThreadWithSteps,
  buildMachine,
  MINUTE_SECONDS,
  buildPerson,
} from "./support.ts";

describe("steps of candidates", () => {
  it.each([
    ["urgent", 2 * MINUTE_SECONDS],
    ["elevated", 10 * MINUTE_SECONDS],
    ["normal", 30 * MINUTE_SECONDS],
    ["background", 4 * HOUR_SECONDS],
  ])("each step of an %s thread has its time", (priority, seconds) => {
    const thread = createThreadWithSteps({ priority }).pass(seconds - 1);
    expect(thread.state.rung).toBe(1);

    expect(thread.pass(1).state.rung).toBe(2);
    expect(thread.pass(seconds - 1).state.rung).toBe(2);
    expect(thread.pass(1).state.rung).toBe(3);
    expect(thread.listNotes("escalated")).toEqual([
      expect.stringMatching(/\bann\b/),
      expect.stringMatching(/\btom\b/),
    ]);
    expect(thread.listedNotices.filter((one) => one.startsWith("offer"))).toEqual([
      "offer bot",
      "offer ann",
      "offer tom",
    ]);
  });

  it("candidates of earlier steps may still claim the thread", () => {
    const thread = createThreadWithSteps()
      .pass(2 * HOUR_SECONDS)
      .appendStatus("bot", "claimed");
    expect(thread.state.executor).toBe("bot");
    expect(listParticipants(thread.state)).toEqual(["claude", "bot", "ann", "tom"]);
  });

  it("no further step is offered the thread while an executor holds it", () => {
    const thread = new ThreadBench({}, [buildPerson("ann"), buildPerson("tom", 2)]).appendStatus(
      "ann",
      "claimed",
    );
    thread.pass(2 * HOUR_SECONDS - 1);
    expect(thread.state).toMatchObject({ executor: "ann", rung: 1 });
    expect(thread.listedNotices).toEqual(["offer ann", "reminder ann"]);
  });

  it("steps without candidates are skipped, whatever the number of the first one", () => {
    const thread = new ThreadBench({}, [buildPerson("ann", 3), buildPerson("tom", 7)]);
    expect(thread.listedNotices).toEqual(["offer ann"]);
    expect(thread.appendStatus("ann", "declined").listedNotices).toEqual([
      "offer ann",
      "offer tom",
    ]);
  });
});

describe("declines of all candidates", () => {
  it("the next step is offered the thread at once when all have declined, and has its full time", () => {
    const thread = new ThreadBench({}, [
      buildPerson("ann"),
      buildMachine("bot"),
      buildPerson("tom", 2),
    ]);
    thread.pass(10 * MINUTE_SECONDS).appendStatus("ann", "declined");
    expect(thread.listedNotices).toEqual(["offer ann bot"]);

    thread.appendStatus("bot", "declined");

    expect(thread.listedNotices.at(-1)).toBe("offer tom");
    expect(thread.actions.slice(-2)).toEqual(["declined", "escalated"]);
    expect(thread.pass(30 * MINUTE_SECONDS - 1).listedNotices).not.toContain("alert");
    expect(thread.pass(1).listedNotices.at(-1)).toBe("alert");
  });

  it("the thread is declined and the owners are alerted when no candidate is left", () => {
    const thread = createThreadWithSteps();
    for (const id of ["bot", "ann", "tom"]) thread.appendStatus(id, "declined");
    expect(thread.state.status).toBe("declined");
    expect(thread.listedNotices).toEqual(["offer bot", "offer ann", "offer tom", "alert"]);
    expect(thread.notices.at(-1)?.note).toMatch(/\w/);
    // The reason differs from that of an alert without a decline.
    expect(thread.notices.at(-1)?.note).not.toBe(new ThreadBench({}, []).notices.at(-1)?.note);
  });
});

describe("owners of the household", () => {
  it("an owner may claim or decline the thread from the alert on", () => {
    const mum = { owner: true };
    const claim = { status: { code: "claimed" } };
    const thread = new ThreadBench({}, [buildPerson("ann")]).pass(29 * MINUTE_SECONDS);
    expect(thread.try("mum", claim, mum)?.code).toBe("wrong_role");

    thread.pass(MINUTE_SECONDS).append("mum", claim, mum);

    expect(thread.state.executor).toBe("mum");
    expect(listParticipants(thread.state)).toContain("mum");
    expect(thread.try("dad", { status: { code: "in_progress" } }, mum)?.code).toBe("wrong_role");
    expect(thread.pass(2 * HOUR_SECONDS).listedNotices.at(-1)).toBe("offer ann");

    const nobody = new ThreadBench({}, []).append("mum", { status: { code: "declined" } }, mum);
    expect(nobody.state.status).toBe("declined");
  });

  it("owners are alerted again when a thread returns and no executor claims it", () => {
    const thread = new ThreadBench({}, [buildPerson("ann")])
      .pass(HOUR_SECONDS)
      .appendStatus("ann", "claimed");
    thread.pass(2 * HOUR_SECONDS);
    const { length } = thread.listedNotices;
    expect(thread.pass(30 * MINUTE_SECONDS - 1).listedNotices.slice(length)).toEqual([
      "reminder ann",
    ]);
    expect(thread.pass(1).listedNotices.slice(length)).toEqual(["reminder ann", "alert"]);
  });
});

describe("a delegate (decision 34)", () => {
  const delegate = { delegate: buildPerson("zoe") };
  const pass = { status: { code: "delegated", delegated_to: "zoe" } };

  it("a delegate that declines passes the thread to the other candidates at once", () => {
    const thread = new ThreadBench({}, [buildPerson("ann"), buildMachine("bot")]);
    thread.append("ann", pass, delegate).appendStatus("zoe", "declined");
    expect(thread.listedNotices).toEqual(["offer ann bot", "offer zoe", "offer bot"]);
  });
});
