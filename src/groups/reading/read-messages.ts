/** Reads channels: unread messages with the oldest first, or the history with the newest first. */
import type { GroupCaller, GroupMember, GroupPage, ReadQuery } from "../../contracts/groups.ts";
import { type Outcome, refuse } from "../../mess/errors.ts";
import { ok } from "../../mess/result.ts";
import {
  type MemberPair,
  listChannels,
  resolveBetween,
  resolveOther,
  toRanges,
} from "../member-pairs.ts";
import type { GroupStore } from "../tables/group-store.ts";
import { limitPage, loadPage, mergeSeqs, showPage } from "./load-page.ts";
import { markOldest, markShown } from "./mark-read.ts";
import { resolveReader } from "../resolve-caller.ts";
import { countUnread } from "../tables/unread-table.ts";

export function readMessages(
  store: GroupStore,
  caller: GroupCaller,
  query: ReadQuery,
  now: number,
): Outcome<GroupPage> {
  const reader = resolveReader(store.roster, caller);
  if (!reader.ok) return reader;
  if (reader.value) store.life.record(reader.value.key, now);
  const view = resolveView(store, caller, reader.value, query);
  if (!view.ok) return view;
  if (reader.value && query.unread_only && !isOwnersView(query))
    return ok(readUnread(store, reader.value, query, view.value));
  return ok(readHistory(store, view.value, query, reader.value));
}

type View = MemberPair[] | "all";

const isOwnersView = ({ between, all }: ReadQuery): boolean =>
  between !== undefined || all === true;

/** The channels to read: those of others are for owners only. */
function resolveView(
  store: GroupStore,
  caller: GroupCaller,
  reader: GroupMember | undefined,
  query: ReadQuery,
): Outcome<View> {
  if (isOwnersView(query) && caller.principal.role !== "owner") return refuseNotOwner();
  if (query.between) return ok([resolveBetween(store, query.between)]);
  if (query.all) return ok("all");
  if (!reader)
    return query.other === undefined && !query.unread_only ? ok("all") : refuseMissingBetween();
  if (query.other === undefined) return ok(listChannels(store, reader));
  const other = resolveOther(store, reader, query.other);
  return other.ok ? ok([[reader.key, other.value]]) : other;
}

/** Messages of people come before those of agents. */
function readUnread(
  store: GroupStore,
  { key: reader }: GroupMember,
  { limit: asked, peek }: ReadQuery,
  view: View,
): GroupPage {
  const limit = limitPage(asked);
  const senders = new Set(view === "all" ? [] : view.map(([, other]) => other));
  const ranges = store.unread
    .list(reader)
    .filter((counts) => countUnread(counts) > 0 && senders.has(counts.sender))
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
  view: View,
  query: ReadQuery,
  reader: GroupMember | undefined,
): GroupPage {
  const { before = Number.MAX_SAFE_INTEGER } = query;
  const limit = limitPage(query.limit);
  const seqs =
    view === "all"
      ? store.messages.listAllSeqs(before, limit + 1)
      : mergeSeqs(store, toRanges(view, { before }), "newest", limit);
  const page = loadPage(store, seqs, limit);
  const messages = showPage(store, page, reader?.key);
  if (reader && !query.peek && !isOwnersView(query)) markShown(store, page.stored, reader.key);
  return {
    messages,
    more: page.more,
    total_pending: reader ? store.unread.countAll(reader.key) : 0,
  };
}

const refuseNotOwner = () =>
  refuse(
    "wrong_role",
    "only owners of the household may read the channels of others",
    "Leave out between and all to read your own channels.",
  );

const refuseMissingBetween = () =>
  refuse(
    "missing_field",
    "between is missing, and you are no member of this group",
    "Give the ids of the two members whose channel you want to read; status lists them.",
  );
