import { describe, expect, it } from "vitest";
import { participantsOf } from "../../../../src/mess/thread/state.ts";
import { nextTimer } from "../../../../src/mess/thread/timers.ts";
import { Bench, machine, person, START } from "./support.ts";

const MINUTE = 60;
const HOUR = 60 * MINUTE;

const ladder = (request = {}) =>
  new Bench(request, [machine("bot", 1), person("ann", 2), person("tom", 3)]);

const notes = (thread: Bench, action: string) =>
  thread.history.filter((row) => row.action === action).map(({ note }) => note);

describe("the ladder", () => {
  it("begins at the first rung, and tells those who stand on it", () => {
    const thread = new Bench({}, [person("ann"), machine("bot"), person("tom", 2)]);

    expect(thread.told).toEqual(["offer ann bot"]);
    expect(notes(thread, "dispatched")).toEqual(["offered to ann, bot"]);
    expect(thread.state).toMatchObject({ offered: true, rung: 1 });
  });

  it.each([
    ["urgent", 2 * MINUTE],
    ["elevated", 10 * MINUTE],
    ["normal", 30 * MINUTE],
    ["background", 4 * HOUR],
  ])("gives each rung of an %s thread its time", (priority, seconds) => {
    const thread = ladder({ priority }).pass(seconds - 1);
    expect(thread.state.rung).toBe(1);

    expect(thread.pass(1).state.rung).toBe(2);
    expect(thread.pass(seconds - 1).state.rung).toBe(2);
    expect(thread.pass(1).state.rung).toBe(3);
    expect(notes(thread, "escalated")).toEqual(["offered to ann", "offered to tom"]);
    expect(thread.told.filter((one) => one.startsWith("offer"))).toEqual([
      "offer bot",
      "offer ann",
      "offer tom",
    ]);
  });

  it("gives a rung the time that the household has set", () => {
    const thread = new Bench({}, [person("ann"), person("tom", 2)], [], 45);
    expect(thread.pass(44).state.rung).toBe(1);
    expect(thread.pass(1).state.rung).toBe(2);
  });

  it("lets a candidate see and claim the thread when its rung is reached, and not before", () => {
    const thread = ladder();
    expect(participantsOf(thread.state)).toEqual(["claude", "bot"]);
    expect(thread.try("ann", { status: { code: "claimed" } })?.code).toBe("wrong_role");

    thread.pass(30 * MINUTE);

    expect(participantsOf(thread.state)).toEqual(["claude", "bot", "ann"]);
    expect(thread.try("tom", { status: { code: "claimed" } })?.code).toBe("wrong_role");
    thread.status("ann", "claimed");
  });

  it("leaves those of earlier rungs their right to claim", () => {
    const thread = ladder()
      .pass(2 * HOUR)
      .status("bot", "claimed");
    expect(thread.state.executor).toBe("bot");
    expect(participantsOf(thread.state)).toEqual(["claude", "bot", "ann", "tom"]);
  });

  it("stands still once somebody holds the thread", () => {
    const thread = new Bench({}, [person("ann"), person("tom", 2)]).status("ann", "claimed");
    thread.pass(2 * HOUR - 1);
    expect(thread.state).toMatchObject({ executor: "ann", rung: 1 });
    expect(thread.told).toEqual(["offer ann", "reminder ann"]);
  });

  it("skips rungs on which nobody is left, wherever they are numbered from", () => {
    const thread = new Bench({}, [person("ann", 3), person("tom", 7)]);
    expect(thread.told).toEqual(["offer ann"]);
    expect(thread.status("ann", "declined").told).toEqual(["offer ann", "offer tom"]);
  });
});

describe("when all who were asked have declined", () => {
  it("the next rung is asked at once, and has its whole time", () => {
    const thread = new Bench({}, [person("ann"), machine("bot"), person("tom", 2)]);
    thread.pass(10 * MINUTE).status("ann", "declined");
    expect(thread.told).toEqual(["offer ann bot"]);

    thread.status("bot", "declined");

    expect(thread.told.at(-1)).toBe("offer tom");
    expect(thread.actions.slice(-2)).toEqual(["declined", "escalated"]);
    expect(thread.pass(30 * MINUTE - 1).told).not.toContain("alert");
    expect(thread.pass(1).told.at(-1)).toBe("alert");
  });

  it("and nobody else can be, the thread is declined and no owner is troubled", () => {
    const thread = ladder();
    for (const id of ["bot", "ann", "tom"]) thread.status(id, "declined");
    expect(thread.state.status).toBe("declined");
    expect(thread.told).toEqual(["offer bot", "offer ann", "offer tom"]);
  });
});

