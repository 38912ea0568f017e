/** How owners are told: by `getDispatch.alerts` where that is set, else each in ways of their own. */
import { readNotifyChannels, findNotifyChannels, type NotifyChannel } from "./notify-settings.ts";
import type { Stores } from "../stores.ts";

/** The ways to somebody, and under whose name the breakers of these ways are kept. */
export interface ContactChannels {
  channels: NotifyChannel[];
  breaker: string;
}

/** The addresses of alerts have breakers apart: their owner may be an executor too. No member is called so. */
export const ALERTS_BREAKER_KEY = "*alerts";

/** The members that are owners by a key or by signing in, the oldest first. */
export const listOwners = ({ credentials, people }: Stores): string[] => [
  ...new Set([...credentials.listOwners(), ...people.listOwners()]),
];

/** In whose name `getDispatch.alerts` are told. */
export const getAlertedOwner = (stores: Stores): string => listOwners(stores)[0] ?? "owner";

/** `getDispatch.alerts` in their order. */
export const listAlertChannels = ({ settings }: Pick<Stores, "settings">): NotifyChannel[] =>
  readNotifyChannels(settings.getDispatch()["alerts"]);

/**
 * By what the member is reached.
 * @param alert as an owner. Who has no way of its own, and has taken what it was alerted to, hears of it there too.
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
    ? { channels: alerts, breaker: ALERTS_BREAKER_KEY }
    : { channels: own, breaker: executor };
}
