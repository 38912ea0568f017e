/** Whether a delivery still says something that its member should hear. Pure. */
import { isFinal } from "../mess/status.ts";
import { getTier } from "../mess/thread/escalation.ts";
import type { ThreadState } from "../mess/thread/state.ts";
import type { Delivery } from "./delivery.ts";

/** Why it is of no use any more, in words for the list of deliveries; undefined where it is. */
export function getDropReason(
  {
    kind,
    executor,
    event,
    handle,
  }: Pick<Delivery, "kind" | "executor" | "event"> & Partial<Pick<Delivery, "handle">>,
  state: ThreadState,
): string | undefined {
  const candidate = state.candidates.find(({ id }) => id === executor);
  const ended = isFinal(state.status) ? `the thread is ${state.status}` : undefined;
  switch (kind) {
    case "update":
      return undefined;
    case "news":
      if (event?.what === "unanswered" && !state.unanswered) return "it is answered";
      return candidate?.declined && state.executor !== executor ? "it declined" : undefined;
    case "alert":
      // What was sent is edited whatever became of it.
      if (handle) return undefined;
      // That a member cannot be reached matters beyond this thread; how it ended, after its end.
      if (event?.what === "unreachable" || event?.what === "ended") return undefined;
      if (event?.what === "unanswered") return state.unanswered ? undefined : "it is answered";
      return ended ?? (state.executor === null ? undefined : "somebody has taken the thread");
    case "reminder":
      if (state.executor === executor) return ended;
      break;
    case "offer":
      if (state.executor === executor) return "it has taken the thread";
      break;
  }
  if (ended !== undefined) return ended;
  if (state.executor !== null) return "somebody else has taken the thread";
  if (candidate === undefined) return "it is offered to others now";
  if (candidate.declined) return "it declined";
  if (state.rung !== undefined && getTier(candidate) > state.rung) return "others are asked first";
  return state.soft_claim === executor ? "it has asked about it already" : undefined;
}
