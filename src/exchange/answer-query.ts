/** Answers a `query` in the response to the call; queries are not stored (decision 50). */
import { defined } from "../mess/defined.ts";
import { getHouseholdStub } from "../stubs.ts";
import type { Principal } from "../auth/principal.ts";
import type { ResolvedThreadFilter } from "../contracts/household-threads.ts";
import type { Envelope } from "../mess/envelope.ts";
import type { Outcome } from "../mess/errors.ts";
import type { Json, JsonMap } from "../mess/json.ts";
import { ok } from "../mess/result.ts";
import type { Query } from "../mess/wire/schema.ts";
import { readTime } from "../mess/times.ts";
import { queryThreads } from "../partitions/list.ts";
import { buildReaderFilter } from "./lists/reader-filter.ts";
import { toListedEnvelope } from "./lists/list-envelope.ts";
import { withThread, type ExchangeBindings } from "./with-thread.ts";

const MAX_THREADS = 50;

type QueryFilter = NonNullable<Query["filter"]>;

/** Returns the body of the `response` block (protocol §7.3, §8.6). */
export async function answerQuery(
  env: ExchangeBindings,
  principal: Principal,
  query: Query,
): Promise<Outcome<JsonMap>> {
  if (query.type !== "status")
    return ok(
      buildStructuredResponse(
        await getHouseholdStub(env, principal.household).threads.answerQuery(query, {
          actor: principal.actor,
          role: principal.role,
        }),
      ),
    );
  const filter = query.filter ?? {};
  const resolved = await resolveFilter(env, principal, filter);
  if (filter.re && filter.re[0] !== "all") {
    const threads: Json[] = [];
    for (const target of filter.re) {
      const found = await withThread(env, principal, target, undefined, ({ stub }) =>
        stub.readThread(principal),
      );
      if (!found.ok) return found;
      const { envelope } = found.value;
      if (matchesFilter(envelope, filter, resolved)) threads.push(envelope as unknown as Json);
    }
    return ok(buildStructuredResponse({ threads }));
  }
  const listed = await queryThreads(env.INDEX, principal.household, {
    limit: MAX_THREADS,
    ...buildReaderFilter(principal),
    ...(filter.status ? { status: filter.status } : {}),
    ...defined({ executor: filter.executor, cursor: filter.cursor }),
    ...resolved,
  });
  if (!listed.ok) return listed;
  const { threads, next_cursor } = listed.value;
  return ok(
    buildStructuredResponse({
      threads: threads.map((thread) => toListedEnvelope(thread) as unknown as Json),
      ...defined({ next_cursor }),
    }),
  );
}

/** Resolves the filter. Calls the household only where the filter needs its time zone or its members. */
async function resolveFilter(
  env: ExchangeBindings,
  { household }: Principal,
  filter: QueryFilter,
): Promise<ResolvedThreadFilter> {
  const { since, available, capability, tags } = filter;
  const needsHousehold = [since, available, capability, tags].some((one) => one !== undefined);
  return needsHousehold
    ? await getHouseholdStub(env, household).threads.resolveThreadFilter(filter)
    : {};
}

/** Returns whether a thread that was read by ref meets the other conditions of the filter. */
const matchesFilter = (
  { status, executor, updated }: Envelope,
  filter: QueryFilter,
  { since, holders }: ResolvedThreadFilter,
): boolean =>
  (filter.status?.includes(status) ?? true) &&
  (filter.executor === undefined || filter.executor === executor) &&
  (holders === undefined || (executor !== null && holders.includes(executor))) &&
  (since === undefined || (readTime(updated, "UTC") ?? 0) >= since);

const buildStructuredResponse = (value: Json): JsonMap => ({
  re: "last",
  content: [{ structured: value }],
});
