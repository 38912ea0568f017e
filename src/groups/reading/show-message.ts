/** A stored message as its readers get it, with the present ids of the members. */
import type { GroupMessage } from "../../contracts/groups.ts";
import { defined } from "../../mess/defined.ts";
import { parseMessageSeq } from "../../mess/groups/ids.ts";
import type { Status } from "../../mess/status.ts";
import type { GroupStore } from "../tables/group-store.ts";
import type { StoredMessage } from "../tables/message-table.ts";

/** The request that the message has opened or is about. Its status is shown with the task. */
export function showRequest(
  { requests, messages }: GroupStore,
  { type, seq, details }: Pick<StoredMessage, "type" | "seq" | "details">,
): { ref?: string; request_status?: Status } {
  const task = details.request === undefined ? seq : findSeq(messages, details.request);
  const isAbout = type === "task" || details.request !== undefined;
  const request = isAbout && task !== undefined ? requests.find(task) : undefined;
  if (!request) return {};
  const { ref, status } = request;
  return type === "task" ? { ref, request_status: status } : { ref };
}

/** The id of a task that the household has posted does not contain its position. */
const findSeq = (messages: GroupStore["messages"], id: string): number | undefined =>
  parseMessageSeq(id) ?? messages.find(id)?.seq;

/** @param reader key of the member that reads; absent for owners and exports */
export function showMessage(
  store: GroupStore,
  message: StoredMessage,
  reader?: string,
): GroupMessage {
  const { roster, unread, tasks } = store;
  const { seq, id, sender, receiver, type, at, acknowledged, content } = message;
  const { addressed: _, request: __, about: ___, ...details } = message.details;
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
    ...showRequest(store, message),
    ...defined({
      task_status: task?.status,
      reassigned_as: task?.replaced_by ?? undefined,
      read: receiver === reader ? isRead() : undefined,
    }),
  };
}
