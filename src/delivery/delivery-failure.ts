/** What a channel had taken never arrived, as it told later: it goes out anew, or is given up. */
import type { Undelivered } from "../contracts/thread.ts";
import type { Desk } from "./delivery-port.ts";
import { failureNote } from "./message-excerpts.ts";
import { nextAttempt } from "./retry-schedule.ts";

/** False where no such message is known, or where it was told before: then nothing changes. */
export async function takeBack(desk: Desk, told: Undelivered, now: number): Promise<boolean> {
  const { channel, handle, gone } = told;
  const found = desk.deliveries.taken(channel, handle);
  if (!found) return false;
  const { id, executor, alone } = found;
  const attempts = found.attempts + 1;
  const reason = `${channel}: ${told.reason}`;
  const failed = failureNote(executor, reason);
  const useless = gone === "nowhere" || (gone !== undefined && alone);
  const due = useless ? undefined : gone ? now : nextAttempt(attempts, now, undefined);
  if (due === undefined) {
    const end = useless
      ? "nothing can be sent there any more"
      : `given up after ${attempts} attempts`;
    await desk.giveUp({ ...found, attempts }, `${failed}; ${end}`);
    return true;
  }
  desk.write(() => {
    const again = { state: "due" as const, attempts, due, handle: null, error: reason };
    desk.deliveries.change(id, alone ? again : { ...again, channel: null }, now);
    desk.note("delivery_failed", failed, now);
  });
  return true;
}
