/** The Worker's entry: requests go to the app, mails to their ingress, and the two kinds of object are named here. */
import { createApp } from "./app.ts";
import { receiveEmail } from "./ingress/email/receive-email.ts";

export { HouseholdObject } from "./household/object.ts";
export { ThreadObject } from "./thread/object.ts";

const app = createApp();

export default {
  fetch: (request, env, ctx) => app.fetch(request, env, ctx),
  email: (message, env) => receiveEmail(message, env),
} satisfies ExportedHandler<Env>;
