/** The table of all routes, in matching order: fixed paths before paths with a ref. */
import { secretRotationRoutes } from "./resources/household/secret-rotation.ts";
import { getLinkOrigin } from "../../config.ts";
import { auditRoutes } from "./resources/household/audit.ts";
import { archiveRoutes } from "./resources/threads/archives.ts";
import { attachmentRoutes } from "./resources/threads/attachments.ts";
import { householdIndexRoutes } from "./resources/household/household-index.ts";
import { deviceRoutes } from "./resources/household/device-codes.ts";
import { householdRoutes } from "./resources/household/households.ts";
import { importRoutes } from "./resources/threads/import.ts";
import { limitRoutes } from "./resources/household/limits.ts";
import { healthRoutes } from "./resources/operator/health.ts";
import { operatedHouseholdRoutes } from "./resources/operator/operated-households.ts";
import { linkBearerRoutes } from "./resources/threads/linked-thread.ts";
import { linkRoutes } from "./resources/threads/links.ts";
import { messageRoutes } from "./resources/threads/messages.ts";
import { metaRoutes } from "./resources/meta.ts";
import { deliveryRoutes } from "./resources/threads/deliveries.ts";
import { describeRoutes } from "./openapi.ts";
import { peopleRoutes } from "./resources/household/people.ts";
import { ok } from "../../mess/result.ts";
import { defineNoHouseholdRoute, type HttpRoute } from "./route.ts";
import { skillRoutes } from "./resources/skill.ts";
import { groupEventRoutes } from "./resources/groups/events.ts";
import { groupRoutes } from "./resources/groups/groups.ts";
import { groupMessageRoutes } from "./resources/groups/messages.ts";
import { groupSearchRoutes } from "./resources/groups/search.ts";
import { sourceDraftRoutes } from "./resources/sources/drafts.ts";
import { sourceMessageRoutes } from "./resources/sources/messages.ts";
import { watcherRoutes } from "./resources/sources/watcher.ts";
import { messageTreeRoutes } from "./resources/message-tree/routes.ts";
import { poolRoutes } from "./resources/groups/pools.ts";
import { consoleRoutes } from "../pages/console.ts";
import { inboxRoutes } from "../pages/inbox/routes.ts";
import { exchangeArchiveRoutes } from "./resources/exchanges/archives.ts";
import { exchangeExecutorRoutes } from "./resources/exchanges/executors.ts";
import { exchangeHealthRoutes } from "./resources/exchanges/health.ts";
import { exchangeRequestRoutes } from "./resources/exchanges/requests.ts";
import { operatorPageRoutes } from "../pages/operator-page.ts";
import { executorRoutes } from "../webhooks/executor-callbacks.ts";
import { slackRoutes } from "../webhooks/slack.ts";
import { sourceHookRoutes } from "../webhooks/sources.ts";
import { telegramRoutes } from "../webhooks/telegram.ts";
import { twilioRoutes } from "../webhooks/twilio.ts";
import { configRoutes } from "./resources/household/config.ts";
import { callerRoutes } from "./resources/household/me.ts";
import { hookRoutes } from "./resources/household/hooks.ts";
import { presenceRoutes } from "./resources/household/presence.ts";
import { secretRoutes } from "./resources/household/secrets.ts";
import { reservationRoutes } from "./resources/household/reservations.ts";
import { scheduleRoutes } from "./resources/household/schedules.ts";
import { uploadPageRoutes } from "../pages/upload-page.ts";
import { respondRoutes } from "../pages/respond/routes.ts";
import { threadRoutes } from "./resources/threads/threads.ts";
import { uploadRoutes } from "./resources/threads/uploads.ts";

const descriptionRoute = defineNoHouseholdRoute({
  method: "get",
  path: "/openapi.json",
  access: "open",
  summary: "This OpenAPI description",
  handle: async ({ env, request }) =>
    ok({ body: describeRoutes(ROUTES, getLinkOrigin(env, request)) }),
});

export const ROUTES: readonly HttpRoute[] = [
  ...metaRoutes,
  descriptionRoute,
  ...exchangeHealthRoutes,
  ...exchangeExecutorRoutes,
  ...exchangeRequestRoutes,
  ...exchangeArchiveRoutes,
  ...skillRoutes,
  ...messageRoutes,
  ...importRoutes,
  ...archiveRoutes,
  ...threadRoutes,
  ...attachmentRoutes,
  ...uploadRoutes,
  ...uploadPageRoutes,
  ...deliveryRoutes,
  ...linkRoutes,
  ...linkBearerRoutes,
  ...respondRoutes,
  ...inboxRoutes,
  ...consoleRoutes,
  ...operatorPageRoutes,
  ...callerRoutes,
  ...householdRoutes,
  ...deviceRoutes,
  ...limitRoutes,
  ...operatedHouseholdRoutes,
  ...healthRoutes,
  ...scheduleRoutes,
  ...configRoutes,
  ...secretRoutes,
  ...hookRoutes,
  ...presenceRoutes,
  ...peopleRoutes,
  ...householdIndexRoutes,
  ...auditRoutes,
  ...secretRotationRoutes,
  ...groupSearchRoutes,
  ...groupRoutes,
  ...groupMessageRoutes,
  ...groupEventRoutes,
  ...poolRoutes,
  ...reservationRoutes,
  ...sourceMessageRoutes,
  ...watcherRoutes,
  ...messageTreeRoutes,
  ...sourceDraftRoutes,
  ...executorRoutes,
  ...slackRoutes,
  ...telegramRoutes,
  ...twilioRoutes,
  ...sourceHookRoutes,
];
