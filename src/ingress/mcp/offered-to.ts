/** Whom a thread was offered to, as its envelope tells. */
import type { Envelope } from "../../mess/envelope.ts";

/** Beside it `dispatched` rows say who was notified. */
const OFFER_NOTE_PREFIX = "offered to ";

/** Who was asked since it was last offered anew, by the exchange's own notes; undefined where nobody was yet. */
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
