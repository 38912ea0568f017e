import { describe, expect, it } from "vitest";
import { clampWaitSeconds, readRetryAfter } from "../../../src/channels/shared/send-failures.ts";
import { getNextAttempt } from "../../../src/delivery/retry-schedule.ts";

const NOW = Date.parse("2026-02-01T12:00:00Z");
const DAY_SECONDS = 86_400;

describe("Retry-After of a channel", () => {
  it.each([
    ["seconds", "90", 90],
    ["a fraction of seconds", "0.2", 1],
    ["a date", "Sun, 01 Feb 2026 12:01:00 GMT", 60],
    ["a date in the past", "Sun, 01 Feb 2026 11:00:00 GMT", 0],
    ["a year of seconds", "31536000", DAY_SECONDS],
    ["a date next year", "Mon, 01 Feb 2027 12:00:00 GMT", DAY_SECONDS],
    ["no number", "soon", undefined],
    ["nothing", "", undefined],
  ])("Retry-After with %s is read as seconds of at most a day", (_what, header, seconds) => {
    expect(readRetryAfter(header, NOW)).toBe(seconds);
  });

  it("a wait in the body of a response is at most a day", () => {
    expect(clampWaitSeconds(1e12)).toBe(DAY_SECONDS);
    expect(clampWaitSeconds(-5)).toBe(0);
  });

  it("the next attempt comes within a day, whatever a channel asks for", () => {
    expect(getNextAttempt(1, NOW, 1e12)).toBe(NOW + DAY_SECONDS * 1_000);
    expect(getNextAttempt(1, NOW, 60)).toBe(NOW + 60_000);
    expect(getNextAttempt(1, NOW, 1)).toBe(NOW + 5_000);
  });
});
