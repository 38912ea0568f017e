/** Posts what the household tells the members of a group, each notice once. */
import type { GroupNotice } from "../contracts/groups.ts";
import { EXCHANGE_SENDER } from "../mess/groups/ids.ts";
import { appendMessage, buildDetails } from "./append-message.ts";
import type { GroupStore } from "./group-store.ts";
import type { StoredMessage } from "./message-table.ts";
import type { GroupTask } from "./task-table.ts";

/** @returns the message, and whether it was posted before */
export function postNotice(
  store: GroupStore,
  notice: GroupNotice,
  now: number,
): { message: StoredMessage; repeated: boolean } {
  const key = `notice/${notice.key}`;
  const posted = store.messages.findByKey(key);
  if (posted) return { message: posted, repeated: true };
  const { roster } = store;
  const receiver = roster.find(notice.to);
  if (!receiver) throw new Error(`no member ${notice.to} in this group: sync its record first`);
  const { from, type, importance } = notice;
  const returned = type === "task" ? findReturnedTask(store, notice.content) : undefined;
  const message = appendMessage(store, {
    receiver: receiver.key,
    // Ops that claim an agent of a pool are no members of it: the id given is shown.
    sender: from === undefined ? EXCHANGE_SENDER : (roster.find(from)?.key ?? from),
    type,
    at: now,
    key,
    epoch: notice.epoch ?? receiver.epoch,
    content: returned ? store.messages.get(returned.seq)!.content : notice.content,
    details: buildDetails({ importance: importance === "normal" ? undefined : importance }),
  });
  if (returned) store.tasks.update(returned, { replaced_by: message.id });
  return { message, repeated: false };
}

/** The task that was given back and not assigned again, if the text is its id. */
function findReturnedTask({ messages, tasks }: GroupStore, text: string): GroupTask | undefined {
  const message = messages.find(text);
  const task = message && tasks.find(message.receiver, message.seq);
  return task?.status === "returned" && task.replaced_by === null ? task : undefined;
}
