/**
 * Alerts are edited while their thread changes: they show who has taken it or how it ended, and what an owner can
 * still do. The text of the alert stays. Pure.
 */
import type { ThreadState } from "../mess/thread/state.ts";
import type { ChannelFeatures, ChannelKind } from "../channels/channel.ts";
import type { NewDelivery, EarlierDelivery } from "./delivery.ts";

/** Alerts that are edited; the newest count. */
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
        isChannelFixed: true,
        handle,
        event,
      });
  }
  return [...alerts.values()].slice(-MAX_EDITED_ALERTS);
}
