/** The routes of the message tree. */
import type { HttpRoute } from "../../route.ts";
import { treeMessageRoutes } from "./messages.ts";
import { treeOutboxRoutes } from "./outbox.ts";
import { treeRootRoutes } from "./root.ts";
import { treeSourceRoutes } from "./sources.ts";

/** Fixed paths before those with an id in the same place. */
export const messageTreeRoutes: readonly HttpRoute[] = [
  ...treeRootRoutes,
  ...treeSourceRoutes,
  ...treeOutboxRoutes,
  ...treeMessageRoutes,
];
