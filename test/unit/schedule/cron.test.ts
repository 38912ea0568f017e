import { describe, expect, it } from "vitest";
import { getNextFiring, readCron } from "../../../src/household/schedules/cron.ts";

/** The first firings after an instant, as UTC. */
function listFirings(cron: string, zone: string, after: string, count: number): string[] {
  const found: string[] = [];
  let instant = Date.parse(after);
  while (found.length < count) {
    instant = getNextFiring(cron, zone, instant)!;
    found.push(new Date(instant).toISOString().replace(":00.000", ""));
  }
  return found;
}

describe("a cron expression", () => {
  it("a cron expression fires by the zone's clock, in summer and in winter", () => {
    expect(listFirings("0 18 * * *", "Europe/Berlin", "2031-03-28T12:00:00Z", 3)).toEqual([
      "2031-03-28T17:00Z",
      "2031-03-29T17:00Z",
      "2031-03-30T16:00Z",
    ]);
  });

  it.each([
    // Berlin skips 02:00 to 03:00 on the 30th, at 01:00 UTC; New York skips it on the 9th, at 07:00 UTC.
    ["30 2 * * *", "Europe/Berlin", "2031-03-29T12:00:00Z", ["30T01:00Z", "31T00:30Z"]],
    ["*/20 2 * * *", "Europe/Berlin", "2031-03-29T12:00:00Z", ["30T01:00Z", "31T00:00Z"]],
    ["30 2 * * *", "America/New_York", "2031-03-08T12:00:00Z", ["09T07:00Z", "10T06:30Z"]],
    [
      "0 * * * *",
      "America/New_York",
      "2031-03-09T05:30:00Z",
      ["09T06:00Z", "09T07:00Z", "09T08:00Z"],
    ],
  ])("a cron expression fires once for a skipped hour: %s in %s", (cron, zone, after, expected) => {
    expect(listFirings(cron, zone, after, expected.length).map((at) => at.slice(8))).toEqual(
      expected,
    );
  });

  it.each([
    // Berlin has 02:00 to 03:00 twice on October 26th, from 00:00 UTC; New York 01:00 to 02:00 on November 2nd, from 05:00.
    ["30 2 * * *", "Europe/Berlin", "2031-10-25T12:00:00Z", ["26T00:30Z", "27T01:30Z"]],
    [
      "*/30 2 * * *",
      "Europe/Berlin",
      "2031-10-25T12:00:00Z",
      ["26T00:00Z", "26T00:30Z", "27T01:00Z"],
    ],
    ["30 1 * * *", "America/New_York", "2031-11-01T12:00:00Z", ["02T05:30Z", "03T06:30Z"]],
    [
      "0 * * * *",
      "America/New_York",
      "2031-11-02T04:30:00Z",
      ["02T05:00Z", "02T07:00Z", "02T08:00Z"],
    ],
  ])(
    "a cron expression fires once for a repeated hour: %s in %s",
    (cron, zone, after, expected) => {
      expect(listFirings(cron, zone, after, expected.length).map((at) => at.slice(8))).toEqual(
        expected,
      );
    },
  );

  it("a cron expression continues from any time in a repeated hour", () => {
    const second = Date.parse("2031-11-02T06:10:00Z");
    expect(new Date(getNextFiring("*/30 * * * *", "America/New_York", second)!).toISOString()).toBe(
      "2031-11-02T07:00:00.000Z",
    );
  });

  it("a cron expression supports clocks that change by half an hour", () => {
    // Lord Howe Island changes from 02:00 to 02:30 on October 5th, at 15:30 UTC of the 4th.
    expect(listFirings("15 2 * * *", "Australia/Lord_Howe", "2031-10-04T00:00:00Z", 2)).toEqual([
      "2031-10-04T15:30Z",
      "2031-10-05T15:15Z",
    ]);
  });

  it.each([
    "",
    "x",
    "* * * *",
    "* * * * * *",
    "61 * * * *",
    "0 0 31 2 *",
    "2031-01-01T00:00:00",
    "@never",
  ])("a cron expression is refused if it is invalid or never fires: %j", (text) => {
    expect(readCron(text)).toBeUndefined();
  });

  it.each(["0 9 * * mon-fri", "@daily", "0 9 l * *", "0 9 * * 1#1"])(
    "a cron expression is accepted: %s",
    (text) => {
      expect(readCron(text)).toBeDefined();
    },
  );
});
