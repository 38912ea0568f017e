/** The place of a request in the queue of executors that hold as many threads as they can. */
import type { Stores } from "../stores.ts";

type QueueStores = Pick<Stores, "members" | "threadCatalog">;

/**
 * From 1: how many open requests were opened before it and wait for the same executors, and itself. Undefined unless all
 * of the executors are at their capacity.
 * @param opened when the request was opened, in milliseconds since 1970
 */
export function findQueuePosition(
  { members, threadCatalog }: QueueStores,
  executors: readonly string[],
  { ref, opened }: { ref: string; opened: number },
): number | undefined {
  const capacities = executors.map((id) => members.findExecutor(id)?.capacity);
  if (capacities.length === 0 || capacities.includes(undefined)) return undefined;
  const held = threadCatalog.countHeldThreads();
  const isFull = executors.every((id, index) => (held[id] ?? 0) >= capacities[index]!);
  return isFull ? threadCatalog.countWaiting(executors, { ref, opened }) + 1 : undefined;
}

/** The position of a thread that was offered and that nobody has claimed; undefined for any other. */
export function findThreadQueuePosition(stores: QueueStores, ref: string): number | undefined {
  const row = stores.threadCatalog.get(ref);
  if (row?.status !== "pending" || row.executor !== null) return undefined;
  const participants = JSON.parse(row.participants) as string[];
  const offered = participants.filter((id) => id !== row.requestor);
  return findQueuePosition(stores, offered, row);
}
