import { expect, test } from "vitest";
import { isZone, readTime, writeTime } from "../../../src/mess/times.ts";

const AT = Date.parse("2026-02-01T17:00:00Z");

test("times are written in the household's zone", () => {
  expect(writeTime(AT, "Europe/Rome")).toBe("2026-02-01T18:00:00+01:00");
});

test.each(["Mars/Olympus_Mons", "", "en-US@posix"])(
  "times in the stored zone %j, which this runtime does not support, are read and written as UTC",
  (zone) => {
    expect(isZone(zone)).toBe(false);
    expect(writeTime(AT, zone)).toBe("2026-02-01T17:00:00+00:00");
    expect(readTime("2026-02-01T17:00", zone)).toBe(AT);
  },
);
