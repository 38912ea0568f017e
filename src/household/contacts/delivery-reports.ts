/**
 * Records the results of deliveries: for the circuit breakers, for resolving replies, and for addresses that are gone.
 */
import { CHANNELS } from "../../channels/registry.ts";
import { findContactChannels } from "./owner-alerts.ts";
import type { UndeliverableAddress, DeliveryReport } from "../../contracts/contacts.ts";
import type { Stores } from "../stores.ts";

/**
 * Records the result of one attempt: updates the circuit breaker, and stores the message so that replies can be
 * resolved.
 */
export function recordDeliveryReport(stores: Stores, report: DeliveryReport, now: number): void {
  const {
    executor,
    channel,
    ref,
    ok: isAccepted,
    isPermanent,
    identity,
    handle,
    isAlert: alert = false,
  } = report;
  const { circuitBreakers, sentMessages, events } = stores;
  const { breakerKey } = findContactChannels(stores, executor, alert);
  if (isAccepted) circuitBreakers.recordSuccess(breakerKey, channel);
  else circuitBreakers.recordFailure(breakerKey, channel, now);
  if (isPermanent && circuitBreakers.markGone(breakerKey, channel))
    events.appendChannelGone(executor, channel, ref, now);
  const known = CHANNELS[channel].identity;
  if (isAccepted && identity !== undefined && known) {
    sentMessages.record(channel, known(identity), { actor: executor, ref }, { handle, alert }, now);
  }
}

/** True if the undelivered message alerted an owner about a thread. */
export const isAlertMessage = (
  { sentMessages }: Pick<Stores, "sentMessages">,
  { channel, identity, handles }: UndeliverableAddress,
): boolean => {
  const known = CHANNELS[channel].identity;
  return known !== undefined && sentMessages.isAlert(channel, known(identity), handles);
};
