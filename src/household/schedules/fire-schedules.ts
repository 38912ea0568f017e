/**
 * Fires schedules. One transaction advances the schedule, opens the thread and adds the job that creates it. After a
 * crash the job completes the firing; a repeated firing finds the schedule already advanced.
 */
import { defined } from "../../mess/defined.ts";
import { hashSha256 } from "../../auth/hash.ts";
import { logDefect } from "../../log.ts";
import { buildObservationText } from "../../mess/routing/observations.ts";
import { isFinal, type Status } from "../../mess/status.ts";
import { writeTime } from "../../mess/times.ts";
import { buildFiringMessage, getNextRun, type Schedule } from "./schedule.ts";
import { takeTurn, type Turn } from "./rotation.ts";
import { resolveStoredReferences } from "../threads/context-references.ts";
import { toViewer } from "../identity/effective-role.ts";
import { openThreads, buildOpenedRoute, computeRoute } from "../threads/open-threads.ts";
import type { StoredSchedule } from "./schedules.ts";
import { canMakeRequests } from "../identity/effective-role.ts";
import type { Stores } from "../stores.ts";
import type { OpenedThread } from "../../contracts/household-threads.ts";

/** Schedules fired per alarm; another alarm is set for the rest. */
const MAX_SCHEDULES_PER_RUN = 50;
/** Delay before a schedule is tried again whose firing failed. */
const RETRY_MS = 3_600_000;
/** Missed firings are counted up to this number. */
const MAX_COUNTED_MISSES = 1_000;

/**
 * Fires the schedules that are due, each in its own transaction: one that fails because of a defect does not delay the
 * others, and is tried again later.
 */
export async function fireSchedules(
  storage: Pick<DurableObjectStorage, "transactionSync">,
  stores: Stores,
  now: number,
): Promise<void> {
  const due = stores.schedules.listDue(now, MAX_SCHEDULES_PER_RUN);
  const digestByText = await computeDigests(due);
  for (const { schedule } of due) {
    try {
      storage.transactionSync(() => {
        // The schedule may have been changed or deleted in the meantime.
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

/** Digests of observations, by their text. Computed before the transaction, since a digest is asynchronous. */
async function computeDigests(due: readonly StoredSchedule[]): Promise<Map<string, string>> {
  const texts = due.flatMap(({ schedule }) => buildObservationText(schedule.request) ?? []);
  return new Map(
    await Promise.all(texts.map(async (text) => [text, await hashSha256(text)] as const)),
  );
}

interface MissedFirings {
  /** The instant for which the schedule fires now: the latest one that has passed. */
  at: number;
  /** Number of earlier firings that were missed. */
  count: number;
}

function countMissed(schedule: Schedule, zone: string, first: number, now: number): MissedFirings {
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
    note("schedule_paused", last?.ref ?? "", `${by} may no longer create requests`);
    return;
  }
  if (schedule.skip_if_open && last && isOpenStatus(threadCatalog.get(last.ref)?.status)) {
    note("schedule_skipped", last.ref, "the thread of the previous firing is still open");
    return;
  }
  const message = buildFiringMessage(schedule);
  const [block] = message.blocks;
  if (block?.type !== "request") throw new Error("a schedule holds a request");
  // Keys of calls contain no spaces, so no caller can use this key first.
  const key = `schedule ${id} ${at}`;
  const viewer = toViewer(stores, by, schedule.role ?? "agent");
  const resolved = resolveStoredReferences(stores, { viewers: [viewer], granted: [] }, block.body);
  const { request, references } = resolved;
  const observationDigest = digestByText.get(buildObservationText(request) ?? "");
  const input = {
    request,
    digest: key,
    references,
    ...defined({ observationDigest }),
  };
  const opened = openThreads(stores, { ...viewer, key, requests: [input] }, now);
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
        message: { ...message, blocks: [{ type: "request", body: request }] },
        blobs: [],
        ...(references.length > 0 ? { references } : {}),
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
  schedules.recordFiring(id, { at, ref: thread.ref, ...defined({ member }) });
  if (count > 0)
    note("schedule_skipped", thread.ref, `${count} earlier firings were missed and are skipped`);
  const firingTime = writeTime(at, schedule.time_zone ?? zone);
  note(
    "schedule_fired",
    thread.ref,
    member === undefined ? firingTime : `${firingTime}, ${member}'s turn`,
  );
}

/** A thread with a partial result counts as finished here, so it does not block the next firing. */
const isOpenStatus = (status: Status | undefined): boolean =>
  status !== undefined && status !== "partial" && !isFinal(status);

/** Unlike in other requests, the requestor itself is a candidate if it is a member of the rotation. */
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
