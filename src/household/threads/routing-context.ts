/** The routing context of the household: instant, time zone, load and absences, which decide whom to offer a thread. */
import type { RouteContext } from "../../mess/routing/routing.ts";
import type { Stores } from "../stores.ts";

export function buildRoutingContext(
  { members, settings, threadCatalog, presence }: Stores,
  now: number,
): RouteContext {
  const hasCapacityLimits = members.listExecutors().some(({ capacity }) => capacity !== undefined);
  return {
    now,
    zone: settings.getZone(),
    ...(hasCapacityLimits ? { load: threadCatalog.countHeldThreads() } : {}),
    away: presence.listAway(now),
  };
}
