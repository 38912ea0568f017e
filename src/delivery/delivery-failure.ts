/** A channel accepted a message and reported later that it could not deliver it: retry or give up. */
import type { DeliveryFailure } from "../contracts/thread.ts";
import type { DeliveryPort } from "./delivery-port.ts";
import { buildFailureNote } from "./message-excerpts.ts";
import { getNextAttempt } from "./retry-schedule.ts";

/** Resolves with false, and changes nothing, for an unknown message or a repeated report. */
export async function recordDeliveryFailure(
  port: DeliveryPort,
  failure: DeliveryFailure,
  now: number,
): Promise<boolean> {
  const { channel, handle, addressState } = failure;
  const found = port.deliveries.findByHandle(channel, handle);
  if (!found) return false;
  const { id, executor, isChannelFixed } = found;
  const attempts = found.attempts + 1;
  const reason = `${channel}: ${failure.reason}`;
  const failed = buildFailureNote(executor, reason);
  const isUnreachable =
    addressState === "nowhere" || (addressState !== undefined && isChannelFixed);
  const due = isUnreachable
    ? undefined
    : addressState
      ? now
      : getNextAttempt(attempts, now, undefined);
  if (due === undefined) {
    const end = isUnreachable
      ? "the address accepts nothing more"
      : `given up after ${attempts} attempts`;
    await port.giveUp({ ...found, attempts }, `${failed}; ${end}`);
    return true;
  }
  port.runTransaction(() => {
    const retry = { state: "due" as const, attempts, due, handle: null, error: reason };
    port.deliveries.change(id, isChannelFixed ? retry : { ...retry, channel: null }, now);
    port.addHistoryNote("delivery_failed", failed, now);
  });
  return true;
}
