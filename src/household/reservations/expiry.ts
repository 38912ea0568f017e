/** When a reservation ends. */
import type { NewReservation } from "../../contracts/reservations.ts";
import { readDuration } from "../../mess/durations.ts";
import { type Outcome, refuse } from "../../mess/errors.ts";
import { RESERVATION_LIMITS } from "../../mess/reservations/limits.ts";
import { ok } from "../../mess/result.ts";
import { readTime } from "../../mess/times.ts";
import { getNextFiring } from "../schedules/cron.ts";

const TIME_OF_DAY_PATTERN = /^([01]?\d|2[0-3]):([0-5]\d)$/;

/** @returns milliseconds since 1970 */
export function readExpiry(
  { seconds, until }: Pick<NewReservation, "seconds" | "until">,
  zone: string,
  now: number,
): Outcome<number> {
  const { defaultSeconds, maxSeconds } = RESERVATION_LIMITS;
  if (until === undefined) return ok(now + (seconds ?? defaultSeconds) * 1_000);
  if (seconds !== undefined)
    return refuse("bad_field", "until: given together with seconds", "Give one of the two.", {
      path: "until",
    });
  const time = TIME_OF_DAY_PATTERN.exec(until.trim());
  const duration = readDuration(until);
  const expires = time
    ? getNextFiring(`${Number(time[2])} ${Number(time[1])} * * *`, zone, now)
    : duration === undefined
      ? readTime(until, zone)
      : now + duration * 1_000;
  if (expires === undefined)
    return refuse(
      "bad_time",
      "until: not a time",
      "Write 15:00 on the household's clock, a duration such as 45m, or ISO 8601.",
      { path: "until" },
    );
  return expires > now && expires <= now + maxSeconds * 1_000
    ? ok(expires)
    : refuse(
        "bad_field",
        "until: in the past, or more than 24 hours ahead",
        "Reserve for at most 24 hours, and extend it by reserving it again.",
        { path: "until" },
      );
}
