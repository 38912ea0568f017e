/** Reads from a thread's envelope to whom the thread was offered. */
import type { Envelope } from "../../../mess/envelope.ts";

/** The envelope's `dispatched` rows list who was notified. */
const OFFER_NOTE_PREFIX = "offered to ";

/**
 * Members with an offer since the thread was last offered again, from the exchange's own history; undefined if there
 * are none.
 */
export function listOffered({ history }: Envelope): string | undefined {
  const offers = history.filter(
    ({ action, by, note }) =>
      ["dispatched", "escalated"].includes(action) &&
      by === "exchange" &&
      note?.startsWith(OFFER_NOTE_PREFIX),
  );
  const first = offers.findLastIndex(({ action }) => action === "dispatched");
  const names = offers
    .slice(Math.max(first, 0))
    .map(({ note }) => note?.slice(OFFER_NOTE_PREFIX.length));
  return names.length === 0 ? undefined : names.join(", ");
}
