/** Executors, and their routes on a Monday at noon. */
import {
  type Executor,
  routeRequest,
  type RouteContext,
  type RouteRequest,
  type RoutingConfig,
} from "../../../../src/mess/routing/routing.ts";

/** A Monday, noon in UTC. */
export const NOON = Date.parse("2027-03-01T12:00:00Z");

export const buildPerson = (id: string, fields: Partial<Executor> = {}): Executor => ({
  id,
  kind: "person",
  capabilities: [],
  ...fields,
});
export const buildMachine = (id: string, fields: Partial<Executor> = {}): Executor => ({
  ...buildPerson(id, fields),
  kind: "machine",
});

export const requestFields = (
  request: RouteRequest,
  executors: Executor[],
  config: RoutingConfig = { rules: [] },
  context: Partial<RouteContext> = {},
) => routeRequest(request, executors, config, { now: NOON, zone: "UTC", ...context });

export const listIds = (found: { candidates: { id: string }[] }): string[] =>
  found.candidates.map(({ id }) => id);
