/** How owners are told: by `dispatch.alerts` where that is set, else each in ways of their own. */
import { waysOf, waysTo, type Way } from "./notify-settings.ts";
import type { Stores } from "../stores.ts";

/** The ways to somebody, and under whose name the breakers of these ways are kept. */
export interface Reach {
  ways: Way[];
  breaker: string;
}

/** The addresses of alerts have breakers apart: their owner may be an executor too. No member is called so. */
export const ALERTS = "*alerts";

/** The members that are owners by a key or by signing in, the oldest first. */
export const ownersOf = ({ credentials, people }: Stores): string[] => [
  ...new Set([...credentials.owners(), ...people.owners()]),
];

/** In whose name `dispatch.alerts` are told. */
export const alertedOwner = (stores: Stores): string => ownersOf(stores)[0] ?? "owner";

/** `dispatch.alerts` in their order. */
export const alertWays = ({ settings }: Pick<Stores, "settings">): Way[] =>
  waysOf(settings.dispatch()["alerts"]);

/**
 * By what the member is reached.
 * @param alert as an owner. Who has no way of its own, and has taken what it was alerted to, hears of it there too.
 */
export function reachOf(stores: Stores, executor: string, alert: boolean): Reach {
  const own = waysTo(stores, executor);
  const alerts = alertWays(stores);
  const byAlerts = alert || (own.length === 0 && executor === alertedOwner(stores));
  return byAlerts && alerts.length > 0
    ? { ways: alerts, breaker: ALERTS }
    : { ways: own, breaker: executor };
}
