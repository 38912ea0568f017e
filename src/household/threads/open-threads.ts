/**
 * Opening the threads of a call: idempotency, serials, dependencies and routes, settled for all of its
 * requests or for none. Everything that may refuse comes before the first write.
 */
import { findCycle } from "../../mess/routing/dependency-cycles.ts";
import { type Outcome, refuse } from "../../mess/errors.ts";
import { splitTarget, threadRef } from "../../mess/refs.ts";
import { ok } from "../../mess/result.ts";
import {
  type Route,
  route,
  type RouteContext,
  type RouteRequest,
} from "../../mess/routing/routing.ts";
import type { Request } from "../../mess/wire/schema.ts";
import { dayOf } from "../../mess/times.ts";
import { coalesce } from "./coalesce.ts";
import { momentOf } from "./routing-context.ts";
import { waysTo } from "../contacts/notify-settings.ts";
import { resolveTarget } from "./resolve-target.ts";
import type { Stores } from "../stores.ts";
import type { Opened, OpenInput } from "../../contracts/household.ts";

/** A request with the ref that it has or will have. */
export interface Settled {
  request: Request;
  digest: string;
  asks?: string;
  ref: string;
  existing: boolean;
}

/** How many of the sender's ids a refusal lists. */
const LISTED = 20;

function repeatedCall(stores: Stores, input: OpenInput): Outcome<Settled[]> | undefined {
  const call = input.key === undefined ? undefined : stores.calls.get(input.actor, input.key);
  if (!call) return undefined;
  const digests = input.requests.map(({ digest }) => digest);
  if (digests.join() !== call.digests.join()) {
    return refuse(
      "idempotency_conflict",
      "this Idempotency-Key was used for another body",
      "Send the body of the first call again, or use a new key.",
    );
  }
  return ok(
    input.requests.map((one, index) => ({ ...one, ref: call.refs[index]!, existing: true })),
  );
}

/** Gives every request its ref: that of an equal one, else the next of the day (decisions 6 to 9). */
function settle(stores: Stores, input: OpenInput, now: number): Settled[] {
  const day = dayOf(now, stores.settings.zone());
  const settled: Settled[] = [];
  let serial = stores.serials.next(day);
  for (const { request, digest, asks } of input.requests) {
    const { id } = request;
    const twin = settled.find(
      (one) => id !== undefined && one.request.id === id && one.digest === digest,
    );
    const earlier =
      twin?.ref ??
      (id === undefined ? undefined : stores.clientIds.repeated(input.actor, id, digest, now));
    settled.push(
      earlier === undefined
        ? {
            request,
            digest,
            ...(asks === undefined ? {} : { asks }),
            ref: threadRef(day, serial++, id),
            existing: false,
          }
        : { request, digest, ref: earlier, existing: true },
    );
  }
  return settled;
}

/** The refs that each new request depends on: in the batch, then by the sender's ids, then by ref (decision 42). */
function dependenciesOf(
  stores: Stores,
  actor: string,
  settled: readonly Settled[],
): Outcome<Map<string, string[]>> {
  const edges = new Map<string, string[]>();
  for (const [index, { request, ref, existing }] of settled.entries()) {
    if (existing) continue;
    const refs = new Set<string>();
    for (const target of request.constraints?.depends_on ?? []) {
      const batched = settled.findLast(({ request: other }) => other.id === target);
      const found = batched ? ok(batched.ref) : resolveTarget(stores, actor, target);
      if (found.ok) {
        const { thread } = splitTarget(found.value);
        // What joined another thread ends with that one.
        refs.add(stores.observations.joinedBy(thread) ?? thread);
        continue;
      }
      if (found.error.code === "ambiguous_ref") return found;
      const inBatch = settled.flatMap((other) => other.request.id ?? []);
      const recent = stores.clientIds.recent(actor, LISTED);
      return refuse(
        "unknown_dependency",
        `request ${index + 1} depends on a thread that does not exist`,
        "Name another request of this message by its id, or an earlier thread by its ref.",
        {
          path: "constraints.depends_on",
          valid: [...new Set([...inBatch, ...recent])].slice(0, LISTED),
        },
      );
    }
    edges.set(ref, [...refs]);
  }
  const cycle = findCycle(edges);
  if (!cycle) return ok(edges);
  const names = cycle.map((ref) => settled.find((one) => one.ref === ref)?.request.id ?? ref);
  return refuse(
    "dependency_cycle",
    "requests wait for each other in a circle",
    `Take one of these out of depends_on: ${names.join(", ")}.`,
    { path: "constraints.depends_on" },
  );
}

