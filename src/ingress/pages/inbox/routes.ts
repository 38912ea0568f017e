/** Routes of the inbox. */
import type { HttpRoute } from "../../http/route.ts";
import { availabilityRoutes } from "./availability.ts";
import { inboxDraftRoutes } from "./drafts.ts";
import { inboxGroupRoutes } from "./groups.ts";
import { liveRoutes } from "./live.ts";
import { inboxMessageRoutes } from "./messages.ts";
import { pageRoutes } from "./page.ts";
import { pushRoutes } from "./push.ts";
import { shareRoutes } from "./share.ts";
import { threadRoutes } from "./threads.ts";

export const inboxRoutes: readonly HttpRoute[] = [
  ...pageRoutes,
  ...threadRoutes,
  ...liveRoutes,
  ...shareRoutes,
  ...pushRoutes,
  ...availabilityRoutes,
  ...inboxGroupRoutes,
  ...inboxMessageRoutes,
  ...inboxDraftRoutes,
];
