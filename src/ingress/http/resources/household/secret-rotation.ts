/** `/api/v1/secret-rotation`: shows the operator whether the former MESS_SECRET is still needed. */
import {
  continueRotation,
  MAX_HOUSEHOLDS_PER_CALL,
  readRotation,
} from "../../../../exchange/secret-rotation.ts";
import type { Outcome } from "../../../../mess/errors.ts";
import { ok } from "../../../../mess/result.ts";
import { defineNoHouseholdRoute, type HttpRoute } from "../../route.ts";

const toResponse = (read: Outcome<object>) => (read.ok ? ok({ body: read.value }) : read);

export const secretRotationRoutes: readonly HttpRoute[] = [
  defineNoHouseholdRoute({
    method: "get",
    path: "/api/v1/secret-rotation",
    access: "operator",
    summary:
      "Progress of the households in sealing their secrets again after a change of MESS_SECRET",
    description: "When `done` is true, no household needs MESS_SECRET_PREVIOUS for its secrets.",
    handle: async ({ env }) => toResponse(await readRotation(env)),
  }),
  defineNoHouseholdRoute({
    method: "post",
    path: "/api/v1/secret-rotation",
    access: "operator",
    summary: "Seal the secrets of pending households again without waiting",
    description: `At most ${MAX_HOUSEHOLDS_PER_CALL} households per call. Safe to repeat; without it, each household does so when it is next used, or by its daily alarm.`,
    handle: async ({ env }) => toResponse(await continueRotation(env)),
  }),
];
