/** A `query` is answered on the wire and stored nowhere (decision 50). */
import { householdStub } from "../stubs.ts";
import type { Principal } from "../auth/principal.ts";
import type { ThreadsMeant } from "../contracts/household.ts";
import type { Envelope } from "../mess/envelope.ts";
import type { Outcome } from "../mess/errors.ts";
import type { Json, JsonMap } from "../mess/json.ts";
import { ok } from "../mess/result.ts";
import type { Query } from "../mess/wire/schema.ts";
import { readTime } from "../mess/times.ts";
import { listThreads } from "../partitions/list.ts";
import { listedEnvelope } from "./list-envelope.ts";
import { reach, type Stores } from "./with-thread.ts";

const MOST = 50;

type Filter = NonNullable<Query["filter"]>;

/** The body of the `response` block (protocol §7.3, §8.6). */
export async function answerQuery(
  env: Stores,
  principal: Principal,
  query: Query,
): Promise<Outcome<JsonMap>> {
  if (query.type !== "status")
    return ok(
      structured(
        await householdStub(env, principal.household).query(query, {
          actor: principal.actor,
          role: principal.role,
        }),
      ),
    );
  const filter = query.filter ?? {};
  const meant = await meantBy(env, principal, filter);
  if (filter.re && filter.re[0] !== "all") {
    const threads: Json[] = [];
    for (const target of filter.re) {
      const found = await reach(env, principal, target, undefined, ({ stub }) =>
        stub.read(principal),
      );
      if (!found.ok) return found;
      const { envelope } = found.value;
      if (isWanted(envelope, filter, meant)) threads.push(envelope as unknown as Json);
    }
    return ok(structured({ threads }));
  }
  const listed = await listThreads(env.INDEX, principal.household, {
    limit: MOST,
    ...(principal.role === "owner" ? {} : { participant: principal.actor }),
    ...(filter.status ? { status: filter.status } : {}),
    ...(filter.executor === undefined ? {} : { executor: filter.executor }),
    ...(filter.cursor === undefined ? {} : { cursor: filter.cursor }),
    ...meant,
  });
  if (!listed.ok) return listed;
  const { threads, next_cursor } = listed.value;
  return ok(
    structured({
      threads: threads.map((thread) => listedEnvelope(thread) as unknown as Json),
      ...(next_cursor === undefined ? {} : { next_cursor }),
    }),
  );
}

/** The household is asked only where the filter speaks of its clock or its members. */
async function meantBy(
  env: Stores,
  { household }: Principal,
  filter: Filter,
): Promise<ThreadsMeant> {
  const { since, available, capability, tags } = filter;
  const speaks = [since, available, capability, tags].some((one) => one !== undefined);
  return speaks ? await householdStub(env, household).threadsMeant(filter) : {};
}

/** Whether a thread that is named passes the rest of the filter. */
const isWanted = (
  { status, executor, updated }: Envelope,
  filter: Filter,
  { since, holders }: ThreadsMeant,
): boolean =>
  (filter.status?.includes(status) ?? true) &&
  (filter.executor === undefined || filter.executor === executor) &&
  (holders === undefined || (executor !== null && holders.includes(executor))) &&
  (since === undefined || (readTime(updated, "UTC") ?? 0) >= since);

const structured = (value: Json): JsonMap => ({ re: "last", content: [{ structured: value }] });
