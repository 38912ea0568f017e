import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  createSeries,
  passTime,
  type Reading,
  type SeriesEvent,
  type SeriesRule,
  type SeriesState,
  takeReading,
} from "../../../../src/mess/sources/sensor-series.ts";

const START = 1_000_000;
const MINUTE_MS = 60_000;
const RULE: SeriesRule = { above: 30, below: 10, hysteresis: 2, forMs: 0 };

/** Takes the readings in this order, each at its own time. */
function play(
  rule: SeriesRule,
  readings: readonly (Reading & { at: number })[],
  state: SeriesState = createSeries(START),
): { state: SeriesState; events: SeriesEvent[] } {
  const events: SeriesEvent[] = [];
  let now = START;
  for (const reading of readings) {
    now = Math.max(now, reading.at);
    const change = takeReading(rule, state, reading, now);
    ({ state } = change);
    events.push(...change.events);
  }
  return { state, events };
}

const minutes = (...values: number[]) =>
  values.map((value, index) => ({ value, at: START + (index + 1) * MINUTE_MS }));
const summarize = (events: readonly SeriesEvent[]): string[] =>
  events.map((event) => ("level" in event ? `${event.type} ${event.level}` : event.type));

describe("a series with thresholds", () => {
  it.each([
    ["values between the thresholds", [20, 30, 10, 25], []],
    ["a value above", [31], ["crossed above"]],
    ["values that stay above", [31, 40, 31], ["crossed above"]],
    ["a value below", [9], ["crossed below"]],
    ["noise around the threshold", [31, 29, 31, 28.5, 30.5], ["crossed above"]],
    ["a value past the hysteresis", [31, 28], ["crossed above", "back above"]],
    ["a value past the lower hysteresis", [9, 11.9, 12], ["crossed below", "back below"]],
    ["a fall from above to below", [31, 5], ["crossed above", "crossed below"]],
    ["two excursions", [31, 20, 31], ["crossed above", "back above", "crossed above"]],
  ])("%s: %j reports %j", (_name, values, expected) => {
    expect(summarize(play(RULE, minutes(...values)).events)).toEqual(expected);
  });

  it("a threshold without hysteresis is left as soon as a value does not exceed it", () => {
    const rule = { above: 30, hysteresis: 0, forMs: 0 };

    expect(summarize(play(rule, minutes(31, 30)).events)).toEqual(["crossed above", "back above"]);
  });

  it("late and repeated readings change nothing but show that the sensor is alive", () => {
    const { state } = play(RULE, [{ value: 20, at: START + 10 * MINUTE_MS }]);
    const now = START + 20 * MINUTE_MS;

    for (const at of [START + 9 * MINUTE_MS, START + 10 * MINUTE_MS]) {
      const change = takeReading(RULE, state, { value: 99, at }, now);
      expect(change).toEqual({ state: { ...state, arrived: now }, events: [] });
    }
  });

  it("a reading from the future counts as of now, so that later ones are not late", () => {
    const ahead = takeReading(RULE, createSeries(START), { value: 20, at: START * 2 }, START);

    const later = takeReading(RULE, ahead.state, { value: 31, at: START + 1 }, START + 1);

    expect(summarize(later.events)).toEqual(["crossed above"]);
  });

  it("readings without a time are taken in the order of their arrival, even in one millisecond", () => {
    const first = takeReading(RULE, createSeries(START), { value: 31 }, START);

    const second = takeReading(RULE, first.state, { value: 20 }, START);

    expect(summarize([...first.events, ...second.events])).toEqual(["crossed above", "back above"]);
  });
});

describe("a threshold with a duration", () => {
  const rule = { ...RULE, forMs: 2 * MINUTE_MS };

  it.each([
    ["a short excursion", [31, 31, 20], []],
    ["a long one", [31, 31, 31, 31], ["crossed above"]],
    ["one that is interrupted", [31, 31, 20, 31, 31], []],
    ["the other threshold in between", [31, 31, 31, 5, 5], ["crossed above", "back above"]],
  ])("%s: %j reports %j", (_name, values, expected) => {
    expect(summarize(play(rule, minutes(...values)).events)).toEqual(expected);
  });

  it("is crossed by the passing of time where the sensor reports changes only", () => {
    const { state } = play(rule, minutes(31));
    const due = START + 3 * MINUTE_MS;

    expect(passTime(rule, state, due - 1).events).toEqual([]);
    const crossed = passTime(rule, state, due);
    expect(crossed.events).toEqual([{ type: "crossed", level: "above", value: 31, at: due }]);
    expect(passTime(rule, crossed.state, due + 1).events).toEqual([]);
  });
});

describe("a silent series", () => {
  const rule = { hysteresis: 0, forMs: 0, silentAfterMs: 10 * MINUTE_MS };

  it("is reported once, and once when it reports again", () => {
    const due = START + 10 * MINUTE_MS;
    expect(passTime(rule, createSeries(START), due - 1).events).toEqual([]);

    const silent = passTime(rule, createSeries(START), due);
    expect(silent.events).toEqual([{ type: "silent", since: START, at: due }]);
    expect(passTime(rule, silent.state, due * 2).events).toEqual([]);

    const resumed = takeReading(rule, silent.state, { value: 1 }, due + 1);
    expect(resumed.events).toEqual([{ type: "resumed", value: 1, at: due + 1 }]);
    expect(takeReading(rule, resumed.state, { value: 1 }, due + 2).events).toEqual([]);
  });
});

describe("properties of a series", () => {
  const readings = fc
    .array(fc.record({ value: fc.integer({ min: 0, max: 40 }), step: fc.integer({ min: 1 }) }))
    .map((list) => {
      let at = START;
      return list.map(({ value, step }) => ({ value, at: (at += (step % 300) * 1_000 + 1) }));
    });
  const rules = fc.record({
    above: fc.integer({ min: 20, max: 30 }),
    below: fc.integer({ min: 5, max: 15 }),
    hysteresis: fc.integer({ min: 0, max: 5 }),
    forMs: fc.constantFrom(0, MINUTE_MS, 5 * MINUTE_MS),
  });

  it("never reports the same level twice in a row, and returns only from the level that it reported", () => {
    fc.assert(
      fc.property(rules, readings, (rule, list) => {
        let level = "normal";
        for (const event of play(rule, list).events) {
          if (event.type === "crossed") {
            expect(event.level).not.toBe(level);
            ({ level } = event);
          }
          if (event.type === "back") {
            expect(event.level).toBe(level);
            level = "normal";
          }
        }
      }),
    );
  });

  it("reports the same where readings are repeated or arrive late again", () => {
    fc.assert(
      fc.property(rules, readings, fc.array(fc.nat()), (rule, list, again) => {
        const messy = [...list];
        for (const one of again) {
          if (messy.length === 0) continue;
          const from = one % messy.length;
          messy.splice(Math.min(messy.length, from + 1 + (one % 5)), 0, messy[from]!);
        }
        expect(play(rule, messy).events).toEqual(play(rule, list).events);
      }),
    );
  });

  it("crosses only by values past the threshold, and returns only by values past the hysteresis", () => {
    fc.assert(
      fc.property(rules, readings, (rule, list) => {
        for (const event of play(rule, list).events) {
          if (!("level" in event)) continue;
          const isAbove = event.level === "above";
          const past = isAbove ? event.value - rule.above : rule.below - event.value;
          if (event.type === "crossed") expect(past).toBeGreaterThan(0);
          else expect(past).toBeLessThanOrEqual(-rule.hysteresis);
        }
      }),
    );
  });
});
