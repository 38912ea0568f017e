/** Posts a notice of the household to a member of the group, once. */
import type { GroupNotice } from "../../contracts/groups.ts";
import { EXCHANGE_SENDER } from "../../mess/groups/ids.ts";
import { appendMessage, buildDetails } from "./append-message.ts";
import type { GroupStore } from "../tables/group-store.ts";
import type { StoredMessage } from "../tables/message-table.ts";
import type { GroupTask } from "../tables/task-table.ts";

/** @returns the message, and whether it was posted before */
export function postNotice(
  store: GroupStore,
  notice: GroupNotice,
  now: number,
): { message: StoredMessage; repeated: boolean } {
  const { id, to, type, content, importance } = notice;
  const posted = store.messages.find(id);
  if (posted) return { message: posted, repeated: true };
  const { roster } = store;
  const receiver = roster.find(to);
  if (!receiver) throw new Error(`no member ${to} in this group: sync its record first`);
  // Ops that claim an agent of a pool are no members of it: the id given is shown.
  const sender =
    notice.from === undefined ? EXCHANGE_SENDER : (roster.find(notice.from)?.key ?? notice.from);
  const held = findRequestTask(store, receiver.key, notice.request);
  const returned = type === "task" ? findAssignedBy(store, sender, content) : undefined;
  const message = appendMessage(store, {
    id,
    receiver: receiver.key,
    sender,
    type,
    at: now,
    content: returned ? store.messages.get(returned.seq)!.content : content,
    epoch: notice.epoch ?? receiver.epoch,
    details: buildDetails({
      importance: importance === "normal" ? undefined : importance,
      person: roster.isPerson(sender) ? true : undefined,
      reply_to: held,
      request: held,
    }),
  });
  if (type === "task" && notice.request !== undefined)
    store.requests.save({
      task: message.seq,
      ref: notice.request,
      status: "claimed",
      seq: 0,
      serial: 0,
    });
  if (returned && returned.status !== "done" && returned.replaced_by === null)
    store.tasks.update(returned, { status: "returned", replaced_by: id });
  return { message, repeated: false };
}

/** Id of the open task by which the agent carries out the request. */
function findRequestTask(
  { tasks, requests, messages }: GroupStore,
  agent: string,
  ref: string | undefined,
): string | undefined {
  if (ref === undefined) return undefined;
  const task = tasks.list("open", agent).find(({ seq }) => requests.find(seq)?.ref === ref);
  return task && messages.get(task.seq)!.id;
}

/** The task with the id, if the sender has assigned it: others must not read its content. */
function findAssignedBy(
  { messages, tasks }: GroupStore,
  sender: string,
  id: string,
): GroupTask | undefined {
  const message = messages.find(id);
  const task = message && tasks.find(message.receiver, message.seq);
  return task && [task.assigner, ...task.former_assigners].includes(sender) ? task : undefined;
}
