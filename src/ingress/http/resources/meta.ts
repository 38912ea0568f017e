/** What anyone may know of this exchange. */
import * as z from "zod";
import { ok } from "../../../mess/result.ts";
import { type Handled, openRoute, type Route } from "../route.ts";

/** Probes and browsers add what they like. */
const anyQuery = z.object({});

async function showWays(): Handled {
  return ok({
    body: {
      exchange: "MESS edge exchange",
      protocol: "1.1.0",
      say: "POST /mess",
      threads: "GET /mess",
      description: "/openapi.json",
      skill: "/skill/SKILL.md",
      health: "/healthz",
    },
  });
}

export const metaRoutes: readonly Route[] = [
  openRoute({
    method: "get",
    path: "/",
    access: "open",
    summary: "Where things are",
    query: anyQuery,
    handle: showWays,
  }),
  openRoute({
    method: "get",
    path: "/healthz",
    access: "open",
    summary: "Whether the exchange answers",
    query: anyQuery,
    handle: async () => ok({ body: { ok: true } }),
  }),
];
