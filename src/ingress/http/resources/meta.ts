/** Public information about this exchange. */
import * as z from "zod";
import { ok } from "../../../mess/result.ts";
import { PROTOCOL_VERSION, SOFTWARE_VERSION } from "../../../version.ts";
import { type HandlerPromise, defineNoHouseholdRoute, type HttpRoute } from "../route.ts";

/** Probes and browsers add arbitrary query parameters, so they are ignored. */
const anyQuerySchema = z.object({});

async function showEntryPoints(): HandlerPromise {
  return ok({
    body: {
      exchange: "MESS edge exchange",
      version: SOFTWARE_VERSION,
      protocol: PROTOCOL_VERSION,
      say: "POST /mess",
      threads: "GET /mess",
      description: "/openapi.json",
      skill: "/skill/SKILL.md",
      health: "/healthz",
    },
  });
}

export const metaRoutes: readonly HttpRoute[] = [
  defineNoHouseholdRoute({
    method: "get",
    path: "/",
    access: "open",
    summary: "The main paths of this exchange",
    query: anyQuerySchema,
    handle: showEntryPoints,
  }),
  defineNoHouseholdRoute({
    method: "get",
    path: "/healthz",
    access: "open",
    summary: "Health check: the exchange responds",
    query: anyQuerySchema,
    handle: async () => ok({ body: { ok: true } }),
  }),
];
