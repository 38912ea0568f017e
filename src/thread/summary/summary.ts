import { getPartition } from "../../mess/status.ts";
import { listOpenSuggestions, listParticipants } from "../../mess/thread/state.ts";
import type { ThreadLog } from "../thread-log.ts";
import type { ThreadSummary } from "../../contracts/thread.ts";

/** The fields of a thread that the index and the household store. */
export function buildSummary(log: ThreadLog): ThreadSummary {
  const state = log.readState();
  const { household, seq } = log.getSyncState();
  const suggestions = listOpenSuggestions(state);
  return {
    household,
    ref: state.ref,
    client_id: state.client_id ?? null,
    seq,
    status: state.status,
    partition: getPartition(state.status),
    requestor: state.requestor,
    executor: state.executor,
    participants: listParticipants(state),
    intent: state.intent,
    priority: state.priority,
    zone: state.zone,
    created: state.created,
    updated: state.updated,
    expires: state.expires ?? null,
    text: log.getSearchText(),
    ...(suggestions.length > 0
      ? { suggestions: suggestions.map(({ id, made_in }) => [id, made_in] as const) }
      : {}),
  };
}
