/** What must be true of deliveries once a schedule is over: written with their change, sent at least once, recorded. */
import { runInDurableObject } from "cloudflare:test";
import type { HistoryEntry } from "../../../src/mess/envelope.ts";
import type { PostOffice } from "../deliveries/support.ts";
import { threadObject } from "./bindings.ts";
import type { Home } from "./home.ts";

type Row = { id: string; executor: string; kind: string; state: string };

/** @param threads refs of the schedule's threads; Ann is the only one with a channel */
export async function faultsOfDeliveries(
  { id: household }: Home,
  threads: readonly string[],
  post: PostOffice,
): Promise<string[]> {
  const faults: string[] = [];
  for (const ref of threads) {
    const { rows, history } = await runInDurableObject(
      threadObject(household, ref),
      (_, { storage: { sql } }) => ({
        rows: sql.exec<Row>("SELECT id, executor, kind, state FROM deliveries").toArray(),
        history: sql
          .exec<{ entry: string }>("SELECT entry FROM history")
          .toArray()
          .map(({ entry }) => JSON.parse(entry) as HistoryEntry),
      }),
    );
    const offered = history.filter(({ note }) => /^offered to .*\bann\b/.test(note ?? ""));
    const offers = rows.filter(({ kind, executor }) => kind === "offer" && executor === "ann");
    if (offers.length !== offered.length)
      faults.push(`${ref} was offered to ann ${offered.length} times, in ${offers.length} rows`);
    const notified = history.filter(({ note }) => note === "notified ann via ntfy");
    const arrived = offers.filter(({ state }) => state === "delivered");
    if (notified.length !== arrived.length)
      faults.push(`torn: ${arrived.length} offers of ${ref} arrived, ${notified.length} receipts`);
    for (const { id, state } of rows) {
      const sent = post.letters.some(({ notice }) => notice.id === id);
      if (state === "due") faults.push(`not sent: ${id} of ${ref}`);
      if (state === "delivered" && !sent) faults.push(`nobody took: ${id} of ${ref}`);
    }
    for (const { notice } of post.letters)
      if (notice.ref === ref && rows.every(({ id }) => id !== notice.id))
        faults.push(`lost: ${notice.id} of ${ref} was sent`);
  }
  return faults;
}
