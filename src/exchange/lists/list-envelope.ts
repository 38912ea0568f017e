import { defined } from "../../mess/defined.ts";
import type { Envelope } from "../../mess/envelope.ts";
import { writeTime } from "../../mess/times.ts";
import type { ListedThread } from "../../partitions/list.ts";

/** Converts a row of the index to an envelope without history, as lists show it. */
export function toListedEnvelope(row: ListedThread): Omit<Envelope, "history"> {
  const { zone } = row;
  return {
    ref: row.ref,
    ...defined({ client_id: row.client_id ?? undefined }),
    requestor: row.requestor,
    executor: row.executor,
    status: row.status,
    created: writeTime(row.created, zone),
    updated: writeTime(row.updated, zone),
    ...(row.expires === null ? {} : { expires: writeTime(row.expires, zone) }),
    intent: row.intent,
    priority: row.priority,
  };
}
