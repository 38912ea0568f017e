/**
 * Marks messages as read and acknowledged. Everything up to a cursor is read; messages beyond it that were read one by
 * one have a mark of their own.
 */
import type { GroupCaller, GroupMember } from "../../contracts/groups.ts";
import { type Outcome, refuse } from "../../mess/errors.ts";
import { ok } from "../../mess/result.ts";
import type { GroupStore } from "../tables/group-store.ts";
import type { StoredMessage } from "../tables/message-table.ts";
import { resolveOther } from "../member-pairs.ts";
import { resolveCaller } from "../resolve-caller.ts";
import { countUnread, type UnreadCounts } from "../tables/unread-table.ts";

const removeTypes = (
  types: UnreadCounts["types"],
  messages: readonly StoredMessage[],
): UnreadCounts["types"] => {
  const left = { ...types };
  for (const { type } of messages) {
    const count = (left[type] ?? 0) - 1;
    if (count > 0) left[type] = count;
    else delete left[type];
  }
  return left;
};

/** Counts a message that was just stored. */
export function countMessage({ unread }: GroupStore, message: StoredMessage): void {
  const { receiver: reader, sender, seq, at, type, acknowledged } = message;
  const { cursor, types, acks } = unread.get(reader, sender) ?? {
    cursor: seq - 1,
    types: {},
    acks: 0,
  };
  unread.save({
    reader,
    sender,
    cursor,
    newest: seq,
    latest: seq,
    latest_at: at,
    types: { ...types, [type]: (types[type] ?? 0) + 1 },
    acks: acks + (acknowledged === 0 ? 1 : 0),
  });
}

/** Marks messages of a reader that are the oldest unread ones of their senders. */
export function markOldest({ unread }: GroupStore, messages: readonly StoredMessage[]): void {
  for (const [sender, read] of Map.groupBy(messages, (message) => message.sender)) {
    const counts = unread.get(read[0]!.receiver, sender)!;
    const types = removeTypes(counts.types, read);
    const isLast = countUnread({ types }) === 0;
    unread.save({ ...counts, cursor: isLast ? counts.newest : read.at(-1)!.seq, types });
  }
}

function markAll({ unread }: Pick<GroupStore, "unread">, counts: UnreadCounts): number {
  const marked = countUnread(counts);
  if (marked > 0) unread.save({ ...counts, cursor: counts.newest, types: {} });
  return marked;
}

/** Marks all messages of one sender to the reader. @returns how many were unread */
export function markAllFrom({ unread }: GroupStore, reader: string, sender: string): number {
  const counts = unread.get(reader, sender);
  return counts ? markAll({ unread }, counts) : 0;
}

/** The receiver has replied to the message, or marked it by its id. */
export function acknowledge({ messages, unread }: GroupStore, message: StoredMessage): void {
  if (message.acknowledged !== 0) return;
  messages.setAcknowledged(message.seq);
  const counts = unread.get(message.receiver, message.sender)!;
  unread.save({ ...counts, acks: counts.acks - 1 });
}

const isUnread = ({ read, seq }: StoredMessage, { cursor }: UnreadCounts): boolean =>
  read === 0 && seq > cursor;

/** Marks some messages of one sender, wherever they are among its unread ones. @returns how many were unread */
function markSome(
  { messages, unread }: GroupStore,
  counts: UnreadCounts,
  some: readonly StoredMessage[],
): number {
  const marked = some.filter((message) => isUnread(message, counts));
  if (marked.length === 0) return 0;
  const types = removeTypes(counts.types, marked);
  if (countUnread({ types }) === 0) return markAll({ unread }, counts);
  for (const { seq } of marked) messages.setRead(seq);
  const { reader: receiver, sender } = counts;
  const range = { receiver, sender, after: counts.cursor, unreadOnly: true };
  const [oldest] = messages.listSeqs(range, "oldest", 1);
  const changed = { ...counts, cursor: oldest! - 1, types };
  if (marked.every(({ seq }) => seq !== counts.latest)) unread.save(changed);
  else {
    const [latest] = messages.listSeqs({ ...range, before: counts.latest }, "newest", 1);
    unread.save({ ...changed, latest: latest!, latest_at: messages.get(latest!)!.at });
  }
  return marked.length;
}

/** Marks what a reader was shown of the history, where older messages may still be unread. */
export function markShown(
  store: GroupStore,
  messages: readonly StoredMessage[],
  reader: string,
): void {
  const received = messages.filter(({ receiver }) => receiver === reader);
  for (const [sender, shown] of Map.groupBy(received, (message) => message.sender))
    markSome(store, store.unread.get(reader, sender)!, shown);
}

/** Marks all messages of a sender, one message, or without either all. */
export function markRead(
  store: GroupStore,
  caller: GroupCaller,
  which: { other?: string; message?: string },
): Outcome<{ marked: number; total_pending: number }> {
  const member = resolveCaller(store.roster, caller);
  if (!member.ok) return member;
  const marked = mark(store, member.value, which);
  if (!marked.ok) return marked;
  return ok({ marked: marked.value, total_pending: store.unread.countAll(member.value.key) });
}

function mark(
  store: GroupStore,
  member: GroupMember,
  { other, message: id }: { other?: string; message?: string },
): Outcome<number> {
  const { messages, unread } = store;
  if (id !== undefined) {
    const message = messages.find(id);
    if (message?.receiver !== member.key) return refuseUnknownMessage();
    const marked = markSome(store, unread.get(member.key, message.sender)!, [message]);
    acknowledge(store, message);
    return ok(marked);
  }
  const sender = other === undefined ? undefined : resolveOther(store, member, other);
  if (sender && !sender.ok) return sender;
  return ok(
    sender
      ? markAllFrom(store, member.key, sender.value)
      : unread.list(member.key).reduce((sum, each) => sum + markAll(store, each), 0),
  );
}

const refuseUnknownMessage = () =>
  refuse(
    "not_found",
    "msg_id: no such message to you",
    "Give the id of a message that you received, as read and wait return it.",
  );
