/**
 * Firing recurring requests: in one transaction a schedule moves on, the thread is opened, and its making is noted as
 * an errand. A firing that crashed is made good by the errand; one that comes twice finds the schedule moved on.
 */
import { sha256 } from "../../auth/hash.ts";
import { logDefect } from "../../log.ts";
import { asksOf } from "../../mess/routing/observations.ts";
import { isFinal, type Status } from "../../mess/status.ts";
import { writeTime } from "../../mess/times.ts";
import { firingMessage, nextOf, type Schedule } from "./schedule.ts";
import { takeTurn, type Turn } from "./rotation.ts";
import { openThreads, routed, routeNow } from "../threads/open-threads.ts";
import type { KeptSchedule } from "./schedules.ts";
import { mayAsk } from "../identity/effective-role.ts";
import type { Stores } from "../stores.ts";
import type { Opened } from "../../contracts/household.ts";

/** Schedules fired in one go; the alarm comes again for the rest. */
const AT_ONCE = 50;
/** Milliseconds until a schedule is tried again that failed. */
const REST = 3_600_000;
/** Firings that were missed are counted up to here. */
const MOST_COUNTED = 1_000;

/**
 * Fires what is due, each schedule in a transaction of its own: one that fails for a defect does not hold up the
 * others, and is tried again later.
 */
export async function fireSchedules(
  { storage }: Pick<DurableObjectState, "storage">,
  stores: Stores,
  now: number,
): Promise<void> {
  const due = stores.schedules.due(now, AT_ONCE);
  const asks = await digests(due);
  for (const { schedule } of due) {
    try {
      storage.transactionSync(() => {
        // What was changed meanwhile counts as it is now.
        const kept = stores.schedules.get(schedule.id);
        if (kept?.next != null && kept.next <= now) fire(stores, kept, asks, now);
      });
    } catch (error) {
      logDefect(error, { object: "household", schedule: schedule.id });
      stores.schedules.moveOn(schedule.id, now + REST);
    }
  }
}

/** Digests of what observations ask for, by that text: a digest cannot be had within a transaction. */
async function digests(due: readonly KeptSchedule[]): Promise<Map<string, string>> {
  const texts = due.flatMap(({ schedule }) => asksOf(schedule.request) ?? []);
  return new Map(await Promise.all(texts.map(async (text) => [text, await sha256(text)] as const)));
}

interface Missed {
  /** The instant for which it fires now: the newest that has come. */
  at: number;
  /** How many came before it, and never fired. */
  count: number;
}

function missedBy(schedule: Schedule, zone: string, first: number, now: number): Missed {
  let at = first;
  let count = 0;
  while (count < MOST_COUNTED) {
    const next = nextOf(schedule, zone, at);
    if (next === undefined || next > now) break;
    at = next;
    count++;
  }
  return { at, count };
}

function fire(
  stores: Stores,
  { schedule, next, last }: KeptSchedule,
  digestsOf: ReadonlyMap<string, string>,
  now: number,
): void {
  const { schedules, settings, catalogue, events, errands } = stores;
  const { id, by } = schedule;
  const zone = settings.zone();
  const { at, count } = missedBy(schedule, zone, next ?? now, now);
  schedules.moveOn(id, nextOf(schedule, zone, now));
  const note = (action: Parameters<typeof events.ofSchedule>[1], ref: string, said: string) =>
    events.ofSchedule(schedule, action, ref, said, now);

  if (!mayAsk(stores, by)) {
    schedules.put({ ...schedule, paused: true }, undefined, now);
    note("schedule_paused", last?.ref ?? "", `${by} may not ask here any more`);
    return;
  }
  if (schedule.skip_if_open && last && isOpen(catalogue.get(last.ref)?.status)) {
    note("schedule_skipped", last.ref, "the thread of the last firing is still open");
    return;
  }
  const message = firingMessage(schedule);
  const [block] = message.blocks;
  if (block?.type !== "request") throw new Error("a schedule holds a request");
  // No call has a key with spaces: nobody can take this one first.
  const key = `schedule ${id} ${at}`;
  const request = block.body;
  const asks = digestsOf.get(asksOf(request) ?? "");
  const wanted = { request, digest: key, ...(asks === undefined ? {} : { asks }) };
  const opened = openThreads(stores, { actor: by, key, requests: [wanted] }, now);
  if (!opened.ok) {
    note("schedule_skipped", last?.ref ?? "", opened.error.message);
    return;
  }
  const thread = opened.value[0]!;
  const turn = turnOf(stores, schedule, thread, last?.member, now);
  errands.add(
    thread.ref,
    thread.ref,
    {
      do: "create",
      input: {
        household: settings.household().id,
        ref: thread.ref,
        zone,
        requestor: by,
        channel: "schedule",
        message,
        blobs: [],
        digest: key,
        ...routed(stores, turn.route, by),
        ...(thread.blocked_by.length > 0 ? { blocked_by: thread.blocked_by } : {}),
      },
      ...(thread.joins && asks !== undefined ? { joins: { ...thread.joins, asks } } : {}),
    },
    now,
  );
  const { member } = turn;
  schedules.fired(id, { at, ref: thread.ref, ...(member === undefined ? {} : { member }) });
  if (count > 0)
    note("schedule_skipped", thread.ref, `${count} earlier firings were missed, and are left out`);
  const when = writeTime(at, schedule.time_zone ?? zone);
  note("schedule_fired", thread.ref, member === undefined ? when : `${when}, ${member}'s turn`);
}

/** What is partly done lies with the finished: it does not hold up the next. */
const isOpen = (status: Status | undefined): boolean =>
  status !== undefined && status !== "partial" && !isFinal(status);

/** Whose maker takes turns too can be asked for it, unlike with any other request. */
function turnOf(
  stores: Stores,
  { id, by, rotation, request }: Schedule,
  thread: Opened,
  last: string | undefined,
  now: number,
): Turn {
  if (!rotation) return { route: thread.route };
  const found = rotation.includes(by) ? routeNow(stores, request, now) : thread.route;
  return takeTurn(found, rotation, last, `its turn by schedule ${id}`);
}
