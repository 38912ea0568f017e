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
  it("come once, at half of the rung's time, to all who were asked and have not declined", () => {
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

  it("of what is urgent end some time", () => {
    const thread = new ThreadBench({ priority: "urgent" }, [person("ann")]).pass(
      7 * 24 * HOUR_SECONDS,
    );
    expect(thread.told.filter((one) => one === "reminder ann")).toHaveLength(30);
    expect(getNextTimer(thread.state)).toBeUndefined();
  });
});

describe("an alarm that comes late", () => {
  it("sends one reminder, not all that were missed", () => {
    const thread = new ThreadBench({ priority: "urgent" }, [person("ann")]).pass(
      2 * MINUTE_SECONDS,
    );
    const before = thread.told.length;

    thread.oversleep(20 * MINUTE_SECONDS);

    expect(thread.told.slice(before)).toEqual(["reminder ann", "alert"]);
    thread.pass(2 * MINUTE_SECONDS);
    expect(thread.told.slice(before)).toEqual(["reminder ann", "alert", "reminder ann", "alert"]);
  });

  it("reminds no holder whose lease has gone", () => {
    const thread = new ThreadBench({}, [person("ann")])
      .status("ann", "claimed")
      .oversleep(5 * HOUR_SECONDS);
    expect(thread.told).toEqual(["offer ann", "offer ann"]);
  });

  it("asks nobody for what has expired by then", () => {
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

  it("does not take the completion from who had answered in time", () => {
    const thread = new ThreadBench({ constraints: { timing: { expires: "1h" } } }, [person("ann")]);
    thread.status("ann", "held").say("ann", { response: { content: ["done"] } });
    expect(thread.oversleep(10 * HOUR_SECONDS).state.status).toBe("completed");
  });

  it("still reminds the holder, whoever speaks first", () => {
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

  it("tells the others when the message leaves the thread open", () => {
    const thread = createTieredThread();
    thread.now += 10 * HOUR_SECONDS * 1000;
    thread.say("bot", { followup: { message: "my battery is low" } });
    expect(thread.told).toEqual(["offer bot", "offer ann"]);
  });
});
