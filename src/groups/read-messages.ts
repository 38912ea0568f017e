/** Reads channels: unread messages with the oldest first, or the history with the newest first. */
import type { GroupCaller, GroupMember, GroupPage, ReadQuery } from "../contracts/groups.ts";
import { type Outcome, refuse } from "../mess/errors.ts";
import { ok } from "../mess/result.ts";
import {
  type Channel,
  listChannels,
  listDirections,
  resolveBetween,
  resolveOther,
} from "./channels.ts";
import type { GroupStore } from "./group-store.ts";
import { limitPage, loadPage, mergeSeqs, showPage } from "./load-page.ts";
import { markOldest, markShown } from "./mark-read.ts";
import { resolveReader } from "./resolve-caller.ts";
import { countUnread } from "./unread-table.ts";

export function readMessages(
  store: GroupStore,
  caller: GroupCaller,
  query: ReadQuery,
  now: number,
): Outcome<GroupPage> {
  const reader = resolveReader(store.roster, caller);
  if (!reader.ok) return reader;
  if (reader.value) store.life.record(reader.value.key, now);
  if (query.between || query.all) {
    if (caller.principal.role !== "owner") return refuseNotOwner();
    return ok(
      query.between
        ? readHistory(store, [resolveBetween(store, query.between)], query, reader.value)
        : readTimeline(store, query, reader.value),
    );
  }
  if (!reader.value)
    return query.other === undefined && !query.unread_only
      ? ok(readTimeline(store, query, undefined))
      : refuseMissingBetween();
  const other =
    query.other === undefined ? undefined : resolveOther(store, reader.value, query.other);
  if (other && !other.ok) return other;
  if (query.unread_only) return ok(readUnread(store, reader.value, query, other?.value));
  const channels: Channel[] = other
    ? [[reader.value.key, other.value]]
    : listChannels(store, reader.value);
  return ok(readHistory(store, channels, query, reader.value));
}

/** Messages of people come before those of agents. */
function readUnread(
  store: GroupStore,
  { key: reader }: GroupMember,
  { limit: asked, peek }: ReadQuery,
  only: string | undefined,
): GroupPage {
  const limit = limitPage(asked);
  const ranges = store.unread
    .list(reader)
    .filter((counts) => countUnread(counts) > 0 && (only === undefined || counts.sender === only))
    .map(({ sender, cursor }) => ({ receiver: reader, sender, after: cursor, unreadOnly: true }));
  const seqs = [true, false].flatMap((person) => {
    const chosen = ranges.filter(({ sender }) => store.roster.isPerson(sender) === person);
    return mergeSeqs(store, chosen, "oldest", limit);
  });
  const page = loadPage(store, seqs, limit);
  const messages = showPage(store, page, reader);
  if (!peek) markOldest(store, page.stored);
  return { messages, more: page.more, total_pending: store.unread.countAll(reader) };
}

function readHistory(
  store: GroupStore,
  channels: readonly Channel[],
  { limit: asked, before, peek, between }: ReadQuery,
  reader: GroupMember | undefined,
): GroupPage {
  const limit = limitPage(asked);
  const ranges = channels
    .flatMap(listDirections)
    .map((range) => (before === undefined ? range : { ...range, before }));
  const page = loadPage(store, mergeSeqs(store, ranges, "newest", limit), limit);
  const messages = showPage(store, page, reader?.key);
  if (reader && !peek && !between) markShown(store, page.stored, reader.key);
  return { messages, more: page.more, total_pending: countPending(store, reader) };
}

/** All channels, for an owner. */
function readTimeline(
  store: GroupStore,
  { limit: asked, before = Number.MAX_SAFE_INTEGER }: ReadQuery,
  reader: GroupMember | undefined,
): GroupPage {
  const limit = limitPage(asked);
  const page = loadPage(store, store.messages.listAllSeqs(before, limit + 1), limit);
  const messages = showPage(store, page, reader?.key);
  return { messages, more: page.more, total_pending: countPending(store, reader) };
}

const countPending = (store: GroupStore, reader: GroupMember | undefined): number =>
  reader ? store.unread.countAll(reader.key) : 0;

const refuseNotOwner = () =>
  refuse(
    "wrong_role",
    "only owners of the household may read the channels of others",
    "Give other_id to read a channel of your own.",
  );

const refuseMissingBetween = () =>
  refuse(
    "missing_field",
    "between is missing, and you are no member of this group",
    "Give the ids of the two members whose channel you want to read; status lists them.",
  );
