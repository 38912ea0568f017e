import type { Envelope } from "../mess/envelope.ts";
import { writeTime } from "../mess/times.ts";
import type { ListedThread } from "../partitions/list.ts";

/** An envelope as lists show it: without history, which a read of the thread gives. */
export function toListedEnvelope(row: ListedThread): Omit<Envelope, "history"> {
  const { zone } = row;
  return {
    ref: row.ref,
    ...(row.client_id === null ? {} : { client_id: row.client_id }),
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
