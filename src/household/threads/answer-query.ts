/**
 * Answers `query` blocks about capabilities and executors, and resolves the member filters of thread queries (protocol
 * §7.3, §8.6).
 */
import { listExecutorsWithAgents } from "../memberships/pools/pool-executors.ts";
import { defined } from "../../mess/defined.ts";
import type { Principal } from "../../auth/principal.ts";
import { listClaims } from "../../mess/routing/capabilities.ts";
import type { CatalogEntry } from "../../mess/config/config.ts";
import { listUnavailabilityReasons } from "../../mess/routing/unavailability.ts";
import type { Json, JsonMap } from "../../mess/json.ts";
import { splitTarget } from "../../mess/refs.ts";
import type { Executor } from "../../mess/routing/routing.ts";
import { normalizeCapabilityId, type Query } from "../../mess/wire/schema.ts";
import { readTime } from "../../mess/times.ts";
import { buildRoutingContext } from "./routing-context.ts";
import { getReadingScope } from "../identity/effective-role.ts";
import { resolveTarget } from "./resolve-target.ts";
import type { Stores } from "../stores.ts";
import type { ResolvedThreadFilter } from "../../contracts/household-threads.ts";

type QueryFilter = NonNullable<Query["filter"]>;

/** The caller of a query. Only threads that it may see affect the answer. */
export type QueryCaller = Pick<Principal, "actor" | "role">;

/** The public properties of an executor, without its contact addresses. */
function toPublicExecutor(
  { id, name, kind, capabilities, access, ...times }: Executor,
  available: boolean,
): JsonMap {
  const { availability, schedule, time_zone } = times;
  const known = { id, name, kind, capabilities, access, availability, schedule, time_zone };
  return Object.fromEntries(
    Object.entries({ ...known, available }).filter(([, value]) => value !== undefined),
  ) as JsonMap;
}

/** Ids of catalog entries that have one of the tags; undefined if the filter has no tags. */
function findTagged(
  catalog: readonly CatalogEntry[],
  { tags }: QueryFilter,
): Set<string> | undefined {
  const wantedTags = tags?.map(normalizeCapabilityId);
  if (!wantedTags) return undefined;
  const has = (entry: CatalogEntry): boolean =>
    (entry.tags ?? []).some((tag) => wantedTags.includes(normalizeCapabilityId(tag)));
  return new Set(catalog.filter(has).map(({ id }) => id));
}

/** Cataloged and claimed capabilities by id, each with those of the given executors that have it. */
function listCapabilities(
  catalog: readonly CatalogEntry[],
  executors: readonly Executor[],
  filter: QueryFilter,
): Json {
  const entries = new Map<string, CatalogEntry & { executors: string[] }>();
  for (const entry of catalog) entries.set(entry.id, { ...entry, executors: [] });
  for (const executor of executors) {
    for (const { id } of listClaims(executor)) {
      const entry = entries.get(id) ?? { id, executors: [] };
      if (!entry.executors.includes(executor.id)) entry.executors.push(executor.id);
      entries.set(id, entry);
    }
  }
  const tags = findTagged(catalog, filter);
  const ids = filter.capability?.map(normalizeCapabilityId);
  // A filter by members selects the capabilities of the matching members only.
  const { executor, available, re, status, since } = filter;
  const byMember = [executor, available, re, status, since].some((one) => one !== undefined);
  const selected = [...entries.values()].filter(
    ({ id, executors: able }) =>
      (tags?.has(id) ?? true) && (ids?.includes(id) ?? true) && (!byMember || able.length > 0),
  );
  return selected.toSorted((a, b) => (a.id < b.id ? -1 : 1)) as unknown as Json;
}

/** Members involved in the threads that match the filter; undefined if it does not filter by threads. */
function findConcerned(
  stores: Stores,
  filter: QueryFilter,
  viewer: QueryCaller,
): Set<string> | undefined {
  const { re, status, since } = filter;
  const refs = re?.filter((target) => target !== "all");
  if (!refs?.length && status === undefined && since === undefined) return undefined;
  const found = refs?.flatMap((target) => {
    const resolved = resolveTarget(stores, viewer, target);
    return resolved.ok ? [splitTarget(resolved.value).thread] : [];
  });
  const instant = since === undefined ? undefined : readTime(since, stores.settings.getZone());
  const reader = { actor: viewer.actor, reads: getReadingScope(stores, viewer.role) };
  return new Set(
    stores.threadCatalog.findConcerned(reader, {
      ...(refs?.length ? { refs: found ?? [] } : {}),
      ...defined({ statuses: status, since: instant }),
    }),
  );
}

/** Checks whether a member is available now: within its hours, not away, and below its capacity. */
function createAvailabilityCheck(stores: Stores, now: number): (executor: Executor) => boolean {
  const context = buildRoutingContext(stores, now);
  return (executor) => listUnavailabilityReasons(executor, {}, context, true).length === 0;
}

/** Checks whether a member has all of the capabilities, and one with any of the tags. */
function createAbilityCheck(stores: Stores, filter: QueryFilter): (executor: Executor) => boolean {
  const tags = findTagged(stores.routing.listCatalog(), filter);
  const required = (filter.capability ?? []).map(normalizeCapabilityId);
  return (executor) => {
    const claims = listClaims(executor).map(({ id }) => id);
    return (
      (!tags || claims.some((id) => tags.has(id))) && required.every((id) => claims.includes(id))
    );
  };
}

/** Returns `{capabilities: […]}` or `{executors: […]}`. */
export function answerQuery(
  stores: Stores,
  query: Query,
  viewer: QueryCaller,
  now: number,
): JsonMap {
  const filter: QueryFilter = query.filter ?? {};
  const known = listExecutorsWithAgents(stores, now);
  const isReachable = createAvailabilityCheck(stores, now);
  const isAvailable = (one: Executor) => !known.busy.has(one.id) && isReachable(one);
  const concernedMembers = findConcerned(stores, filter, viewer);
  const executors = known.executors
    .filter(
      ({ id }) =>
        (filter.executor === undefined || id === filter.executor) &&
        (concernedMembers?.has(id) ?? true),
    )
    .filter((one) => filter.available === undefined || isAvailable(one) === filter.available);
  if (query.type === "capabilities")
    return { capabilities: listCapabilities(stores.routing.listCatalog(), executors, filter) };
  return {
    executors: executors
      .filter(createAbilityCheck(stores, filter))
      .map((one) => toPublicExecutor(one, isAvailable(one))),
  };
}

/** Resolves the parts of a thread filter that only the household knows. */
export function resolveThreadFilter(
  stores: Stores,
  filter: QueryFilter,
  now: number,
): ResolvedThreadFilter {
  const { available, capability, tags } = filter;
  const since = readTime(filter.since ?? "", stores.settings.getZone());
  const hasMemberFilter = available !== undefined || capability || tags;
  return {
    ...defined({ since }),
    ...(hasMemberFilter ? { holders: findHolders(stores, filter, now) } : {}),
  };
}

function findHolders(stores: Stores, filter: QueryFilter, now: number): string[] {
  const { available } = filter;
  const able = stores.members.listExecutors().filter(createAbilityCheck(stores, filter));
  const isAvailable = available === undefined ? undefined : createAvailabilityCheck(stores, now);
  return able.filter((one) => !isAvailable || isAvailable(one) === available).map(({ id }) => id);
}
