import { describe, expect, it } from "vitest";
import { isWindowOpen, readWindow } from "../../../src/mess/routing/availability.ts";

const open = (window: string, time: string, zone = "UTC"): boolean =>
  isWindowOpen(readWindow(window)!, Date.parse(time), zone);

describe("an availability window (decision 44)", () => {
  it.each([
    ["0 8-22 * * *", "2027-03-01T08:00:00Z", true],
    ["0 8-22 * * *", "2027-03-01T22:59:59Z", true],
    ["0 8-22 * * *", "2027-03-01T23:00:00Z", false],
    ["0 8-22 * * *", "2027-03-01T07:59:59Z", false],
    ["30 9 * * *", "2027-03-01T09:05:00Z", true],
    ["0 22-6 * * *", "2027-03-01T02:00:00Z", true],
    ["0 22-6 * * *", "2027-03-01T12:00:00Z", false],
    ["0 */6 * * *", "2027-03-01T12:30:00Z", true],
    ["0 */6 * * *", "2027-03-01T13:30:00Z", false],
    ["0 9-17 * * mon-fri", "2027-03-01T10:00:00Z", true],
    ["0 9-17 * * 1-5", "2027-03-06T10:00:00Z", false],
    ["0 9-17 * * 7", "2027-03-07T10:00:00Z", true],
    ["0 9-17 * * 0-7", "2027-03-03T10:00:00Z", true],
    ["0 9,15 * mar,apr *", "2027-03-07T15:10:00Z", true],
    ["0 9,15 * apr *", "2027-03-07T15:10:00Z", false],
    ["* * 1 * sun", "2027-03-07T15:10:00Z", true],
    ["* * 1 * sun", "2027-03-01T15:10:00Z", true],
    ["* * 1 * sun", "2027-03-02T15:10:00Z", false],
    ["08:00-22:00", "2027-03-01T22:00:30Z", true],
    ["08:00-22:00", "2027-03-01T22:01:00Z", false],
    ["21:30 - 05:15", "2027-03-01T05:15:00Z", true],
    ["21:30-05:15", "2027-03-01T21:29:00Z", false],
  ])("%s at %s is open: %s", (window, time, expected) => {
    expect(open(window, time)).toBe(expected);
  });

  it("is read on the clock of its zone, summer time included", () => {
    expect(open("08:00-09:00", "2027-07-01T06:30:00Z", "Europe/Rome")).toBe(true);
    expect(open("08:00-09:00", "2027-01-01T06:30:00Z", "Europe/Rome")).toBe(false);
    expect(open("0 8 * * thu", "2027-06-30T22:30:00Z", "Asia/Tokyo")).toBe(false);
    expect(open("0 7 * * thu", "2027-06-30T22:30:00Z", "Asia/Tokyo")).toBe(true);
  });

  it.each([
    "",
    "always",
    "0 8-22 * *",
    "0 8-25 * * *",
    "0 8-22-23 * * *",
    "0 8/0 * * *",
    "0 8/2/3 * * *",
    "0 * 0 * *",
    "0 * * * funday",
    "61 * * * *",
    "25:00-26:00",
    "08:60-09:00",
  ])("%j is no window", (text) => {
    expect(readWindow(text)).toBeUndefined();
  });
});
