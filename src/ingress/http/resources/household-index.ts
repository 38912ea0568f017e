/** `/api/v1`: what the household's index counts, and making it anew. */
import type * as z from "zod";
import { rebuild, statistics } from "../../../exchange/index-maintenance.ts";
import { ok } from "../../../mess/result.ts";
import { partQuery } from "../parameters.ts";
import { type Call, type Handled, memberRoute, type Route } from "../route.ts";

async function count({ env, principal }: Call): Handled {
  const counted = await statistics(env, principal);
  return counted.ok ? ok({ body: counted.value }) : counted;
}

async function makeAnew({ env, principal, query }: Call<z.output<typeof partQuery>>): Handled {
  const done = await rebuild(env, principal, query);
  return done.ok ? ok({ body: done.value }) : done;
}

export const householdIndexRoutes: readonly Route[] = [
  memberRoute({
    method: "get",
    path: "/api/v1/statistics",
    access: "owner",
    summary: "How many threads the household has, by status",
    handle: count,
  }),
  memberRoute({
    method: "post",
    path: "/api/v1/index/rebuild",
    access: "owner",
    summary: "Write the index of threads anew from the threads themselves",
    description:
      "Lists and search come from the index; it holds nothing that the threads do not. At most 500 threads a call: while the answer has `next`, go on with `after={next}`. Safe to repeat.",
    query: partQuery,
    handle: makeAnew,
  }),
];