describe("the owners", () => {
  it("are told when the last rung's time is over, once, and the thread stays open", () => {
    const thread = new Bench({}, [person("ann")]).pass(30 * MINUTE);
    expect(thread.told).toEqual(["offer ann", "reminder ann", "alert"]);
    expect(thread.actions.at(-1)).toBe("escalated");
    expect(notes(thread, "escalated")[0]).toMatch(/^to the owners/);

    thread.pass(30 * 24 * HOUR);

    expect(thread.told.filter((one) => one === "alert")).toHaveLength(1);
    expect(thread.status("ann", "claimed").state.executor).toBe("ann");
  });

  it("may take it themselves, or say no, from when they are told", () => {
    const mum = { owner: true };
    const claim = { status: { code: "claimed" } };
    const thread = new Bench({}, [person("ann")]).pass(29 * MINUTE);
    expect(thread.try("mum", claim, mum)?.code).toBe("wrong_role");

    thread.pass(MINUTE).say("mum", claim, mum);

    expect(thread.state.executor).toBe("mum");
    expect(participantsOf(thread.state)).toContain("mum");
    expect(thread.try("dad", { status: { code: "in_progress" } }, mum)?.code).toBe("wrong_role");
    expect(thread.pass(2 * HOUR).told.at(-1)).toBe("offer ann");

    const nobody = new Bench({}, []).say("mum", { status: { code: "declined" } }, mum);
    expect(nobody.state.status).toBe("declined");
  });

  it("may pass it on to whom nobody had thought of", () => {
    const thread = new Bench({}, []);
    const pass = { status: { code: "delegated", delegated_to: "zoe" } };
    thread.say("mum", pass, { owner: true, delegate: person("zoe") });
    expect(thread.told).toEqual(["alert", "offer zoe"]);
    expect(thread.status("zoe", "claimed").state.executor).toBe("zoe");
  });

  it("see it expire when nobody came", () => {
    const thread = new Bench({ constraints: { timing: { expires: "1h" } } }, [person("ann")]);
    thread.pass(HOUR);
    expect(thread.actions).toEqual(["created", "dispatched", "reminded", "escalated", "expired"]);
  });

  it("are told at once, and once, when nobody can be asked", () => {
    const thread = new Bench({}, []);
    expect(thread.told).toEqual(["alert"]);
    expect(notes(thread, "escalated")).toEqual(["to the owners: nobody can be asked"]);
    expect(thread.pass(48 * HOUR).told).toEqual(["alert"]);
    expect(thread.state.status).toBe("pending");
  });

  it("are told again when a thread that was taken comes back, and nobody takes it anew", () => {
    const thread = new Bench({}, [person("ann")]).pass(HOUR).status("ann", "claimed");
    thread.pass(2 * HOUR);
    const { length } = thread.told;
    expect(thread.pass(30 * MINUTE - 1).told.slice(length)).toEqual(["reminder ann"]);
    expect(thread.pass(1).told.slice(length)).toEqual(["reminder ann", "alert"]);
  });
});

