/** The operator's page: a static file whose script calls the API with the operator's key. */
import { defineNoHouseholdRoute, type HttpRoute } from "../http/route.ts";
import { serveStatic } from "./respond/page.ts";

export const operatorPageRoutes: readonly HttpRoute[] = [
  defineNoHouseholdRoute({
    method: "get",
    path: "/operator",
    access: "open",
    summary: "The page of the deployment's operator",
    produces: "text/html",
    handle: serveStatic("/operator/"),
  }),
];
