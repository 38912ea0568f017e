/** Sends an owner's message to all active members. The owner becomes a person of the group with the first one. */
import type { Principal } from "../../auth/principal.ts";
import type { Announcement, GroupMember } from "../../contracts/groups.ts";
import { type Outcome, refuse } from "../../mess/errors.ts";
import { checkGroupMessage } from "../../mess/groups/check-message.ts";
import {
  refuseGroupClosed,
  refuseGroupFull,
  refuseGroupNotFound,
} from "../../mess/groups/refusals.ts";
import { GROUP_LIMITS } from "../../mess/groups/vocabulary.ts";
import { ok } from "../../mess/result.ts";
import { appendMessage } from "./append-message.ts";
import type { GroupStore } from "../tables/group-store.ts";
import { refuseConflict } from "./repeated-message.ts";
import { listVisibleMembers } from "../resolve-caller.ts";
import type { StoredMessage } from "../tables/message-table.ts";

interface SentAnnouncement {
  /** Members that have the message, now or since an earlier call with the same key. */
  members: number;
  posted: StoredMessage[];
}

export function sendAnnouncement(
  store: GroupStore,
  caller: Principal,
  { content, from_name, key }: Announcement,
  now: number,
): Outcome<SentAnnouncement> {
  const { roster, messages } = store;
  const { actor } = caller;
  const record = roster.read();
  const isOwner = caller.role === "owner";
  if (!record || record.household !== caller.household) return refuseGroupNotFound();
  if (!isOwner)
    return listVisibleMembers(store, caller).length > 0 ? refuseNotOwner() : refuseGroupNotFound();
  if (record.status === "closed") return refuseGroupClosed();
  const error = checkGroupMessage({ content });
  if (error) return error;
  const members = roster.listActive();
  const toKey = (member: GroupMember): string => `announcement/${actor}/${key}/${member.key}`;
  const earlier = members.map((member) => messages.findByKey(toKey(member)));
  if (earlier.some((stored) => stored !== undefined && stored.content !== content))
    return refuseConflict();
  const missing = members.filter((_member, index) => earlier[index] === undefined);
  if (messages.getNewestSeq() + missing.length > GROUP_LIMITS.messagesPerGroup)
    return refuseGroupFull();
  roster.addExecutor({ id: actor, name: from_name, role: "person" }, now);
  const posted = missing.map((member) =>
    appendMessage(store, {
      receiver: member.key,
      sender: actor,
      type: "message",
      at: now,
      content,
      key: toKey(member),
      details: { importance: "urgent", person: true },
    }),
  );
  return ok({ members: members.length, posted });
}

const refuseNotOwner = () =>
  refuse(
    "wrong_role",
    "only owners of the household may write to all agents of a group",
    "Ask an owner to send it.",
  );
