/** Which request a member's message to a person or robot is about. */
import type { GroupMember, NewGroupMessage } from "../../contracts/groups.ts";
import { type Outcome, refuse } from "../../mess/errors.ts";
import { ok } from "../../mess/result.ts";
import type { GroupStore } from "../tables/group-store.ts";
import type { RosterMember } from "../tables/roster.ts";

/** @returns id of the task; undefined for a new task */
export function matchRequest(
  { messages, tasks }: GroupStore,
  sender: GroupMember,
  receiver: RosterMember,
  { type, reply_to }: Pick<NewGroupMessage, "type" | "reply_to">,
): Outcome<string | undefined> {
  if (type === "task") return ok(undefined);
  const replied = reply_to === undefined ? undefined : messages.find(reply_to);
  if (replied?.type === "task") return ok(replied.id);
  if (replied?.details.request !== undefined) return ok(replied.details.request);
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
