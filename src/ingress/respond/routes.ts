/** What is served to the page with which people answer. */
import type { Route } from "../http/route.ts";
import { liveRoutes } from "./live.ts";
import { renewRoutes } from "./renew.ts";
import { sessionRoutes } from "./session.ts";
import { stateRoutes } from "./state.ts";

export const respondRoutes: readonly Route[] = [
  ...sessionRoutes,
  ...stateRoutes,
  ...liveRoutes,
  ...renewRoutes,
];
