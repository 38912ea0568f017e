/** The table of all routes, in matching order: fixed paths before paths with a ref. */
import { secretRotationRoutes } from "./resources/secret-rotation.ts";
import { getLinkOrigin } from "../../config.ts";
import { auditRoutes } from "./resources/audit.ts";
import { archiveRoutes } from "./resources/archives.ts";
import { attachmentRoutes } from "./resources/attachments.ts";
import { householdIndexRoutes } from "./resources/household-index.ts";
import { householdRoutes } from "./resources/households.ts";
import { importRoutes } from "./resources/import.ts";
import { limitRoutes } from "./resources/limits.ts";
import { linkBearerRoutes } from "./resources/linked-thread.ts";
import { linkRoutes } from "./resources/links.ts";
import { messageRoutes } from "./resources/messages.ts";
import { metaRoutes } from "./resources/meta.ts";
import { deliveryRoutes } from "./resources/deliveries.ts";
import { describeRoutes } from "./openapi.ts";
import { peopleRoutes } from "./resources/people.ts";
import { ok } from "../../mess/result.ts";
import { defineOpenRoute, type HttpRoute } from "./route.ts";
import { skillRoutes } from "./resources/skill.ts";
import { inboxRoutes } from "../pages/inbox/routes.ts";
import { executorRoutes } from "../webhooks/executor-callbacks.ts";
import { slackRoutes } from "../webhooks/slack.ts";
import { telegramRoutes } from "../webhooks/telegram.ts";
import { twilioRoutes } from "../webhooks/twilio.ts";
import { configRoutes } from "./resources/config.ts";
import { presenceRoutes } from "./resources/presence.ts";
import { secretRoutes } from "./resources/secrets.ts";
import { scheduleRoutes } from "./resources/schedules.ts";
import { uploadPageRoutes } from "../pages/upload-page.ts";
import { respondRoutes } from "../pages/respond/routes.ts";
import { threadRoutes } from "./resources/threads.ts";
import { uploadRoutes } from "./resources/uploads.ts";

const descriptionRoute = defineOpenRoute({
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
  ...householdRoutes,
  ...limitRoutes,
  ...scheduleRoutes,
  ...configRoutes,
  ...secretRoutes,
  ...presenceRoutes,
  ...peopleRoutes,
  ...householdIndexRoutes,
  ...auditRoutes,
  ...secretRotationRoutes,
  ...executorRoutes,
  ...slackRoutes,
  ...telegramRoutes,
  ...twilioRoutes,
];
