/** The Worker's entry: requests go to the app, and the two kinds of object are named here. */
import { createApp } from "./app.ts";

export { HouseholdObject } from "./household/object.ts";
export { ThreadObject } from "./thread/object.ts";

const app = createApp();

export default {
  fetch: (request, env, ctx) => app.fetch(request, env, ctx),
} satisfies ExportedHandler<Env>;
