/**
 * Answers to `query` blocks about capabilities and executors, and what a filter of threads says of members (protocol
 * §7.3, §8.6).
 */
import type { Principal } from "../../auth/principal.ts";
import { claimsOf } from "../../mess/routing/capabilities.ts";
import type { CatalogEntry } from "../../mess/config/config.ts";
import { hindrancesOf } from "../../mess/routing/unavailability.ts";
import type { Json, JsonMap } from "../../mess/json.ts";
import { splitTarget } from "../../mess/refs.ts";
import type { Executor } from "../../mess/routing/routing.ts";
import { capabilityId, type Query } from "../../mess/wire/schema.ts";
import { readTime } from "../../mess/times.ts";
import { momentOf } from "./routing-context.ts";
import { resolveTarget } from "./resolve-target.ts";
import type { Stores } from "../stores.ts";
import type { ThreadsMeant } from "../../contracts/household.ts";

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

/** Whether a member can be asked now: within its hours, not away, and with room for more. */
function availability(stores: Stores, now: number): (executor: Executor) => boolean {
  const context = momentOf(stores, now);
  return (executor) => hindrancesOf(executor, {}, context, true).length === 0;
}

/** Whether a member has all of the capabilities, and one with any of the tags. */
function ability(stores: Stores, filter: Filter): (executor: Executor) => boolean {
  const tags = tagged(stores.routing.catalog(), filter);
  const asked = (filter.capability ?? []).map(capabilityId);
  return (executor) => {
    const claims = claimsOf(executor).map(({ id }) => id);
    return (!tags || claims.some((id) => tags.has(id))) && asked.every((id) => claims.includes(id));
  };
}

/** `{capabilities: […]}` or `{executors: […]}`. */
export function answerQuery(stores: Stores, query: Query, viewer: Viewer, now: number): JsonMap {
  const filter: Filter = query.filter ?? {};
  const isAvailable = availability(stores, now);
  const concern = concerned(stores, filter, viewer);
  const executors = stores.members
    .executors()
    .filter(
      ({ id }) =>
        (filter.executor === undefined || id === filter.executor) && (concern?.has(id) ?? true),
    )
    .filter((one) => filter.available === undefined || isAvailable(one) === filter.available);
  if (query.type === "capabilities")
    return { capabilities: capabilitiesOf(stores.routing.catalog(), executors, filter) };
  return {
    executors: executors
      .filter(ability(stores, filter))
      .map((one) => publicly(one, isAvailable(one))),
  };
}

/** What only the household can tell of the threads that a filter means. */
export function threadsMeant(stores: Stores, filter: Filter, now: number): ThreadsMeant {
  const { available, capability, tags } = filter;
  const since = readTime(filter.since ?? "", stores.settings.zone());
  const speaksOfMembers = available !== undefined || capability || tags;
  return {
    ...(since === undefined ? {} : { since }),
    ...(speaksOfMembers ? { holders: holdersMeant(stores, filter, now) } : {}),
  };
}

function holdersMeant(stores: Stores, filter: Filter, now: number): string[] {
  const { available } = filter;
  const able = stores.members.executors().filter(ability(stores, filter));
  const isAvailable = available === undefined ? undefined : availability(stores, now);
  return able.filter((one) => !isAvailable || isAvailable(one) === available).map(({ id }) => id);
}