describe("reminders", () => {
  it("come once, at half of the rung's time, to all who were asked and have not declined", () => {
    const thread = new Bench({}, [person("ann"), machine("bot"), person("tom", 2)]);
    thread.status("bot", "declined").pass(15 * MINUTE - 1);
    expect(thread.told).toEqual(["offer ann bot"]);

    thread.pass(1);
    expect(thread.told.at(-1)).toBe("reminder ann");
    expect(notes(thread, "reminded")).toEqual(["ann"]);

    thread.pass(29 * MINUTE);
    expect(thread.told).toEqual(["offer ann bot", "reminder ann", "offer tom"]);
    thread.pass(MINUTE);
    expect(thread.told.at(-1)).toBe("reminder ann tom");
  });

  it("go on for what is urgent, with the owners, until somebody answers", () => {
    const thread = new Bench({ priority: "urgent" }, [person("ann"), person("tom", 2)]);
    thread.pass(4 * MINUTE);
    expect(thread.told).toEqual([
      "offer ann",
      "reminder ann",
      "offer tom",
      "reminder ann tom",
      "alert",
    ]);

    thread.pass(4 * MINUTE);
    expect(thread.told.slice(5)).toEqual([
      "reminder ann tom",
      "alert",
      "reminder ann tom",
      "alert",
    ]);

    const { length } = thread.status("tom", "claimed").told;
    expect(thread.pass(HOUR).told).toHaveLength(length);
  });

  it("of what is urgent end some time", () => {
    const thread = new Bench({ priority: "urgent" }, [person("ann")]).pass(7 * 24 * HOUR);
    expect(thread.told.filter((one) => one === "reminder ann")).toHaveLength(30);
    expect(nextTimer(thread.state)).toBeUndefined();
  });

  it("wait while a question is open, as the whole ladder does", () => {
    const thread = new Bench({}, [person("ann"), person("tom", 2)]).pass(10 * MINUTE);
    thread.status("ann", "needs_input", { message: "which pot?" }).pass(10 * HOUR);
    expect(thread.told).toEqual(["offer ann"]);

    thread.say("claude", { answer: { value: "the fern" } });

    expect(thread.pass(5 * MINUTE - 1).told).toEqual(["offer ann"]);
    expect(thread.pass(1).told).toEqual(["offer ann", "reminder ann"]);
    expect(thread.pass(15 * MINUTE).told.at(-1)).toBe("offer tom");
  });

  it("come to a person who holds the thread, when three quarters of the lease are over", () => {
    const thread = new Bench({}, [person("ann")]).status("ann", "in_progress");
    thread.pass(90 * MINUTE - 1);
    expect(thread.told).toEqual(["offer ann"]);
    thread.pass(1);
    expect(thread.told.at(-1)).toBe("reminder ann");
    thread.pass(29 * MINUTE);
    expect(thread.told.filter((one) => one === "reminder ann")).toHaveLength(1);

    thread.say("ann", { followup: { message: "still at it" } }).pass(90 * MINUTE);
    expect(thread.told.filter((one) => one === "reminder ann")).toHaveLength(2);
  });

  it("never come to a machine that holds it", () => {
    const thread = new Bench({}, [machine("bot")]).status("bot", "in_progress").pass(899);
    expect(thread.told).toEqual(["offer bot"]);
  });
});

describe("an alarm that comes late", () => {
  it("sends one reminder, not all that were missed", () => {
    const thread = new Bench({ priority: "urgent" }, [person("ann")]).pass(2 * MINUTE);
    const before = thread.told.length;

    thread.oversleep(20 * MINUTE);

    expect(thread.told.slice(before)).toEqual(["reminder ann", "alert"]);
    thread.pass(2 * MINUTE);
    expect(thread.told.slice(before)).toEqual(["reminder ann", "alert", "reminder ann", "alert"]);
  });

  it("asks the next rung, which then has its whole time", () => {
    const thread = ladder().oversleep(10 * HOUR);
    expect(thread.told).toEqual(["offer bot", "reminder bot", "offer ann"]);
    expect(thread.pass(30 * MINUTE - 1).state.rung).toBe(2);
    expect(thread.pass(1).state.rung).toBe(3);
  });

  it("reminds no holder whose lease has gone", () => {
    const thread = new Bench({}, [person("ann")]).status("ann", "claimed").oversleep(5 * HOUR);
    expect(thread.told).toEqual(["offer ann", "offer ann"]);
  });

  it("asks nobody for what has expired by then", () => {
    const expiring = { constraints: { timing: { expires: "1h" } } };
    const thread = new Bench(expiring, [person("ann"), person("tom", 2)]).oversleep(10 * HOUR);
    expect(thread.told).toEqual(["offer ann"]);
    expect(thread.actions).toEqual(["created", "dispatched", "expired"]);

    const later = { not_before: "2026-05-04T09:00:00Z", expires: "2h" };
    const late = new Bench({ constraints: { timing: later } }).oversleep(10 * HOUR);
    expect(late.told).toEqual([]);
    expect(late.state.status).toBe("expired");
  });

  it("does not take the completion from who had answered in time", () => {
    const thread = new Bench({ constraints: { timing: { expires: "1h" } } }, [person("ann")]);
    thread.status("ann", "held").say("ann", { response: { content: ["done"] } });
    expect(thread.oversleep(10 * HOUR).state.status).toBe("completed");
  });

  it("tells nobody to take what a message has just taken", () => {
    const thread = ladder();
    thread.now += 10 * HOUR * 1000;
    thread.status("bot", "claimed");
    expect(thread.told).toEqual(["offer bot"]);
    expect(thread.state.executor).toBe("bot");
  });

  it("still reminds the holder, whoever speaks first", () => {
    const held = () => {
      const thread = new Bench({}, [person("ann")]).status("ann", "claimed");
      thread.now += 100 * MINUTE * 1000;
      return thread;
    };
    const asked = held().say("claude", { followup: { message: "how is it going?" } });
    expect(asked.told).toEqual(["offer ann", "reminder ann"]);
    const heard = held().say("ann", { followup: { message: "nearly there" } });
    expect(heard.told).toEqual(["offer ann"]);
    const over = held().say("claude", { cancel: {} });
    expect(over.told).toEqual(["offer ann"]);
  });

  it("tells the others when the message leaves the thread open", () => {
    const thread = ladder();
    thread.now += 10 * HOUR * 1000;
    thread.say("bot", { followup: { message: "my battery is low" } });
    expect(thread.told).toEqual(["offer bot", "offer ann"]);
  });
});

