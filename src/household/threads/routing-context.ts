/** How things stand in the household at a moment, as far as it matters for whom to ask. */
import type { RouteContext } from "../../mess/routing/routing.ts";
import type { Stores } from "../stores.ts";

export function momentOf(
  { members, settings, catalogue, presences }: Stores,
  now: number,
): RouteContext {
  const counts = members.executors().some(({ capacity }) => capacity !== undefined);
  return {
    now,
    zone: settings.zone(),
    ...(counts ? { load: catalogue.load() } : {}),
    away: presences.away(now),
  };
}
