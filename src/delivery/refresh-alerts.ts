/**
 * An alert stays where it was sent, so it is edited as its thread goes on: it says who has it by now, or how it ended,
 * and offers what an owner may still do. Its own words stay. Pure.
 */
import type { ThreadState } from "../mess/thread/state.ts";
import type { ChannelFeatures, ChannelKind } from "../channels/channel.ts";
import type { NewDelivery, EarlierDelivery } from "./delivery.ts";

/** Alerts that are edited, the newest of them. */
const MAX_EDITED_ALERTS = 8;

/** @param sent earlier deliveries of the thread, oldest first */
export function refreshAlerts(
  before: ThreadState,
  after: ThreadState,
  sent: readonly EarlierDelivery[],
  getFeatures: (channel: ChannelKind) => ChannelFeatures | undefined,
): NewDelivery[] {
  if (before.status === after.status && before.executor === after.executor) return [];
  const alerts = new Map<string, NewDelivery>();
  for (const { kind, state, executor, channel, handle, event } of sent) {
    if (kind !== "alert" || state !== "delivered" || channel === null || handle === null) continue;
    if (getFeatures(channel)?.edits)
      alerts.set(`${channel} ${handle}`, {
        executor,
        kind,
        channel,
        alone: true,
        handle,
        event,
      });
  }
  return [...alerts.values()].slice(-MAX_EDITED_ALERTS);
}
