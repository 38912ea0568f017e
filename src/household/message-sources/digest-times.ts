/** When the next digest of messages is due. */
import { DEFAULT_DIGEST_TIMES } from "../../mess/config/messages.ts";
import { getNextFiring } from "../schedules/cron.ts";
import type { Stores } from "../stores.ts";

/**
 * The first time for a digest, on the household's clock, after the oldest notice was posted that waits for one. Nothing
 * waits: undefined.
 */
export function getNextDigest({ messageNotices, settings }: Stores): number | undefined {
  const since = messageNotices.getPendingSince();
  if (since === undefined) return undefined;
  const times = (settings.getMessages()["digest"] ?? DEFAULT_DIGEST_TIMES) as readonly string[];
  const zone = settings.getZone();
  const instants = times.flatMap((time) => {
    const [hour, minute] = time.split(":").map(Number);
    return getNextFiring(`${minute} ${hour} * * *`, zone, since) ?? [];
  });
  if (instants.length === 0) return undefined;
  return Math.max(Math.min(...instants), settings.get("digest_after") ?? 0);
}
