import { defined } from "../defined.ts";
import type { Envelope, HistoryEntry } from "../envelope.ts";
import type { JsonMap } from "../json.ts";
import { writeTime } from "../times.ts";
import type { ThreadState } from "./state.ts";

/**
 * Builds the envelope of a thread, document 1 of its file (protocol §13.2).
 * @param extra JSON of the unknown keys of an imported envelope (decision 37)
 */
export function buildEnvelope(
  state: ThreadState,
  history: readonly HistoryEntry[],
  extra?: string,
): Envelope {
  const { zone } = state;
  return {
    ref: state.ref,
    ...defined({ client_id: state.client_id }),
    requestor: state.requestor,
    executor: state.executor,
    status: state.status,
    created: writeTime(state.created, zone),
    updated: writeTime(state.updated, zone),
    ...(state.expires === undefined ? {} : { expires: writeTime(state.expires, zone) }),
    intent: state.intent,
    priority: state.priority,
    ...defined({ batch: state.batch }),
    ...(state.blocked_by.length === 0 ? {} : { blocked_by: state.blocked_by }),
    ...defined({ superseded_by: state.superseded_by, delegated_to: state.delegated_to }),
    history: [...history],
    ...(extra === undefined ? {} : { extra: JSON.parse(extra) as JsonMap }),
  };
}
