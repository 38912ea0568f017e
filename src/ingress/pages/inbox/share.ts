/**
 * `POST /inbox/share`: the installed app shares files to this path, and its service worker takes them. The request
 * arrives here only if the worker is missing; the files are not read, since they would leave the device unasked.
 */
import { ok } from "../../../mess/result.ts";
import { defineNoHouseholdRoute, type HttpRoute } from "../../http/route.ts";

export const shareRoutes: readonly HttpRoute[] = [
  defineNoHouseholdRoute({
    method: "post",
    path: "/inbox/share",
    access: "open",
    summary: "Leads a share that no service worker took back to the inbox, and keeps nothing",
    produces: "text/html",
    body: { description: "Not read", types: ["multipart/form-data"] },
    handle: async () =>
      ok(new Response(null, { status: 303, headers: { Location: "/inbox?share=failed" } })),
  }),
];
