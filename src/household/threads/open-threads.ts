/**
 * Opens the threads of a call: resolves idempotency, serials, dependencies and routes for all of its requests or for
 * none. Everything that may refuse runs before the first write.
 */
import { defined } from "../../mess/defined.ts";
import { findCycle } from "../../mess/routing/dependency-cycles.ts";
import { ID_REUSED, type MessError, type Outcome, refuse } from "../../mess/errors.ts";
import { splitTarget, buildThreadRef } from "../../mess/refs.ts";
import { fail, ok } from "../../mess/result.ts";
import {
  type Route,
  routeRequest,
  type RouteContext,
  type RouteRequest,
} from "../../mess/routing/routing.ts";
import type { Request } from "../../mess/wire/schema.ts";
import { getDay } from "../../mess/times.ts";
import { coalesce } from "./coalesce.ts";
import { buildRoutingContext } from "./routing-context.ts";
import { findAgentsFor, giveAgentsSteps } from "../memberships/pools/pool-executors.ts";
import { findNotifyChannels } from "../contacts/notify-settings.ts";
import { isOwnerReached, routeToOwner } from "./owner-route.ts";
import { findQueuePosition } from "./queue-position.ts";
import { resolveTarget } from "./resolve-target.ts";
import { checkNewFiles, checkNewThreads } from "../quotas/quotas.ts";
import type { Stores } from "../stores.ts";
import type { Viewer } from "../identity/effective-role.ts";
import type { OpenedThread, OpenThreadsInput } from "../../contracts/household-threads.ts";

/** A request with its existing or newly assigned ref. */
export interface AssignedRequest {
  request: Request;
  digest: string;
  observationDigest?: string;
  references?: readonly (string | number)[];
  ref: string;
  existing: boolean;
  /** Another recent request with the same client id. */
  reuses?: string;
}

/** Maximum number of client ids that a refusal lists. */
const MAX_LISTED_IDS = 20;

export const refuseReusedCallKey = (): Outcome<never> =>
  refuse(
    "idempotency_conflict",
    "this Idempotency-Key was used for another path or body",
    "Send the first call again, or use a new key.",
  );

function findRepeatedCall(
  stores: Stores,
  input: OpenThreadsInput,
): Outcome<AssignedRequest[]> | undefined {
  const call =
    input.key === undefined ? undefined : stores.idempotentCalls.get(input.actor, input.key);
  if (!call) return undefined;
  const digests = input.requests.map(({ digest }) => digest);
  if (digests.join() !== call.digests.join()) {
    return refuseReusedCallKey();
  }
  return ok(
    input.requests.map((one, index) => ({ ...one, ref: call.refs[index]!, existing: true })),
  );
}

/**
 * Assigns a ref to each request: that of an identical earlier request, else the next one of the day (decisions 6 to 9).
 */
function assignRefs(stores: Stores, input: OpenThreadsInput, now: number): AssignedRequest[] {
  const day = getDay(now, stores.settings.getZone());
  const assigned: AssignedRequest[] = [];
  let serial = stores.serials.getNext(day);
  for (const { request, digest, observationDigest, references } of input.requests) {
    const { id } = request;
    const duplicate = assigned.find(
      (one) => id !== undefined && one.request.id === id && one.digest === digest,
    );
    const earlier =
      duplicate?.ref ??
      (id === undefined ? undefined : stores.clientIds.findRepeated(input.actor, id, digest, now));
    const reuses =
      earlier === undefined && id !== undefined
        ? stores.clientIds.findRecent(input.actor, id, now)
        : undefined;
    assigned.push(
      earlier === undefined
        ? {
            request,
            digest,
            ...defined({ observationDigest, references, reuses }),
            ref: buildThreadRef(day, serial++, id),
            existing: false,
          }
        : { request, digest, ref: earlier, existing: true },
    );
  }
  return assigned;
}

const refuseReusedIds = (refs: string[]): Outcome<never> =>
  refuse(
    "idempotency_conflict",
    "the id names another request",
    "Use another id, or cancel that request first.",
    { reason: ID_REUSED, valid: refs },
  );

/** Resolves what each new request depends on: within the call, then by client id, then by ref (decision 42). */
function findDependencies(
  stores: Stores,
  viewer: Viewer,
  assigned: readonly AssignedRequest[],
): Outcome<Map<string, string[]>> {
  const edges = new Map<string, string[]>();
  for (const [index, { request, ref, existing }] of assigned.entries()) {
    if (existing) continue;
    const refs = new Set<string>();
    for (const target of request.constraints?.depends_on ?? []) {
      const batched = assigned.findLast(({ request: other }) => other.id === target);
      const found = batched ? ok(batched.ref) : resolveTarget(stores, viewer, target);
      if (found.ok) {
        const { thread } = splitTarget(found.value);
        // A thread that joined another ends when that one ends, so the dependency is on the joined thread.
        refs.add(stores.observations.findJoined(thread) ?? thread);
        continue;
      }
      if (found.error.code === "ambiguous_ref") return found;
      const inBatch = assigned.flatMap((other) => other.request.id ?? []);
      const recent = stores.clientIds.listRecent(viewer.actor, MAX_LISTED_IDS);
      return refuse(
        "unknown_dependency",
        `request ${index + 1} depends on an unknown thread: ${target}`,
        "Name another request of this message by its id, or an earlier thread by its ref.",
        {
          path: "constraints.depends_on",
          valid: [...new Set([...inBatch, ...recent])].slice(0, MAX_LISTED_IDS),
        },
      );
    }
    edges.set(ref, [...refs]);
  }
  const cycle = findCycle(edges);
  if (!cycle) return ok(edges);
  const names = cycle.map((ref) => assigned.find((one) => one.ref === ref)?.request.id ?? ref);
  return refuse(
    "dependency_cycle",
    "the requests depend on each other in a circle",
    `Remove one of these from depends_on: ${names.join(", ")}.`,
    { path: "constraints.depends_on" },
  );
}

