/** Who is asked, in which order, and when the owners are. */
import { describe, expect, it } from "vitest";
import { listParticipants } from "../../../../src/mess/thread/state.ts";
import {
  ThreadBench,
  HOUR_SECONDS,
  createTieredThread,
  machine,
  MINUTE_SECONDS,
  person,
} from "./support.ts";

describe("the ladder", () => {
  it.each([
    ["urgent", 2 * MINUTE_SECONDS],
    ["elevated", 10 * MINUTE_SECONDS],
    ["normal", 30 * MINUTE_SECONDS],
    ["background", 4 * HOUR_SECONDS],
  ])("gives each rung of an %s thread its time", (priority, seconds) => {
    const thread = createTieredThread({ priority }).pass(seconds - 1);
    expect(thread.state.rung).toBe(1);

    expect(thread.pass(1).state.rung).toBe(2);
    expect(thread.pass(seconds - 1).state.rung).toBe(2);
    expect(thread.pass(1).state.rung).toBe(3);
    expect(thread.notes("escalated")).toEqual([
      expect.stringMatching(/\bann\b/),
      expect.stringMatching(/\btom\b/),
    ]);
    expect(thread.told.filter((one) => one.startsWith("offer"))).toEqual([
      "offer bot",
      "offer ann",
      "offer tom",
    ]);
  });

  it("leaves those of earlier rungs their right to claim", () => {
    const thread = createTieredThread()
      .pass(2 * HOUR_SECONDS)
      .status("bot", "claimed");
    expect(thread.state.executor).toBe("bot");
    expect(listParticipants(thread.state)).toEqual(["claude", "bot", "ann", "tom"]);
  });

  it("stands still once somebody holds the thread", () => {
    const thread = new ThreadBench({}, [person("ann"), person("tom", 2)]).status("ann", "claimed");
    thread.pass(2 * HOUR_SECONDS - 1);
    expect(thread.state).toMatchObject({ executor: "ann", rung: 1 });
    expect(thread.told).toEqual(["offer ann", "reminder ann"]);
  });

  it("skips rungs on which nobody is left, wherever they are numbered from", () => {
    const thread = new ThreadBench({}, [person("ann", 3), person("tom", 7)]);
    expect(thread.told).toEqual(["offer ann"]);
    expect(thread.status("ann", "declined").told).toEqual(["offer ann", "offer tom"]);
  });
});

describe("when all who were asked have declined", () => {
  it("the next rung is asked at once, and has its whole time", () => {
    const thread = new ThreadBench({}, [person("ann"), machine("bot"), person("tom", 2)]);
    thread.pass(10 * MINUTE_SECONDS).status("ann", "declined");
    expect(thread.told).toEqual(["offer ann bot"]);

    thread.status("bot", "declined");

    expect(thread.told.at(-1)).toBe("offer tom");
    expect(thread.actions.slice(-2)).toEqual(["declined", "escalated"]);
    expect(thread.pass(30 * MINUTE_SECONDS - 1).told).not.toContain("alert");
    expect(thread.pass(1).told.at(-1)).toBe("alert");
  });

  it("and nobody else can be, the thread is declined and the owners are told", () => {
    const thread = createTieredThread();
    for (const id of ["bot", "ann", "tom"]) thread.status(id, "declined");
    expect(thread.state.status).toBe("declined");
    expect(thread.told).toEqual(["offer bot", "offer ann", "offer tom", "alert"]);
    expect(thread.notices.at(-1)?.note).toMatch(/\w/);
    // Not for the reason for which they are told where nobody declined.
    expect(thread.notices.at(-1)?.note).not.toBe(new ThreadBench({}, []).notices.at(-1)?.note);
  });
});

describe("the owners", () => {
  it("may take it themselves, or say no, from when they are told", () => {
    const mum = { owner: true };
    const claim = { status: { code: "claimed" } };
    const thread = new ThreadBench({}, [person("ann")]).pass(29 * MINUTE_SECONDS);
    expect(thread.try("mum", claim, mum)?.code).toBe("wrong_role");

    thread.pass(MINUTE_SECONDS).say("mum", claim, mum);

    expect(thread.state.executor).toBe("mum");
    expect(listParticipants(thread.state)).toContain("mum");
    expect(thread.try("dad", { status: { code: "in_progress" } }, mum)?.code).toBe("wrong_role");
    expect(thread.pass(2 * HOUR_SECONDS).told.at(-1)).toBe("offer ann");

    const nobody = new ThreadBench({}, []).say("mum", { status: { code: "declined" } }, mum);
    expect(nobody.state.status).toBe("declined");
  });

  it("are told again when a thread that was taken comes back, and nobody takes it anew", () => {
    const thread = new ThreadBench({}, [person("ann")]).pass(HOUR_SECONDS).status("ann", "claimed");
    thread.pass(2 * HOUR_SECONDS);
    const { length } = thread.told;
    expect(thread.pass(30 * MINUTE_SECONDS - 1).told.slice(length)).toEqual(["reminder ann"]);
    expect(thread.pass(1).told.slice(length)).toEqual(["reminder ann", "alert"]);
  });
});

describe("a delegate (decision 34)", () => {
  const delegate = { delegate: person("zoe") };
  const pass = { status: { code: "delegated", delegated_to: "zoe" } };

  it("that declines hands it to the others at once", () => {
    const thread = new ThreadBench({}, [person("ann"), machine("bot")]);
    thread.say("ann", pass, delegate).status("zoe", "declined");
    expect(thread.told).toEqual(["offer ann bot", "offer zoe", "offer bot"]);
  });
});
