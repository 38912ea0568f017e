/** Deletes messages that are older than the household keeps them. Tasks that are not done are kept. */
import type { GroupMessage } from "../contracts/groups.ts";
import { acknowledge, markShown } from "./reading/mark-read.ts";
import type { GroupStore } from "./tables/group-store.ts";
import type { StoredMessage } from "./tables/message-table.ts";

type Positioned = Pick<GroupMessage, "seq">;

/** The oldest messages before the instant. The newest message of the group stays, since it names the last position. */
export function listDeletable(store: GroupStore, before: number, limit: number): Positioned[] {
  const { messages } = store;
  const end = Math.min(messages.findFirstSince(before), messages.getNewestSeq());
  const deletable: Positioned[] = [];
  for (let after = 0; deletable.length < limit;) {
    const page = messages.list(after, limit).filter(({ seq }) => seq < end);
    deletable.push(...page.filter((message) => !isUnfinishedTask(store, message)));
    if (page.length < limit) break;
    after = page.at(-1)!.seq;
  }
  return deletable.slice(0, limit);
}

function isUnfinishedTask({ tasks }: GroupStore, { type, receiver, seq }: StoredMessage): boolean {
  const task = type === "task" ? tasks.find(receiver, seq) : undefined;
  return task !== undefined && task.status !== "done" && task.replaced_by === null;
}

/** Runs inside the caller's transaction. Messages that nobody read no longer count as unread. */
export function deleteMessages(store: GroupStore, chosen: readonly Positioned[]): number {
  const found = chosen.flatMap(({ seq }) => store.messages.get(seq) ?? []);
  for (const [reader, received] of Map.groupBy(found, ({ receiver }) => receiver))
    markShown(store, received, reader);
  for (const message of found) acknowledge(store, message);
  for (const { type, receiver, seq } of found) {
    if (type === "task") store.tasks.delete(receiver, seq);
    store.messages.delete(seq);
  }
  store.deletions.add(found.length);
  return found.length;
}