describe("a thread that comes back is offered anew", () => {
  it("when the lease ends: to others than who lost it, where there are any", () => {
    const thread = new Bench({}, [machine("bot"), person("ann", 2)]).status("bot", "claimed");
    thread.pass(900);
    expect(thread.told).toEqual(["offer bot", "offer ann"]);
    expect(thread.notices.at(-1)?.note).toBe("nothing was heard from bot");
    expect(thread.actions.slice(-3)).toEqual(["released", "pending", "dispatched"]);
  });

  it("and to who lost it, where nobody else is there", () => {
    const alone = new Bench({}, [machine("bot")]).status("bot", "claimed").pass(900);
    expect(alone.told).toEqual(["offer bot", "offer bot"]);
    expect(alone.notices.at(-1)?.note).toBe("nothing was heard from bot");

    const left = new Bench({}, [machine("bot"), person("ann", 2)]);
    left.status("bot", "claimed").pass(900).status("ann", "declined");
    expect(left.state.status).toBe("pending");
    expect(left.told).toEqual(["offer bot", "offer ann", "offer bot"]);
  });

  it("but not where it has expired meanwhile", () => {
    const thread = new Bench({ constraints: { timing: { expires: "1h" } } }, [person("ann")]);
    thread.status("ann", "in_progress").pass(2 * HOUR);
    expect(thread.state.status).toBe("expired");
    expect(thread.told).toEqual(["offer ann", "reminder ann"]);
  });

  it("when it failed and may be tried again", () => {
    const thread = new Bench({}, [machine("bot"), machine("bee"), person("ann", 2)]);
    thread.status("bot", "claimed").status("bot", "failed", { recoverable: true });
    expect(thread.state).toMatchObject({ status: "retrying", rung: 1 });
    expect(thread.told).toEqual(["offer bot bee", "offer bee"]);
    expect(thread.pass(30 * MINUTE).told.slice(2)).toEqual(["reminder bee", "offer ann"]);
  });

  it("when its holder declines: from the first rung on which somebody has not", () => {
    const thread = new Bench({}, [person("ann"), machine("bot"), person("tom", 2)]);
    thread.status("bot", "declined").status("ann", "claimed").status("ann", "declined");
    expect(thread.told).toEqual(["offer ann bot", "offer tom"]);
    expect(thread.state.rung).toBe(2);
  });

  it("from the first rung again, though later ones had been reached; they keep their access", () => {
    const thread = ladder().pass(HOUR).status("tom", "claimed").status("tom", "declined");
    expect(thread.told.at(-1)).toBe("offer bot");
    expect(thread.state.rung).toBe(1);
    expect(participantsOf(thread.state)).toEqual(["claude", "bot", "ann", "tom"]);
    expect(thread.pass(30 * MINUTE).told.at(-1)).toBe("offer ann");
  });

  it("at its time too, where it was claimed early and failed", () => {
    const thread = new Bench({}, [person("ann"), person("tom", 2)]);
    thread.say("ann", { suggestion: { type: "defer", proposed: "P2D" } });
    thread.say("claude", { reply: { accept: true } });
    thread.status("ann", "failed", { recoverable: true });
    expect(thread.state).toMatchObject({ status: "retrying", offered: false });
    expect(thread.pass(48 * HOUR).told).toEqual(["offer ann", "offer ann"]);
  });

  it("not before its time, where that lies ahead", () => {
    const thread = new Bench({}, [person("ann"), person("tom", 2)]);
    thread.say("ann", { suggestion: { type: "defer", proposed: "P2D" } });
    thread.say("claude", { reply: { accept: true } });
    thread.status("ann", "claimed").status("ann", "declined");
    expect(thread.told).toEqual(["offer ann"]);
    expect(thread.state).toMatchObject({ status: "pending", offered: false });
    thread.pass(48 * HOUR);
    expect(thread.told).toEqual(["offer ann", "offer tom"]);
  });
});

