/** Routes of the page on which people respond. */
import type { HttpRoute } from "../../http/route.ts";
import { formRoutes } from "./form-routes.ts";
import { liveRoutes } from "./live.ts";
import { pageRoutes } from "./page.ts";
import { renewRoutes } from "./renew.ts";
import { sessionRoutes } from "./session.ts";
import { stateRoutes } from "./state.ts";

export const respondRoutes: readonly HttpRoute[] = [
  ...pageRoutes,
  ...formRoutes,
  ...sessionRoutes,
  ...stateRoutes,
  ...liveRoutes,
  ...renewRoutes,
];
