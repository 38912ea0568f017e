/** Jobs without a row: what is left to do is a number that a change raises. */
import { describe, expect, it } from "vitest";
import { DerivedJobs } from "../../../src/object/derived-jobs.ts";
import { Jobs } from "../../../src/object/jobs.ts";
import { exponential } from "../../../src/object/retry.ts";

/** A job that lowers `left` by one with each run, or fails while `isDown`. */
function createCountdown() {
  const state = { left: 0, isDown: false, runs: 0, onRun: () => undefined as void };
  const countdown = {
    isNeeded: () => state.left > 0,
    run: async () => {
      state.runs++;
      await Promise.resolve();
      state.onRun();
      if (state.isDown) throw new Error("down");
      state.left--;
    },
  };
  const jobs = new Jobs([new DerivedJobs({ countdown }, exponential(100, 1_000))]);
  return { state, jobs };
}

describe("derived jobs", () => {
  it("a derived job runs until its state shows nothing to do", async () => {
    const { state, jobs } = createCountdown();
    state.left = 3;

    await jobs.run();

    expect(state.runs).toBe(3);
    expect(jobs.getNextDue(1_000)).toBeUndefined();
  });

  it("a derived job runs once at a time, and covers a change that was made during its run", async () => {
    const { state, jobs } = createCountdown();
    state.left = 1;
    state.onRun = () => {
      if (state.runs === 1) state.left++;
    };

    await Promise.all([jobs.run(), jobs.run()]);

    expect(state.runs).toBe(2);
    expect(state.left).toBe(0);
  });

  it("a derived job that fails is due later with every failure, and again soon after a success", async () => {
    const { state, jobs } = createCountdown();
    state.left = 1;
    const delays = [jobs.getNextDue(0)];
    state.isDown = true;
    for (let round = 0; round < 5; round++) {
      await jobs.run();
      delays.push(jobs.getNextDue(0));
    }
    state.isDown = false;
    await jobs.run();
    state.left = 1;
    delays.push(jobs.getNextDue(0));

    expect(delays).toEqual([8_000, 100, 200, 400, 800, 1_000, 8_000]);
  });
});
