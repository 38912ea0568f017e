/** `GET /health`: the exchange responds. It says nothing about whether a household exists. */
import * as z from "zod";
import { HOUSEHOLD_ID_PATTERN } from "../../../../auth/known-households.ts";
import { getLinkOrigin } from "../../../../config.ts";
import { ok } from "../../../../mess/result.ts";
import { defineNoHouseholdRoute, type HttpRoute } from "../../route.ts";
import { refuseExchangeId } from "./exchange-id.ts";

const SERVICE = "mess-exchange";

/** Probes add arbitrary query parameters, so they are ignored. */
const anyQuerySchema = z.object({});

const buildHealth = (exchange_id: string) =>
  ok({ body: { status: "ok", service: SERVICE, exchange_id } });

export const exchangeHealthRoutes: readonly HttpRoute[] = [
  defineNoHouseholdRoute({
    method: "get",
    path: "/health",
    access: "open",
    summary: "Health check for MESS clients; exchange_id is the deployment's host",
    query: anyQuerySchema,
    handle: async ({ env, request }) => buildHealth(new URL(getLinkOrigin(env, request)).hostname),
  }),
  defineNoHouseholdRoute({
    method: "get",
    path: "/api/v1/exchanges/{exchange}/health",
    access: "open",
    summary: "Health check for MESS clients; any well-formed exchange id gets the same response",
    query: anyQuerySchema,
    handle: async ({ param }) =>
      HOUSEHOLD_ID_PATTERN.test(param("exchange"))
        ? buildHealth(param("exchange"))
        : refuseExchangeId(),
  }),
];
