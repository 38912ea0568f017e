/** The console: a static page whose script calls the API as the signed-in person. */
import { defineNoHouseholdRoute, type HttpRoute } from "../http/route.ts";
import { looseQuerySchema, serveStatic } from "./respond/page.ts";

export const consoleRoutes: readonly HttpRoute[] = [
  defineNoHouseholdRoute({
    method: "get",
    path: "/console",
    access: "open",
    summary: "The console, where the people of a household look after it",
    produces: "text/html",
    query: looseQuerySchema,
    handle: serveStatic("/console/"),
  }),
];
