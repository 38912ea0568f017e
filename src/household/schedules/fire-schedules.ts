/**
 * Firing recurring requests: in one transaction a schedule moves on, the thread is opened, and its making is added
 * as a job. A firing that crashed is completed by the job; one that comes twice finds the schedule moved on.
 */
import { sha256 } from "../../auth/hash.ts";
import { logDefect } from "../../log.ts";
import { buildObservationText } from "../../mess/routing/observations.ts";
import { isFinal, type Status } from "../../mess/status.ts";
import { writeTime } from "../../mess/times.ts";
import { buildFiringMessage, getNextRun, type Schedule } from "./schedule.ts";
import { takeTurn, type Turn } from "./rotation.ts";
import { openThreads, buildOpenedRoute, computeRoute } from "../threads/open-threads.ts";
import type { StoredSchedule } from "./schedules.ts";
import { canMakeRequests } from "../identity/effective-role.ts";
import type { Stores } from "../stores.ts";
import type { OpenedThread } from "../../contracts/household.ts";

/** Schedules fired in one go; the alarm comes again for the rest. */
const MAX_SCHEDULES_PER_RUN = 50;
/** Milliseconds until a schedule is tried again that failed. */
const RETRY_MS = 3_600_000;
/** Firings that were missed are counted up to here. */
const MAX_COUNTED_MISSES = 1_000;

/**
 * Fires what is due, each schedule in a transaction of its own: one that fails for a defect does not hold up the
 * others, and is tried again later.
 */
export async function fireSchedules(
  { storage }: Pick<DurableObjectState, "storage">,
  stores: Stores,
  now: number,
): Promise<void> {
  const due = stores.schedules.listDue(now, MAX_SCHEDULES_PER_RUN);
  const digestByText = await computeDigests(due);
  for (const { schedule } of due) {
    try {
      storage.transactionSync(() => {
        // What was changed meanwhile counts as it is now.
        const stored = stores.schedules.get(schedule.id);
        if (stored?.next != null && stored.next <= now)
          fireSchedule(stores, stored, digestByText, now);
      });
    } catch (error) {
      logDefect(error, { object: "household", schedule: schedule.id });
      stores.schedules.setNext(schedule.id, now + RETRY_MS);
    }
  }
}

/** Digests of what observations ask for, by that text: a digest cannot be had within a transaction. */
async function computeDigests(due: readonly StoredSchedule[]): Promise<Map<string, string>> {
  const texts = due.flatMap(({ schedule }) => buildObservationText(schedule.request) ?? []);
  return new Map(await Promise.all(texts.map(async (text) => [text, await sha256(text)] as const)));
}

interface Missed {
  /** The instant for which it fires now: the newest that has come. */
  at: number;
  /** How many came before it, and never fired. */
  count: number;
}

function countMissed(schedule: Schedule, zone: string, first: number, now: number): Missed {
  let at = first;
  let count = 0;
  while (count < MAX_COUNTED_MISSES) {
    const next = getNextRun(schedule, zone, at);
    if (next === undefined || next > now) break;
    at = next;
    count++;
  }
  return { at, count };
}

function fireSchedule(
  stores: Stores,
  { schedule, next, last }: StoredSchedule,
  digestByText: ReadonlyMap<string, string>,
  now: number,
): void {
  const { schedules, settings, threadCatalog, events, jobs } = stores;
  const { id, by } = schedule;
  const zone = settings.getZone();
  const { at, count } = countMissed(schedule, zone, next ?? now, now);
  schedules.setNext(id, getNextRun(schedule, zone, now));
  const note = (
    action: Parameters<typeof events.appendScheduleEvent>[1],
    ref: string,
    text: string,
  ) => events.appendScheduleEvent(schedule, action, ref, text, now);

  if (!canMakeRequests(stores, by)) {
    schedules.put({ ...schedule, paused: true }, undefined, now);
    note("schedule_paused", last?.ref ?? "", `${by} may not ask here any more`);
    return;
  }
  if (schedule.skip_if_open && last && isOpenStatus(threadCatalog.get(last.ref)?.status)) {
    note("schedule_skipped", last.ref, "the thread of the last firing is still open");
    return;
  }
  const message = buildFiringMessage(schedule);
  const [block] = message.blocks;
  if (block?.type !== "request") throw new Error("a schedule holds a request");
  // No call has a key with spaces: nobody can take this one first.
  const key = `schedule ${id} ${at}`;
  const request = block.body;
  const observationDigest = digestByText.get(buildObservationText(request) ?? "");
  const input = {
    request,
    digest: key,
    ...(observationDigest === undefined ? {} : { observationDigest }),
  };
  const opened = openThreads(stores, { actor: by, key, requests: [input] }, now);
  if (!opened.ok) {
    note("schedule_skipped", last?.ref ?? "", opened.error.message);
    return;
  }
  const thread = opened.value[0]!;
  const turn = takeNextTurn(stores, schedule, thread, last?.member, now);
  jobs.add(
    "create",
    thread.ref,
    {
      ref: thread.ref,
      input: {
        household: settings.getHousehold().id,
        ref: thread.ref,
        zone,
        requestor: by,
        channel: "schedule",
        message,
        blobs: [],
        digest: key,
        ...buildOpenedRoute(stores, turn.route, by),
        ...(thread.blocked_by.length > 0 ? { blocked_by: thread.blocked_by } : {}),
      },
      ...(thread.joins && observationDigest !== undefined
        ? { joins: { ...thread.joins, asks: observationDigest } }
        : {}),
    },
    now,
  );
  const { member } = turn;
  schedules.recordFiring(id, { at, ref: thread.ref, ...(member === undefined ? {} : { member }) });
  if (count > 0)
    note("schedule_skipped", thread.ref, `${count} earlier firings were missed, and are left out`);
  const when = writeTime(at, schedule.time_zone ?? zone);
  note("schedule_fired", thread.ref, member === undefined ? when : `${when}, ${member}'s turn`);
}

/** What is partly done lies with the finished: it does not hold up the next. */
const isOpenStatus = (status: Status | undefined): boolean =>
  status !== undefined && status !== "partial" && !isFinal(status);

/** Whose maker takes turns too can be asked for it, unlike with any other request. */
function takeNextTurn(
  stores: Stores,
  { id, by, rotation, request }: Schedule,
  thread: OpenedThread,
  last: string | undefined,
  now: number,
): Turn {
  if (!rotation) return { route: thread.route };
  const found = rotation.includes(by) ? computeRoute(stores, request, now) : thread.route;
  return takeTurn(found, rotation, last, `its turn by schedule ${id}`);
}
