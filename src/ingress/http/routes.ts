/** Everything that is served, in the order in which paths are tried: fixed ones before those with a ref. */
import { archiveRoutes } from "./archives.ts";
import { attachmentRoutes } from "./attachments.ts";
import { householdIndexRoutes } from "./household-index.ts";
import { householdRoutes } from "./households.ts";
import { importRoutes } from "./import.ts";
import { linkBearerRoutes } from "./link-bearer.ts";
import { linkRoutes } from "./links.ts";
import { messageRoutes } from "./messages.ts";
import { metaRoutes } from "./meta.ts";
import { deliveryRoutes } from "./deliveries.ts";
import { describe } from "./openapi.ts";
import { peopleRoutes } from "./people.ts";
import { ok } from "../../mess/result.ts";
import { openRoute, type Route } from "./route.ts";
import { skillRoutes } from "./skill.ts";
import { inboxRoutes } from "../inbox/routes.ts";
import { executorRoutes } from "../webhooks/executor.ts";
import { slackRoutes } from "../webhooks/slack.ts";
import { telegramRoutes } from "../webhooks/telegram.ts";
import { twilioRoutes } from "../webhooks/twilio.ts";
import { configRoutes } from "./config.ts";
import { presenceRoutes } from "./presence.ts";
import { secretRoutes } from "./secrets.ts";
import { scheduleRoutes } from "./schedules.ts";
import { respondRoutes } from "../respond/routes.ts";
import { threadRoutes } from "./threads.ts";
import { uploadRoutes } from "./uploads.ts";

const description = openRoute({
  method: "get",
  path: "/openapi.json",
  access: "open",
  summary: "This description",
  handle: async ({ request }) => ok({ body: describe(ROUTES, new URL(request.url).origin) }),
});

export const ROUTES: readonly Route[] = [
  ...metaRoutes,
  description,
  ...skillRoutes,
  ...messageRoutes,
  ...importRoutes,
  ...archiveRoutes,
  ...threadRoutes,
  ...attachmentRoutes,
  ...uploadRoutes,
  ...deliveryRoutes,
  ...linkRoutes,
  ...linkBearerRoutes,
  ...respondRoutes,
  ...inboxRoutes,
  ...householdRoutes,
  ...scheduleRoutes,
  ...configRoutes,
  ...secretRoutes,
  ...presenceRoutes,
  ...peopleRoutes,
  ...householdIndexRoutes,
  ...executorRoutes,
  ...slackRoutes,
  ...telegramRoutes,
  ...twilioRoutes,
];
