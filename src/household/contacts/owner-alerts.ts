/** How owners are alerted: by `dispatch.alerts` if set, else through each owner's own channels. */
import { readNotifyChannels, findNotifyChannels, type NotifyChannel } from "./notify-settings.ts";
import type { Stores } from "../stores.ts";

/** The channels to a recipient, and the key under which their circuit breakers are stored. */
export interface ContactChannels {
  channels: NotifyChannel[];
  breakerKey: string;
}

/** Alert addresses have separate breakers, since their owner may be an executor too. Not a valid member id. */
export const ALERTS_BREAKER_KEY = "*alerts";

/** Members that are owners by a key or as a person, the oldest first. */
export const listOwners = ({ credentials, people }: Stores): string[] => [
  ...new Set([...credentials.listOwners(), ...people.listOwners()]),
];

/** The owner in whose name messages to `dispatch.alerts` are sent. */
export const getAlertedOwner = (stores: Stores): string => listOwners(stores)[0] ?? "owner";

/** `dispatch.alerts` in the configured order. */
export const listAlertChannels = ({ settings }: Pick<Stores, "settings">): NotifyChannel[] =>
  readNotifyChannels(settings.getDispatch()["alerts"]);

/**
 * The channels through which to contact the member.
 * @param alert contact the member as an owner. The alerted owner, if it has no channels, is contacted through
 * `dispatch.alerts` in any case: it may have taken over a thread that it was alerted about.
 */
export function findContactChannels(
  stores: Stores,
  executor: string,
  alert: boolean,
): ContactChannels {
  const own = findNotifyChannels(stores, executor);
  const alerts = listAlertChannels(stores);
  const byAlerts = alert || (own.length === 0 && executor === getAlertedOwner(stores));
  return byAlerts && alerts.length > 0
    ? { channels: alerts, breakerKey: ALERTS_BREAKER_KEY }
    : { channels: own, breakerKey: executor };
}
