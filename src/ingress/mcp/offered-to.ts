/** Whom a thread was offered to, as its envelope tells. */
import type { Envelope } from "../../mess/envelope.ts";

/** Beside it `dispatched` rows say who was notified. */
const OFFERED = "offered to ";

/** Who was asked since it was last offered anew, by the exchange's own notes; undefined where nobody was yet. */
export function askedOf({ history }: Envelope): string | undefined {
  const offers = history.filter(
    ({ action, by, note }) =>
      ["dispatched", "escalated"].includes(action) &&
      by === "exchange" &&
      note?.startsWith(OFFERED),
  );
  const first = offers.findLastIndex(({ action }) => action === "dispatched");
  const asked = offers.slice(Math.max(first, 0)).map(({ note }) => note?.slice(OFFERED.length));
  return asked.length === 0 ? undefined : asked.join(", ");
}
