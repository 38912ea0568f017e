/** `/api/v1`: the household's index: its counts, and rebuilding it. */
import type * as z from "zod";
import { rebuildHouseholdIndex, getStatistics } from "../../../../exchange/index-maintenance.ts";
import { ok } from "../../../../mess/result.ts";
import { rangeQuerySchema } from "../../parameters.ts";
import {
  type HttpCall,
  type HandlerPromise,
  defineMemberRoute,
  type HttpRoute,
} from "../../route.ts";

async function readStatistics({ env, principal }: HttpCall): HandlerPromise {
  const counted = await getStatistics(env, principal);
  return counted.ok ? ok({ body: counted.value }) : counted;
}

async function rebuildIndex({
  env,
  principal,
  query,
}: HttpCall<z.output<typeof rangeQuerySchema>>): HandlerPromise {
  const done = await rebuildHouseholdIndex(env, principal, query);
  return done.ok ? ok({ body: done.value }) : done;
}

export const householdIndexRoutes: readonly HttpRoute[] = [
  defineMemberRoute({
    method: "get",
    path: "/api/v1/statistics",
    access: "owner",
    summary: "The number of threads in the household, by status",
    handle: readStatistics,
  }),
  defineMemberRoute({
    method: "post",
    path: "/api/v1/index/rebuild",
    access: "owner",
    summary: "Rebuild the thread index from the threads",
    description:
      "Lists and search read from the index; all of its data comes from the threads. Rebuilds at most 500 threads per call: while the response has `next`, call again with `after={next}`. Safe to repeat.",
    query: rangeQuerySchema,
    handle: rebuildIndex,
  }),
];
