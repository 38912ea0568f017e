/** Whom the exchange reminds, and what an alarm that comes late makes good. */
import { describe, expect, it } from "vitest";
import { getNextTimer } from "../../../../src/mess/thread/timers.ts";
import {
  ThreadBench,
  HOUR_SECONDS,
  createTieredThread,
  machine,
  MINUTE_SECONDS,
  person,
} from "./support.ts";

describe("reminders", () => {
  it("candidates are reminded once, at half of the tier's time, unless they declined", () => {
    const thread = new ThreadBench({}, [person("ann"), machine("bot"), person("tom", 2)]);
    thread.status("bot", "declined").pass(15 * MINUTE_SECONDS - 1);
    expect(thread.told).toEqual(["offer ann bot"]);

    thread.pass(1);
    expect(thread.told.at(-1)).toBe("reminder ann");
    expect(thread.notes("reminded")).toEqual(["ann"]);

    thread.pass(29 * MINUTE_SECONDS);
    expect(thread.told).toEqual(["offer ann bot", "reminder ann", "offer tom"]);
    thread.pass(MINUTE_SECONDS);
    expect(thread.told.at(-1)).toBe("reminder ann tom");
  });

  it("reminders of an urgent thread end after a while", () => {
    const thread = new ThreadBench({ priority: "urgent" }, [person("ann")]).pass(
      7 * 24 * HOUR_SECONDS,
    );
    expect(thread.told.filter((one) => one === "reminder ann")).toHaveLength(30);
    expect(getNextTimer(thread.state)).toBeUndefined();
  });
});

describe("an alarm that comes late", () => {
  it("a late alarm sends one reminder, not all that were missed", () => {
    const thread = new ThreadBench({ priority: "urgent" }, [person("ann")]).pass(
      2 * MINUTE_SECONDS,
    );
    const before = thread.told.length;

    thread.oversleep(20 * MINUTE_SECONDS);

    expect(thread.told.slice(before)).toEqual(["reminder ann", "alert"]);
    thread.pass(2 * MINUTE_SECONDS);
    expect(thread.told.slice(before)).toEqual(["reminder ann", "alert", "reminder ann", "alert"]);
  });

  it("a late alarm does not remind a holder whose lease has ended", () => {
    const thread = new ThreadBench({}, [person("ann")])
      .status("ann", "claimed")
      .oversleep(5 * HOUR_SECONDS);
    expect(thread.told).toEqual(["offer ann", "offer ann"]);
  });

  it("a late alarm offers an expired thread to nobody", () => {
    const expiring = { constraints: { timing: { expires: "1h" } } };
    const thread = new ThreadBench(expiring, [person("ann"), person("tom", 2)]).oversleep(
      10 * HOUR_SECONDS,
    );
    expect(thread.told).toEqual(["offer ann"]);
    expect(thread.actions).toEqual(["created", "dispatched", "expired"]);

    const later = { not_before: "2026-05-04T09:00:00Z", expires: "2h" };
    const late = new ThreadBench({ constraints: { timing: later } }).oversleep(10 * HOUR_SECONDS);
    expect(late.told).toEqual([]);
    expect(late.state.status).toBe("expired");
  });

  it("a late alarm completes a thread that was answered in time", () => {
    const thread = new ThreadBench({ constraints: { timing: { expires: "1h" } } }, [person("ann")]);
    thread.status("ann", "held").say("ann", { response: { content: ["done"] } });
    expect(thread.oversleep(10 * HOUR_SECONDS).state.status).toBe("completed");
  });

  it("a late alarm still reminds the holder, whichever message comes first", () => {
    const held = () => {
      const thread = new ThreadBench({}, [person("ann")]).status("ann", "claimed");
      thread.now += 100 * MINUTE_SECONDS * 1000;
      return thread;
    };
    const asked = held().say("claude", { followup: { message: "how is it going?" } });
    expect(asked.told).toEqual(["offer ann", "reminder ann"]);
    const heard = held().say("ann", { followup: { message: "nearly there" } });
    expect(heard.told).toEqual(["offer ann"]);
    const over = held().say("claude", { cancel: {} });
    expect(over.told).toEqual(["offer ann"]);
  });

  it("a late alarm asks the next tier when a message leaves the thread open", () => {
    const thread = createTieredThread();
    thread.now += 10 * HOUR_SECONDS * 1000;
    thread.say("bot", { followup: { message: "my battery is low" } });
    expect(thread.told).toEqual(["offer bot", "offer ann"]);
  });
});
