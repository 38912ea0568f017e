/**
 * What time alone does to a thread: the offer when it may begin, expiry, the end of a lease, completion after a
 * quiet response. Timers are not stored: they follow from the state, so none can be lost or left over.
 */
import { isFinal } from "../status.ts";
import { letGo } from "./claims.ts";
import type { Draft } from "./draft.ts";
import { EXCHANGE } from "./policy.ts";
import { isUnclaimed, type ThreadState } from "./state.ts";
import { EXCHANGE_TRANSITIONS } from "./transitions.ts";

type Timer = "offer" | "expire" | "release" | "complete";

/** Every timer that runs in this state, with its instant. */
function timersOf(state: ThreadState): [Timer, number][] {
  if (isFinal(state.status)) return [];
  const may = EXCHANGE_TRANSITIONS[state.status];
  const timers: [Timer, number | undefined, boolean][] = [
    ["offer", offerDue(state), true],
    ["expire", state.expires, may.includes("expired") && expires(state)],
    ["complete", state.completes_at, may.includes("completed")],
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
  return state.status === "pending" ? (state.not_before ?? state.created) : undefined;
}

/** The instant at which the thread next changes by itself, or undefined. */
export const nextTimer = (state: ThreadState): number | undefined =>
  timersOf(state)
    .map(([, due]) => due)
    .toSorted((a, b) => a - b)[0];

/** Fires what is due at the draft's `now`, earliest first, until nothing is. */
export function fireTimers(draft: Draft): void {
  for (;;) {
    const [first] = timersOf(draft.state)
      .filter(([, due]) => due <= draft.now)
      .toSorted(([, a], [, b]) => a - b);
    if (!first) return;
    FIRE[first[0]](draft);
  }
}

const FIRE: Readonly<Record<Timer, (draft: Draft) => void>> = {
  offer(draft) {
    draft.state.offered = true;
    const names = draft.state.candidates.map(({ id }) => id).join(", ");
    draft.log("dispatched", EXCHANGE, undefined, `offered to ${names}`);
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
  },
  complete(draft) {
    delete draft.state.completes_at;
    delete draft.state.lease_ends;
    draft.exchangeMoves("completed", "completed by its response");
  },
};
