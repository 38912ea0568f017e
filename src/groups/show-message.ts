/** A stored message as its readers get it, with the present ids of the members. */
import type { GroupMessage } from "../contracts/groups.ts";
import { defined } from "../mess/defined.ts";
import type { GroupStore } from "./tables/group-store.ts";
import type { StoredMessage } from "./tables/message-table.ts";

/** @param reader key of the member that reads; absent for owners and exports */
export function showMessage(
  { roster, unread, tasks }: GroupStore,
  message: StoredMessage,
  reader?: string,
): GroupMessage {
  const { seq, id, sender, receiver, type, at, acknowledged, content } = message;
  const { addressed: _, ...details } = message.details;
  const from = roster.show(sender);
  const task = type === "task" ? tasks.find(receiver, seq) : undefined;
  const isRead = (): boolean =>
    message.read === 1 || seq <= (unread.get(receiver, sender)?.cursor ?? 0);
  return {
    id,
    seq,
    from: from.id,
    from_name: from.name,
    to: roster.show(receiver).id,
    type,
    at: new Date(at).toISOString(),
    content,
    ...details,
    ...(acknowledged === null ? {} : { needs_ack: true }),
    ...(acknowledged === 1 ? { acknowledged: true } : {}),
    ...defined({
      task_status: task?.status,
      reassigned_as: task?.replaced_by ?? undefined,
      read: receiver === reader ? isRead() : undefined,
    }),
  };
}
