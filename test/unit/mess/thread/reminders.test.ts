/** Reminders of the exchange, and the effects of a late alarm. */
import { describe, expect, it } from "vitest";
import { getNextTimer } from "../../../../src/mess/thread/timers.ts";
import {
  ThreadBench,
  HOUR_SECONDS,
  createThreadWithSteps,
  buildMachine,
  MINUTE_SECONDS,
  buildPerson,
} from "./support.ts";

describe("reminders", () => {
  it("candidates are reminded once, at half of the step's time, unless they declined", () => {
    const thread = new ThreadBench({}, [
      buildPerson("ann"),
      buildMachine("bot"),
      buildPerson("tom", 2),
    ]);
    thread.appendStatus("bot", "declined").pass(15 * MINUTE_SECONDS - 1);
    expect(thread.listedNotices).toEqual(["offer ann bot"]);

    thread.pass(1);
    expect(thread.listedNotices.at(-1)).toBe("reminder ann");
    expect(thread.listNotes("reminded")).toEqual(["ann"]);

    thread.pass(29 * MINUTE_SECONDS);
    expect(thread.listedNotices).toEqual(["offer ann bot", "reminder ann", "offer tom"]);
    thread.pass(MINUTE_SECONDS);
    expect(thread.listedNotices.at(-1)).toBe("reminder ann tom");
  });

  it("reminders of an urgent thread end after a limited number", () => {
    const thread = new ThreadBench({ priority: "urgent" }, [buildPerson("ann")]).pass(
      7 * 24 * HOUR_SECONDS,
    );
    expect(thread.listedNotices.filter((one) => one === "reminder ann")).toHaveLength(30);
    expect(getNextTimer(thread.state)).toBeUndefined();
  });
});

describe("a late alarm", () => {
  it("a late alarm sends one reminder, not all missed ones", () => {
    const thread = new ThreadBench({ priority: "urgent" }, [buildPerson("ann")]).pass(
      2 * MINUTE_SECONDS,
    );
    const before = thread.listedNotices.length;

    thread.advanceSeconds(20 * MINUTE_SECONDS);

    expect(thread.listedNotices.slice(before)).toEqual(["reminder ann", "alert"]);
    thread.pass(2 * MINUTE_SECONDS);
    expect(thread.listedNotices.slice(before)).toEqual([
      "reminder ann",
      "alert",
      "reminder ann",
      "alert",
    ]);
  });

  it("a late alarm does not remind a holder whose lease has ended", () => {
    const thread = new ThreadBench({}, [buildPerson("ann")])
      .appendStatus("ann", "claimed")
      .advanceSeconds(5 * HOUR_SECONDS);
    expect(thread.listedNotices).toEqual(["offer ann", "offer ann"]);
  });

  it("a late alarm offers an expired thread to nobody", () => {
    const expiring = { constraints: { timing: { expires: "1h" } } };
    const thread = new ThreadBench(expiring, [
      buildPerson("ann"),
      buildPerson("tom", 2),
    ]).advanceSeconds(10 * HOUR_SECONDS);
    expect(thread.listedNotices).toEqual(["offer ann"]);
    expect(thread.actions).toEqual(["created", "dispatched", "expired"]);

    const later = { not_before: "2026-05-04T09:00:00Z", expires: "2h" };
    const late = new ThreadBench({ constraints: { timing: later } }).advanceSeconds(
      10 * HOUR_SECONDS,
    );
    expect(late.listedNotices).toEqual([]);
    expect(late.state.status).toBe("expired");
  });

  it("a late alarm completes a thread that was answered in time", () => {
    const thread = new ThreadBench({ constraints: { timing: { expires: "1h" } } }, [
      buildPerson("ann"),
    ]);
    thread.appendStatus("ann", "held").append("ann", { response: { content: ["done"] } });
    expect(thread.advanceSeconds(10 * HOUR_SECONDS).state.status).toBe("completed");
  });

  it("a late alarm still reminds the holder, whichever message comes first", () => {
    const createHeldThread = () => {
      const thread = new ThreadBench({}, [buildPerson("ann")]).appendStatus("ann", "claimed");
      thread.now += 100 * MINUTE_SECONDS * 1000;
      return thread;
    };
    const asked = createHeldThread().append("claude", {
      followup: { message: "how is it going?" },
    });
    expect(asked.listedNotices).toEqual(["offer ann", "reminder ann"]);
    const updated = createHeldThread().append("ann", { followup: { message: "nearly there" } });
    expect(updated.listedNotices).toEqual(["offer ann"]);
    const over = createHeldThread().append("claude", { cancel: {} });
    expect(over.listedNotices).toEqual(["offer ann"]);
  });

  it("a late alarm offers the thread to the next step if a message leaves it open", () => {
    const thread = createThreadWithSteps();
    thread.now += 10 * HOUR_SECONDS * 1000;
    thread.append("bot", { followup: { message: "my battery is low" } });
    expect(thread.listedNotices).toEqual(["offer bot", "offer ann"]);
  });
});
