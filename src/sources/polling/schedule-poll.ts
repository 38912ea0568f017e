/** When a source is polled: often while somebody waits, seldom otherwise, and later after failures. */
import { exponential } from "../../object/retry.ts";
import { findSourceKind } from "../../source-kinds/registry.ts";
import type { PollTime } from "../../source-kinds/source-kind.ts";
import type { SourceStore } from "../tables/source-store.ts";

const QUEUE = "poll";

/** After the last call that waits for messages, since agents call again and again. */
const AWAITED_MS = 3 * 60_000;
const DEFAULT_INTERVAL_MS = { waiting: 60_000, idle: 15 * 60_000 };
const getFailureDelayMs = exponential(30_000, 3_600_000);

/** Adds the job inside the caller's transaction, or changes when it is due. */
const putPoll = ({ jobs }: SourceStore, due: number): void => jobs.put("poll", QUEUE, {}, due);

/** An earlier poll stays, and finds the time of the next one. */
export function pollAtLatest(store: SourceStore, at: number): void {
  const due = store.jobs.getDue(QUEUE);
  if (due === undefined || due > at) putPoll(store, at);
}

/** The source is new, connected again, or has other settings: polls at once, whatever failed before. */
export function resumePolling(store: SourceStore, now: number): void {
  const { kind, status } = store.get();
  if (!findSourceKind(kind)?.poll || status === "disconnected") return;
  store.polls.recordAttempt(0, 0);
  store.problems.clear("receiving");
  putPoll(store, now);
}

/** Somebody waits for messages: polls as soon as the interval for that allows. Failed polls keep their delay. */
export function hastenPoll(store: SourceStore, now: number, awaitedMs: number = AWAITED_MS): void {
  const { pollIntervalMs: interval = DEFAULT_INTERVAL_MS, setsPollTime = false } =
    findSourceKind(store.get().kind) ?? {};
  if (setsPollTime) return;
  const { attempted_at, failures } = store.polls.get();
  if (!store.jobs.isPending(QUEUE)) return;
  store.polls.setAwaited(now + awaitedMs);
  if (failures === 0) putPoll(store, Math.max(now, attempted_at + interval.waiting));
}

/**
 * @param isAwaited somebody has a connection open
 * @param pollAt when the kind wants to be polled; undefined: after its interval
 */
export function scheduleNext(
  store: SourceStore,
  {
    startedAt,
    now,
    isAwaited,
    more,
    pollAt,
  }: PollEnd & { more: boolean; pollAt: PollTime | undefined },
): void {
  const { pollIntervalMs: interval = DEFAULT_INTERVAL_MS } = findSourceKind(store.get().kind) ?? {};
  const isOften = isAwaited || store.polls.get().awaited_until > now;
  store.polls.recordAttempt(startedAt, 0);
  store.problems.clear("receiving");
  if (!more && pollAt === null) return;
  putPoll(store, more ? now : (pollAt ?? startedAt + (isOften ? interval.waiting : interval.idle)));
}

export interface PollEnd {
  /** Milliseconds since 1970. */
  startedAt: number;
  now: number;
  isAwaited: boolean;
}

/** Shows the failure in the status. A permanent one ends polling until the household sends other settings. */
export function recordFailure(
  store: SourceStore,
  failure: { reason: string; retryAfterSeconds?: number; isPermanent?: true },
  { startedAt, now }: Pick<PollEnd, "startedAt" | "now">,
): void {
  const failures = store.polls.get().failures + 1;
  store.polls.recordAttempt(startedAt, failures);
  store.problems.set("receiving", failure.reason, now);
  if (failure.isPermanent) return;
  const delay = Math.max(
    getFailureDelayMs(failures) ?? 0,
    (failure.retryAfterSeconds ?? 0) * 1_000,
  );
  putPoll(store, now + delay);
}
