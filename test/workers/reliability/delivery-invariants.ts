/** Invariants of deliveries after a schedule: written with their change, sent at least once, recorded. */
import { runInDurableObject } from "cloudflare:test";
import type { NoticeRecorder } from "../deliveries/support.ts";
import { getHouseholdObject, getThreadObject } from "./real-bindings.ts";
import type { ReliabilityHousehold } from "./reliability-household.ts";
import { createThreadTables } from "../../../src/thread/migrations.ts";
import { ThreadLog } from "../../../src/thread/thread-log.ts";

type Row = { id: string; executor: string; kind: string; state: string };

/** Statuses to which a message before a late alarm may change a thread that was just offered. */
const NOTHING_LEFT: readonly string[] = ["claimed", "cancelled"];

/** @param threads refs of the schedule's threads; only Ann has a channel */
export async function listDeliveryViolations(
  { id: household }: ReliabilityHousehold,
  threads: readonly string[],
  recorder: NoticeRecorder,
): Promise<string[]> {
  const violations: string[] = [];
  const gone = await listEndedSince(household);
  for (const ref of threads) {
    const { rows, history } = await runInDurableObject(
      getThreadObject(household, ref),
      (_, { storage: { sql } }) => ({
        rows: createThreadTables(sql).run<Row>(
          "deliveries",
          "SELECT id, executor, kind, state FROM deliveries",
        ),
        history: new ThreadLog(sql, createThreadTables(sql)).readHistory(),
      }),
    );
    const offered = history.filter(({ note }) => /^offered to .*\bann\b/.test(note ?? ""));
    const offers = rows.filter(({ kind, executor }) => kind === "offer" && executor === "ann");
    // No row is needed for a member whose address no longer exists, or who cannot claim the thread after the change.
    const reached = offered.filter(
      ({ at }) =>
        Date.parse(at) < gone &&
        !history.some((one) => one.at === at && NOTHING_LEFT.includes(one.action)),
    );
    if (offers.length > offered.length || offers.length < reached.length)
      violations.push(
        `${ref} was offered to ann ${offered.length} times, in ${offers.length} rows`,
      );
    const notified = history.filter(({ note }) => note === "notified ann via ntfy");
    const arrived = offers.filter(({ state }) => state === "delivered");
    if (notified.length !== arrived.length)
      violations.push(
        `torn: ${arrived.length} offers of ${ref} arrived, ${notified.length} receipts`,
      );
    for (const { id, state } of rows) {
      const sent = recorder.notices.some(({ notice }) => notice.id === id);
      if (state === "due") violations.push(`not sent: ${id} of ${ref}`);
      if (state === "delivered" && !sent) violations.push(`nobody took: ${id} of ${ref}`);
    }
    for (const { notice } of recorder.notices)
      if (notice.ref === ref && rows.every(({ id }) => id !== notice.id))
        violations.push(`lost: ${notice.id} of ${ref} was sent`);
  }
  return violations;
}

/** The time at which the household recorded that Ann's address no longer exists. */
async function listEndedSince(household: string): Promise<number> {
  const [row] = await runInDurableObject(getHouseholdObject(household), (_, { storage: { sql } }) =>
    sql
      .exec<{ at: number }>("SELECT at FROM events WHERE action = 'channel_gone' ORDER BY cursor")
      .toArray(),
  );
  return row?.at ?? Infinity;
}
