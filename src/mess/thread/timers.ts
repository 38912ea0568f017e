/**
 * What time alone does to a thread: the offer when it may begin, reminders, the next rung of the ladder, expiry, the
 * end of a lease, completion after a quiet response. Timers are not stored: they follow from the state, so none can be
 * lost or left over.
 */
import { isFinal } from "../status.ts";
import { holderOf, letGo } from "./claims.ts";
import type { Draft } from "./thread-change.ts";
import {
  awaited,
  climb,
  fitLadder,
  isManned,
  keepClock,
  offer,
  rungTime,
  tellOwners,
} from "./escalation.ts";
import { EXCHANGE } from "./policy.ts";
import { isUnclaimed, type ThreadState } from "./state.ts";
import { EXCHANGE_TRANSITIONS } from "./transitions.ts";
import {
  escalateUnanswered,
  escalationDue,
  keepUnanswered,
  remindRequestor,
  requestorReminderDue,
} from "./pending-answers.ts";

/** In the order in which they fire where several are due at the same instant. */
type Timer =
  | "expire"
  | "offer"
  | "nobody"
  | "remind"
  | "climb"
  | "complete"
  | "nudge"
  | "owed"
  | "unanswered"
  | "release";

/** Nobody is asked any more for what has expired by the time of the alarm, however late that is. */
const ASKING: readonly Timer[] = ["offer", "nobody", "remind", "climb"];

/** Where reminders are repeated they end after so many times of a rung. */
const MOST_REMINDERS = 30;

/** Every timer that runs in this state, with its instant. */
function timersOf(state: ThreadState): [Timer, number][] {
  if (isFinal(state.status)) return [];
  const may = EXCHANGE_TRANSITIONS[state.status];
  const timers: [Timer, number | undefined, boolean][] = [
    ["expire", state.expires, may.includes("expired") && expires(state)],
    ["offer", offerDue(state), true],
    ["nobody", state.created, state.status === "pending" && nobodyKnown(state)],
    ["remind", reminderDue(state), true],
    ["climb", climbDue(state), true],
    ["complete", state.completes_at, may.includes("completed")],
    ["nudge", nudgeDue(state), true],
    ["owed", requestorReminderDue(state), true],
    ["unanswered", escalationDue(state), true],
    ["release", state.lease_ends, may.includes("pending")],
  ];
  return timers.flatMap(([timer, due, allowed]): [Timer, number][] =>
    due !== undefined && allowed ? [[timer, due]] : [],
  );
}

/** Unclaimed threads expire, and those that wait or are held; never work in progress (decision 33). */
const expires = (state: ThreadState): boolean =>
  isUnclaimed(state) || state.status === "waiting" || state.status === "held";

function offerDue(state: ThreadState): number | undefined {
  if (state.offered || state.blocked_by.length > 0 || state.candidates.length === 0)
    return undefined;
  // A deferred thread may have been claimed early, and have failed since.
  const open = ["pending", "retrying"].includes(state.status) && state.executor === null;
  const { created, not_before = created, retry_at = created } = state;
  return open ? Math.max(not_before, retry_at) : undefined;
}

/** Nobody can be asked, and no owner knows it yet. */
const nobodyKnown = ({ candidates, executor, owner_told }: ThreadState): boolean =>
  candidates.length === 0 && executor === null && !owner_told;

/** At half of the rung's time; what is urgent again after each further rung's time, until it is acknowledged. */
function reminderDue(state: ThreadState): number | undefined {
  const { rung_since, reminded = 0, priority } = state;
  const most = priority === "urgent" ? MOST_REMINDERS : 1;
  if (rung_since === undefined || reminded >= most || awaited(state).length === 0) return undefined;
  return rung_since + rungTime(state) / 2 + reminded * rungTime(state);
}

/** At the end of the rung's time, or at once where nobody is left on it and somebody else is, or nobody at all. */
function climbDue(state: ThreadState): number | undefined {
  const { rung_since, owner_told } = state;
  if (rung_since === undefined || owner_told || state.candidates.length === 0) return undefined;
  const waits = awaited(state).length > 0 && isManned(state);
  return waits ? rung_since + rungTime(state) : state.created;
}

/** A person who holds it is reminded when three quarters of the lease have passed. */
function nudgeDue(state: ThreadState): number | undefined {
  if (state.lease_ends === undefined || state.lease_reminded) return undefined;
  const { kind, lease } = holderOf(state);
  return kind === "person" ? state.lease_ends - lease * 250 : undefined;
}

/** The instant at which the thread next changes by itself, or undefined. */
export const nextTimer = (state: ThreadState): number | undefined =>
  timersOf(state)
    .map(([, due]) => due)
    .toSorted((a, b) => a - b)[0];

/** Fires what is due at the draft's `now`, earliest first, until nothing is. */
export function fireTimers(draft: Draft): void {
  const { state, now } = draft;
  fitLadder(state);
  for (;;) {
    keepClock(state, now);
    keepUnanswered(state, now);
    const due = timersOf(state).filter(([, instant]) => instant <= now);
    const expired = due.some(([timer]) => timer === "expire");
    const [first] = due
      .filter(([timer]) => !expired || !ASKING.includes(timer))
      .toSorted(([, a], [, b]) => a - b);
    if (!first) return;
    FIRE[first[0]](draft);
  }
}

const FIRE: Readonly<Record<Timer, (draft: Draft) => void>> = {
  offer(draft) {
    const { lost_by, status } = draft.state;
    offer(draft, lost_by, status === "retrying" ? "another attempt" : undefined);
  },
  nobody(draft) {
    tellOwners(draft, "nobody can be asked");
  },
  remind(draft) {
    const { state, now } = draft;
    const to = awaited(state).map(({ id }) => id);
    const since = now - (state.rung_since ?? now) - rungTime(state) / 2;
    // However late it comes, it is one reminder.
    state.reminded = Math.min(MOST_REMINDERS, Math.floor(since / rungTime(state)) + 1);
    draft.log("reminded", EXCHANGE, undefined, to.join(", "));
    draft.tell("reminder", to, "nobody has taken it yet");
    if (state.owner_told) draft.tell("alert", [], "still nobody has taken it", { again: true });
  },
  climb,
  nudge(draft) {
    const { state, now } = draft;
    const holder = state.executor ?? "";
    state.lease_reminded = true;
    // With the lease the reason to remind is gone too.
    if (now >= (state.lease_ends ?? now)) return;
    draft.log("reminded", EXCHANGE, undefined, holder);
    draft.tell("reminder", [holder], "it is yours, and nothing was heard for long");
  },
  expire(draft) {
    const { state } = draft;
    const stage = state.status;
    letGo(state);
    draft.exchangeMoves("expired", "not done in time", { expired_at: draft.time, stage });
  },
  release(draft) {
    const { state } = draft;
    const holder = state.executor ?? "";
    letGo(state);
    draft.log("released", EXCHANGE, undefined, `nothing heard from ${holder}`);
    draft.exchangeMoves("pending", `${holder} was not heard of; open to every candidate again`);
    offer(draft, holder, `nothing was heard from ${holder}`);
  },
  owed: remindRequestor,
  unanswered: escalateUnanswered,
  complete(draft) {
    delete draft.state.completes_at;
    delete draft.state.lease_ends;
    draft.exchangeMoves("completed", "completed by its response");
  },
};
