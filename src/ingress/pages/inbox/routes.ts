/** What is served to the inbox. */
import type { Route } from "../../http/route.ts";
import { liveRoutes } from "./live.ts";
import { pageRoutes } from "./page.ts";
import { pushRoutes } from "./push.ts";
import { threadRoutes } from "./threads.ts";

export const inboxRoutes: readonly Route[] = [
  ...pageRoutes,
  ...threadRoutes,
  ...liveRoutes,
  ...pushRoutes,
];
