/** The inbox page: a static file whose script loads the threads. */
import { defineNoHouseholdRoute, type HttpRoute } from "../../http/route.ts";
import { looseQuerySchema, serveStatic } from "../respond/page.ts";

export const pageRoutes: readonly HttpRoute[] = [
  defineNoHouseholdRoute({
    method: "get",
    path: "/inbox",
    access: "open",
    summary: "The inbox of a signed-in person, or of a browser that opened links",
    produces: "text/html",
    query: looseQuerySchema,
    handle: serveStatic("/inbox/"),
  }),
];