describe("a delegate (decision 34)", () => {
  const delegate = { delegate: person("zoe") };
  const pass = { status: { code: "delegated", delegated_to: "zoe" } };

  it("is asked alone; the others are the next rungs", () => {
    const thread = new Bench({}, [person("ann"), machine("bot")]).status("ann", "claimed");
    thread.say("ann", pass, delegate);
    expect(thread.told).toEqual(["offer ann bot", "offer zoe"]);
    expect(notes(thread, "dispatched").at(-1)).toBe("offered to zoe");

    thread.pass(30 * MINUTE);

    // Ann has just passed it on: she may still take it back, but is not asked again.
    expect(thread.told.at(-1)).toBe("offer bot");
    expect(thread.status("ann", "claimed").state.executor).toBe("ann");
  });

  it("that declines hands it to the others at once", () => {
    const thread = new Bench({}, [person("ann"), machine("bot")]);
    thread.say("ann", pass, delegate).status("zoe", "declined");
    expect(thread.told).toEqual(["offer ann bot", "offer zoe", "offer bot"]);
  });
});

describe("what holds a thread back", () => {
  it("offers it with a notice when its time comes", () => {
    const thread = new Bench({ constraints: { timing: { not_before: "2026-05-04T10:00:00Z" } } });
    expect(thread.told).toEqual([]);
    expect(thread.pass(2 * HOUR).told).toEqual(["offer ann bot"]);
  });

  it("offers it with a notice when what it depends on is completed", () => {
    const thread = new Bench({}, undefined, ["2026-05-04-002"]).pass(5 * HOUR);
    expect(thread.told).toEqual([]);
    thread.dependencyEnds("2026-05-04-002", "completed");
    expect(thread.told).toEqual(["offer ann bot"]);
    expect(thread.pass(15 * MINUTE).told.at(-1)).toBe("reminder ann bot");
  });

  it.each([
    ["hold", "held"],
    ["cancel", "cancelled"],
  ])("tells the owners when that fails and the policy is %s", (policy, status) => {
    const constraints = { on_dependency_failure: policy };
    const thread = new Bench({ constraints }, undefined, ["2026-05-04-002"]);
    thread.dependencyEnds("2026-05-04-002", "failed");
    expect(thread.told).toEqual(["alert"]);
    expect(thread.notices[0]?.note).toContain("2026-05-04-002");
    expect(thread.state.status).toBe(status);
  });
});

describe("a state that was stored before there were ladders", () => {
  /** As it lay in the database: none of the fields of a ladder. */
  function aged(thread: Bench): Bench {
    const { rung: _r, rung_since: _s, rung_seconds: _t, ...state } = thread.state;
    const candidates = state.candidates.map(({ rung: _rung, asked: _asked, ...one }) => one);
    thread.state = { ...state, candidates };
    return thread;
  }

  it("has offered the thread to everybody, who keep it", () => {
    const thread = aged(new Bench({}, [person("ann"), machine("bot")]));
    expect(participantsOf(thread.state)).toEqual(["claude", "ann", "bot"]);
    expect(thread.status("bot", "claimed").state.executor).toBe("bot");
    thread.status("bot", "declined");
    expect(thread.told).toEqual(["offer ann bot", "offer ann"]);
  });

  it("is followed up from when it is next touched", () => {
    const thread = aged(new Bench({}, [person("ann")]));
    thread.now = START + 5 * HOUR * 1000;
    thread.say("claude", { followup: { message: "please" } });
    expect(thread.pass(15 * MINUTE).told).toEqual(["offer ann", "reminder ann"]);
    expect(thread.pass(15 * MINUTE).told.at(-1)).toBe("alert");
  });

  it("that was not offered yet is offered to the first rung", () => {
    const thread = aged(new Bench({}, undefined, ["2026-05-04-002"]));
    expect(participantsOf(thread.state)).toEqual(["claude"]);
    thread.dependencyEnds("2026-05-04-002", "completed");
    expect(thread.told).toEqual(["offer ann bot"]);
  });
});