function write(
  stores: Stores,
  input: OpenInput,
  settled: readonly Settled[],
  edges: ReadonlyMap<string, string[]>,
  now: number,
): void {
  const { serials, catalogue, clientIds, dependencies, calls, settings } = stores;
  const fresh = settled.filter(({ existing }) => !existing);
  if (fresh.length > 0) serials.take(dayOf(now, settings.zone()), fresh.length);
  for (const { ref, request, digest } of fresh) {
    catalogue.open(ref, input.actor, now);
    if (request.id !== undefined) clientIds.add(input.actor, request.id, digest, ref, now);
  }
  for (const { ref, request } of fresh) {
    const policy = request.constraints?.on_dependency_failure ?? "hold";
    for (const target of edges.get(ref) ?? []) dependencies.add(ref, target, policy);
    dependencies.tellOfFailed(ref, now);
  }
  if (input.key !== undefined) calls.add(input.actor, input.key, settled);
  // Whom others of the call wait for must end by itself.
  const awaited = [...edges.values()].flat();
  coalesce(
    stores,
    input.actor,
    fresh.filter(({ ref }) => !awaited.includes(ref)),
    now,
  );
}

/** The route that a request takes as things are; without a requestor, everyone may be asked. */
export function routeNow(
  stores: Stores,
  request: RouteRequest,
  now: number,
  requestor?: string,
): Route {
  return router(stores, now, requestor)(request);
}

/** The same for several requests at one moment. */
function router(stores: Stores, now: number, requestor?: string): (request: RouteRequest) => Route {
  const executors = stores.members.executors();
  const config = stores.routing.withLadder();
  const context: RouteContext = {
    ...momentOf(stores, now),
    ...(requestor === undefined ? {} : { requestor }),
  };
  return (request) => route(request, executors, config, context);
}

/** To be run in one transaction. What an earlier call had opened is told again as it stands now. */
export function openThreads(stores: Stores, input: OpenInput, now: number): Outcome<Opened[]> {
  const repeated = repeatedCall(stores, input);
  if (repeated && !repeated.ok) return repeated;
  const settled = repeated?.value ?? settle(stores, input, now);
  if (!repeated) {
    const edges = dependenciesOf(stores, input.actor, settled);
    if (!edges.ok) return edges;
    write(stores, input, settled, edges.value, now);
  }
  const routeOf = router(stores, now, input.actor);
  const joinsOf = (ref: string) => stores.observations.joinOf(ref);
  return ok(
    settled.map(({ ref, request, existing }) => {
      return {
        ref,
        ...(request.id === undefined ? {} : { client_id: request.id }),
        ...routed(stores, routeOf(request), input.actor),
        blocked_by: stores.dependencies.blocking(ref),
        existing,
        ...joinsOf(ref),
      };
    }),
  );
}

/** The route that a thread is made with, and which of those whom it concerns have a way to be told. */
export function routed(
  stores: Stores,
  route: Route,
  requestor: string,
): Pick<Opened, "route" | "unreached" | "requestor_reached"> {
  const isReached = (id: string) => waysTo(stores, id).length > 0;
  return {
    route,
    ...(route.candidates.some(({ id }) => isReached(id)) ? {} : { unreached: true }),
    ...(isReached(requestor) ? { requestor_reached: true } : {}),
  };
}
