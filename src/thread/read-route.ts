/** The candidates of a thread and the reasons for them, as they were stored when it was created. */
import { type Outcome, refuse } from "../mess/errors.ts";
import { ok } from "../mess/result.ts";
import type { Route } from "../mess/routing/routing.ts";
import type { ThreadLog } from "./thread-log.ts";

export function readRoute(log: ThreadLog): Outcome<Route> {
  const route = log.getFact("route");
  return route === undefined
    ? refuse(
        "not_found",
        "this thread was imported and has no route",
        "Only threads that were created here have a route.",
      )
    : ok(JSON.parse(route) as Route);
}
