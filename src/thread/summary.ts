import { partitionOf } from "../mess/status.ts";
import { participantsOf } from "../mess/thread/state.ts";
import type { ThreadLog } from "./thread-log.ts";
import type { ThreadSummary } from "../contracts/thread.ts";

/** What the index and the household keep of the thread, as it is now. */
export function summaryOf(log: ThreadLog): ThreadSummary {
  const state = log.state();
  const { household, seq } = log.marks();
  return {
    household,
    ref: state.ref,
    client_id: state.client_id ?? null,
    seq,
    status: state.status,
    partition: partitionOf(state.status),
    requestor: state.requestor,
    executor: state.executor,
    participants: participantsOf(state),
    intent: state.intent,
    priority: state.priority,
    zone: state.zone,
    created: state.created,
    updated: state.updated,
    expires: state.expires ?? null,
    text: log.words(),
  };
}
