/** Answers to `query` blocks about capabilities and executors (protocol §7.3, §8.6). */
import type { Principal } from "../auth/principal.ts";
import { claimsOf } from "../mess/capabilities.ts";
import type { CatalogEntry } from "../mess/config.ts";
import { hindrancesOf } from "../mess/hindrances.ts";
import type { Json, JsonMap } from "../mess/json.ts";
import { splitTarget } from "../mess/refs.ts";
import type { Executor, RouteContext } from "../mess/routing.ts";
import { capabilityId, type Query } from "../mess/schema.ts";
import { readTime } from "../mess/times.ts";
import { resolveTarget } from "./resolve.ts";
import type { Stores } from "./stores.ts";

type Filter = NonNullable<Query["filter"]>;

/** Who asks: of threads, only those that they may see tell anything. */
export type Viewer = Pick<Principal, "actor" | "role">;

/** What anyone in the household may know of an executor: not how it is reached. */
function publicly(
  { id, name, kind, capabilities, access, ...times }: Executor,
  available: boolean,
): JsonMap {
  const { availability, schedule, time_zone } = times;
  const known = { id, name, kind, capabilities, access, availability, schedule, time_zone };
  return Object.fromEntries(
    Object.entries({ ...known, available }).filter(([, value]) => value !== undefined),
  ) as JsonMap;
}

/** Ids of the catalog's entries that have one of the tags; undefined where none is asked for. */
function tagged(catalog: readonly CatalogEntry[], { tags }: Filter): Set<string> | undefined {
  const wanted = tags?.map(capabilityId);
  if (!wanted) return undefined;
  const has = (entry: CatalogEntry): boolean =>
    (entry.tags ?? []).some((tag) => wanted.includes(capabilityId(tag)));
  return new Set(catalog.filter(has).map(({ id }) => id));
}

/** Described capabilities and claimed ones, by id, each with those of the executors who have it. */
function capabilitiesOf(
  catalog: readonly CatalogEntry[],
  executors: readonly Executor[],
  filter: Filter,
): Json {
  const entries = new Map<string, CatalogEntry & { executors: string[] }>();
  for (const entry of catalog) entries.set(entry.id, { ...entry, executors: [] });
  for (const executor of executors) {
    for (const { id } of claimsOf(executor)) {
      const entry = entries.get(id) ?? { id, executors: [] };
      if (!entry.executors.includes(executor.id)) entry.executors.push(executor.id);
      entries.set(id, entry);
    }
  }
  const tags = tagged(catalog, filter);
  const ids = filter.capability?.map(capabilityId);
  // Who filters by members asks for what these can do.
  const { executor, available, re, status, since } = filter;
  const byMember = [executor, available, re, status, since].some((one) => one !== undefined);
  const wanted = [...entries.values()].filter(
    ({ id, executors: able }) =>
      (tags?.has(id) ?? true) && (ids?.includes(id) ?? true) && (!byMember || able.length > 0),
  );
  return wanted.toSorted((a, b) => (a.id < b.id ? -1 : 1)) as unknown as Json;
}

/** Members that the filter's threads concern; undefined where it speaks of no threads. */
function concerned(stores: Stores, filter: Filter, viewer: Viewer): Set<string> | undefined {
  const { re, status, since } = filter;
  const refs = re?.filter((target) => target !== "all");
  if (!refs?.length && status === undefined && since === undefined) return undefined;
  const found = refs?.flatMap((target) => {
    const meant = resolveTarget(stores, viewer.actor, target);
    return meant.ok ? [splitTarget(meant.value).thread] : [];
  });
  const instant = since === undefined ? undefined : readTime(since, stores.settings.zone());
  return new Set(
    stores.catalogue.concerned(viewer, {
      ...(refs?.length ? { refs: found ?? [] } : {}),
      ...(status === undefined ? {} : { statuses: status }),
      ...(instant === undefined ? {} : { since: instant }),
    }),
  );
}

/** `{capabilities: […]}` or `{executors: […]}`; threads are not asked for here, so `status` yields an empty map. */
export function answerQuery(stores: Stores, query: Query, viewer: Viewer, now: number): JsonMap {
  const filter: Filter = query.filter ?? {};
  const catalog = stores.routing.catalog();
  const context: RouteContext = {
    now,
    zone: stores.settings.zone(),
    load: stores.catalogue.load(),
    away: stores.presences.away(now),
  };
  const isAvailable = (one: Executor): boolean => hindrancesOf(one, {}, context, true).length === 0;
  const concern = concerned(stores, filter, viewer);
  const executors = stores.members
    .executors()
    .filter(
      ({ id }) =>
        (filter.executor === undefined || id === filter.executor) && (concern?.has(id) ?? true),
    )
    .filter((one) => filter.available === undefined || isAvailable(one) === filter.available);
  if (query.type === "capabilities") {
    return { capabilities: capabilitiesOf(catalog, executors, filter) };
  }
  if (query.type === "status") return {};
  const tags = tagged(catalog, filter);
  const asked = filter.capability?.map(capabilityId);
  const able = executors.filter((one) => {
    const claims = claimsOf(one).map(({ id }) => id);
    return (
      (!tags || claims.some((id) => tags.has(id))) &&
      (asked ?? []).every((id) => claims.includes(id))
    );
  });
  return { executors: able.map((one) => publicly(one, isAvailable(one))) };
}
