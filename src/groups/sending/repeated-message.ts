/** Finds a message that its sender has sent before: with the same key, or with the same content a moment ago. */
import type { GroupMember, NewGroupMessage } from "../../contracts/groups.ts";
import { type Outcome, refuse } from "../../mess/errors.ts";
import { ok } from "../../mess/result.ts";
import type { GroupStore } from "../tables/group-store.ts";
import type { StoredMessage } from "../tables/message-table.ts";

/** An agent that repeats a call after a timeout does so within this time. */
const REPEAT_WINDOW_MS = 60_000;
/** The newest messages of a channel that are compared. */
const MAX_COMPARED_MESSAGES = 16;

export function findRepeated(
  store: GroupStore,
  sender: GroupMember,
  receiver: Pick<GroupMember, "key">,
  message: NewGroupMessage,
  now: number,
): Outcome<StoredMessage | undefined> {
  const isSame = (stored: StoredMessage): boolean =>
    stored.type === message.type &&
    stored.content === message.content &&
    stored.details.reply_to === message.reply_to &&
    (stored.details.addressed ?? stored.receiver) === receiver.key;
  if (message.key !== undefined) {
    const stored = store.messages.findByKey(`${sender.key}/${message.key}`);
    return stored === undefined || isSame(stored) ? ok(stored) : refuseConflict();
  }
  return ok(findRecent(store, sender, receiver, now, isSame));
}

/** A report to the former primary ops was delivered to the present one, so its channel is searched as well. */
function findRecent(
  { messages, roster }: GroupStore,
  sender: GroupMember,
  receiver: Pick<GroupMember, "key">,
  now: number,
  isSame: (stored: StoredMessage) => boolean,
): StoredMessage | undefined {
  const { primary } = roster.get();
  for (const key of new Set([receiver.key, primary ?? receiver.key])) {
    const channel = { receiver: key, sender: sender.key };
    for (const seq of messages.listSeqs(channel, "newest", MAX_COMPARED_MESSAGES)) {
      const stored = messages.get(seq)!;
      if (now - stored.at >= REPEAT_WINDOW_MS) break;
      if (isSame(stored)) return stored;
    }
  }
  return undefined;
}

export const refuseConflict = () =>
  refuse(
    "idempotency_conflict",
    "this idempotency key was used for another message",
    "Use a new key for a new message.",
  );
