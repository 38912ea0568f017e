/** Finds the task, and so the request, that a member's message to a person or robot is about. */
import type { GroupMember, NewGroupMessage } from "../../contracts/groups.ts";
import { type Outcome, refuse } from "../../mess/errors.ts";
import { parseMessageSeq } from "../../mess/groups/ids.ts";
import { ok } from "../../mess/result.ts";
import type { GroupStore } from "../tables/group-store.ts";
import type { RosterMember } from "../tables/roster.ts";

/** True for a message about a task of which the sender gets the reports, after a handoff also an earlier one. */
export function isAboutOwnTask(
  store: GroupStore,
  sender: GroupMember,
  receiver: RosterMember,
  replyTo: string | undefined,
): boolean {
  const id = replyTo === undefined ? undefined : findTaskId(store, replyTo);
  const seq = id === undefined ? undefined : parseMessageSeq(id);
  return seq !== undefined && store.tasks.find(receiver.key, seq)?.assigner === sender.key;
}

/** The task that the message is about, or is itself. */
function findTaskId({ messages }: GroupStore, id: string): string | undefined {
  const message = messages.find(id);
  return message?.type === "task" ? message.id : message?.details.request;
}

/** @returns id of the task; undefined for a new task */
export function matchRequest(
  store: GroupStore,
  sender: GroupMember,
  receiver: RosterMember,
  { type, reply_to }: Pick<NewGroupMessage, "type" | "reply_to">,
): Outcome<string | undefined> {
  if (type === "task") return ok(undefined);
  const named = reply_to === undefined ? undefined : findTaskId(store, reply_to);
  if (named !== undefined) return ok(named);
  const { messages, tasks } = store;
  const open = tasks
    .list("open", receiver.key)
    .filter(({ assigner }) => assigner === sender.key)
    .map(({ seq }) => messages.get(seq)!.id);
  return open.length === 1 ? ok(open[0]) : refuseUnclearTask(receiver, open);
}

const refuseUnclearTask = ({ id }: RosterMember, open: readonly string[]) =>
  open.length === 0
    ? refuse(
        "unknown_reference",
        `${id} has no open task of yours, and a person or robot gets messages about tasks only`,
        "Send it as message_type task, or give the id of a message about an earlier task in reply_to.",
      )
    : refuse(
        "unknown_reference",
        `${id} has ${open.length} open tasks of yours`,
        "Give the id of one of them, or of a message about it, in reply_to.",
        { valid: open },
      );
