/** Whether a delivery is still relevant for its member. Pure. */
import { isFinal } from "../mess/status.ts";
import { getStep } from "../mess/thread/escalation.ts";
import type { ThreadState } from "../mess/thread/state.ts";
import type { Delivery } from "./delivery.ts";

/** Why the delivery is no longer relevant, as shown in the list of deliveries; undefined while it is. */
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
      // Messages that were sent are edited until the end.
      if (handle) return undefined;
      // Alerts about an unreachable member and about the end of the thread stay relevant after the end.
      if (event?.what === "unreachable" || event?.what === "ended") return undefined;
      if (event?.what === "unanswered") return state.unanswered ? undefined : "it is answered";
      return ended ?? (state.executor === null ? undefined : "somebody has taken the thread");
    case "reminder":
      if (state.executor === executor) return ended;
      break;
    case "offer":
      if (state.executor === executor) return "the member has taken the thread";
      break;
  }
  if (ended !== undefined) return ended;
  if (state.executor !== null) return "another member has taken the thread";
  if (candidate === undefined) return "the member is no longer a candidate";
  if (candidate.declined) return "it declined";
  if (state.rung !== undefined && getStep(candidate) > state.rung)
    return "other candidates come first";
  return state.soft_claim === executor ? "the member has asked a question about it" : undefined;
}
