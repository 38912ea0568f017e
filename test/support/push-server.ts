/** The push service on a port of this machine. */
import { pushService } from "./push.ts";
import { serveLocally } from "./serve.ts";

export async function startPushService() {
  const service = pushService();
  const { origin, stop } = await serveLocally(service.handle);
  service.movedTo(origin);
  return { ...service, origin, stop };
}
