/** Starts a local push service. */
import { createPushService } from "../channels/push.ts";
import { serveLocally } from "./serve.ts";

export async function startPushService() {
  const service = createPushService();
  const { origin, stop } = await serveLocally(service.handle);
  service.movedTo(origin);
  return { ...service, origin, stop };
}