function writeThreads(
  stores: Stores,
  input: OpenThreadsInput,
  assigned: readonly AssignedRequest[],
  edges: ReadonlyMap<string, string[]>,
  now: number,
): void {
  const { serials, threadCatalog, dependencies, contextReferences, idempotentCalls, settings } =
    stores;
  const fresh = assigned.filter(({ existing }) => !existing);
  if (fresh.length > 0) serials.take(getDay(now, settings.getZone()), fresh.length);
  for (const { ref, request, digest } of fresh) {
    const client = request.id === undefined ? undefined : { id: request.id, digest };
    threadCatalog.addOpened(ref, input.actor, now, client);
  }
  for (const { ref, request } of fresh) {
    const policy = request.constraints?.on_dependency_failure ?? "hold";
    for (const target of edges.get(ref) ?? []) dependencies.add(ref, target, policy);
  }
  for (const { ref, references = [] } of fresh)
    contextReferences.add(
      ref,
      references.map((one) => (typeof one === "number" ? assigned[one]!.ref : one)),
    );
  if (input.key !== undefined) idempotentCalls.add(input.actor, input.key, assigned);
  // A request that others of the call depend on is not joined to another thread, since it must end separately.
  const dependencyRefs = [...edges.values()].flat();
  coalesce(
    stores,
    input.actor,
    fresh.filter(({ ref }) => !dependencyRefs.includes(ref)),
    now,
  );
}

/** Repeated requests count neither as threads nor with their files. */
function checkOpenQuotas(
  stores: Stores,
  { actor, files, replacing }: OpenThreadsInput,
  assigned: readonly AssignedRequest[],
  now: number,
): MessError | undefined {
  const freshCount = assigned.filter(({ existing }) => !existing).length;
  const stored = files && freshCount > 0 ? { actor, ...files } : undefined;
  const error =
    (replacing ? undefined : checkNewThreads(stores, actor, freshCount, now)) ??
    (stored ? checkNewFiles(stores, stored, now) : undefined);
  if (!error && stored) stores.storedFiles.add(actor, stored, now);
  return error;
}

/** The route of a request as of now. Without a requestor, no member is excluded as the requestor. */
export function computeRoute(
  stores: Stores,
  request: RouteRequest,
  now: number,
  requestor?: string,
): Route {
  return createRouter(stores, now, requestor)(request);
}

/**
 * Returns a function that computes routes for several requests at one instant.
 * @param only the executor to which they are limited
 */
function createRouter(
  stores: Stores,
  now: number,
  requestor?: string,
  only?: string,
): (request: RouteRequest) => Route {
  const executors = stores.members
    .listExecutors()
    .filter(({ id }) => only === undefined || id === only);
  const config = stores.routing.getRulesWithTimeouts();
  const context: RouteContext = {
    ...buildRoutingContext(stores, now),
    ...defined({ requestor }),
  };
  return (request) => {
    const agents = only === undefined ? findAgentsFor(stores, request, requestor, now) : [];
    const route = routeRequest(request, [...executors, ...agents], config, context);
    return agents.length === 0 ? route : giveAgentsSteps(route, agents);
  };
}

/**
 * Opens the threads. Run it in one transaction. For a repeated call, returns the current state of the threads that it
 * opened.
 */
export function openThreads(
  stores: Stores,
  input: OpenThreadsInput,
  now: number,
): Outcome<OpenedThread[]> {
  const repeated = findRepeatedCall(stores, input);
  if (repeated && !repeated.ok) return repeated;
  const assigned = repeated?.value ?? assignRefs(stores, input, now);
  if (!repeated) {
    const reused = assigned.flatMap(({ reuses }) => reuses ?? []);
    if (input.refuseReusedIds && reused.length > 0) return refuseReusedIds(reused);
    const edges = findDependencies(stores, input, assigned);
    if (!edges.ok) return edges;
    const exceeded = checkOpenQuotas(stores, input, assigned, now);
    if (exceeded) return fail(exceeded);
    writeThreads(stores, input, assigned, edges.value, now);
  }
  const routeRequest = input.owner
    ? (request: RouteRequest) => routeToOwner(stores, request)
    : createRouter(stores, now, input.actor, input.executor);
  const getJoin = (ref: string) => stores.observations.getJoin(ref);
  return ok(
    assigned.map(({ ref, request, existing, reuses }) => {
      const route = routeRequest(request);
      const blocked_by = stores.dependencies.listBlocking(ref);
      const first = route.candidates.filter(({ rung }) => rung === 1).map(({ id }) => id);
      const queue_position =
        existing || blocked_by.length > 0
          ? undefined
          : findQueuePosition(stores, first, { ref, opened: now });
      return {
        ref,
        ...defined({ client_id: request.id, reuses, queue_position }),
        ...buildOpenedRoute(stores, route, input.actor, input.owner),
        blocked_by,
        existing,
        ...getJoin(ref),
      };
    }),
  );
}

/** The route for a new thread, and whether its candidates and its requestor can be contacted. */
export function buildOpenedRoute(
  stores: Stores,
  route: Route,
  requestor: string,
  toOwner?: true,
): Pick<OpenedThread, "route" | "unreached" | "requestor_reached"> {
  const isReached = (id: string) => findNotifyChannels(stores, id).length > 0;
  return {
    route,
    ...(route.candidates.some(({ id }) => (toOwner ? isOwnerReached(stores, id) : isReached(id)))
      ? {}
      : { unreached: true }),
    ...(isReached(requestor) ? { requestor_reached: true } : {}),
  };
}
