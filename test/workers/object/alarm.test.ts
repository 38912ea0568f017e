import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Alarm } from "../../../src/object/alarm.ts";

const NOW = Date.parse("2041-05-04T10:00:00Z");
beforeEach(() => vi.setSystemTime(NOW));
afterEach(() => vi.useRealTimers());

/** An alarm whose owner has work at the times in `due`. */
function createAlarm(due: (number | undefined)[]) {
  const set: number[] = [];
  const errors: unknown[] = [];
  const storage = {
    setAlarm: async (at: number | Date) => {
      set.push(Number(at));
    },
  };
  const options = { listDueTimes: () => due, onError: (error: unknown) => errors.push(error) };
  return { alarm: new Alarm(storage, options), set, errors };
}

describe("the alarm of an object", () => {
  it("the alarm is set to the earliest due time, and not again while it is early enough", async () => {
    const due = [NOW + 300, undefined, NOW + 200];
    const { alarm, set } = createAlarm(due);

    await alarm.set();
    await alarm.set();
    due[0] = NOW + 100;
    await alarm.set();

    expect(set).toEqual([NOW + 200, NOW + 100]);
  });

  it("the alarm is not set if nothing is due", async () => {
    const { alarm, set } = createAlarm([undefined]);
    await alarm.set();
    expect(set).toEqual([]);
  });

  it("the next alarm is set after the work of an alarm", async () => {
    const due = [NOW + 100];
    const { alarm, set } = createAlarm(due);
    await alarm.set();
    vi.setSystemTime(NOW + 100);

    await alarm.run(async () => {
      due[0] = NOW + 500;
    });

    expect(set).toEqual([NOW + 100, NOW + 500]);
  });

  it("an alarm that fails reports the error, and fires again after at least a minute", async () => {
    const { alarm, set, errors } = createAlarm([NOW]);

    await alarm.run(() => Promise.reject(new Error("defect")));
    await alarm.set();
    expect(errors).toHaveLength(1);
    expect(set).toEqual([NOW + 60_000]);

    vi.setSystemTime(NOW + 60_000);
    await alarm.run(() => Promise.resolve());
    expect(set).toEqual([NOW + 60_000, NOW]);
  });
});
