/** Answers to `query` blocks about capabilities and executors (protocol §7.3, §8.6). */
import { claimsOf } from "../mess/capabilities.ts";
import type { CatalogEntry } from "../mess/config.ts";
import type { Json, JsonMap } from "../mess/json.ts";
import type { Executor } from "../mess/routing.ts";
import { capabilityId, type Query } from "../mess/schema.ts";

type Filter = NonNullable<Query["filter"]>;

/** What anyone in the household may know of an executor: not how it is reached. */
function publicly({ id, name, kind, capabilities, access, ...times }: Executor): JsonMap {
  const { availability, schedule, time_zone } = times;
  const known = { id, name, kind, capabilities, access, availability, schedule, time_zone };
  return Object.fromEntries(
    Object.entries(known).filter(([, value]) => value !== undefined),
  ) as JsonMap;
}

/** Described capabilities and claimed ones, by id, each with those who have it. */
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
  const tags = filter.tags?.map(capabilityId);
  const wanted = [...entries.values()].filter(
    (entry) =>
      (!tags || (entry.tags ?? []).some((tag) => tags.includes(capabilityId(tag)))) &&
      (filter.executor === undefined || entry.executors.includes(filter.executor)),
  );
  return wanted.toSorted((a, b) => (a.id < b.id ? -1 : 1)) as unknown as Json;
}

/** `{capabilities: […]}` or `{executors: […]}`; threads are not asked for here, so `status` yields an empty map. */
export function answerQuery(
  query: Query,
  catalog: readonly CatalogEntry[],
  executors: readonly Executor[],
): JsonMap {
  const filter: Filter = query.filter ?? {};
  switch (query.type) {
    case "capabilities":
      return { capabilities: capabilitiesOf(catalog, executors, filter) };
    case "executors":
      return {
        executors: executors
          .filter(({ id }) => filter.executor === undefined || id === filter.executor)
          .map(publicly),
      };
    default:
      return {};
  }
}
