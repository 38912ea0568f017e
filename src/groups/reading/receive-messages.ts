/** The messages that a wait returns: strictly in the order of their positions, so that a cursor loses none. */
import type { GroupCaller, ReceivedMessages } from "../../contracts/groups.ts";
import type { Outcome } from "../../mess/errors.ts";
import { refuseWaitCursor } from "../../mess/groups/refusals.ts";
import { GROUP_LIMITS } from "../../mess/groups/vocabulary.ts";
import { ok } from "../../mess/result.ts";
import type { GroupStore } from "../tables/group-store.ts";
import { loadPage, mergeSeqs, showPage } from "./load-page.ts";
import { resolveCaller } from "../resolve-caller.ts";
import { countUnread } from "../tables/unread-table.ts";

export function receiveMessages(
  store: GroupStore,
  caller: GroupCaller,
  cursor: number | undefined,
  now: number,
  wait?: string,
): Outcome<ReceivedMessages> {
  const member = resolveCaller(store.roster, caller);
  if (!member.ok) return member;
  const { key } = member.value;
  const newest = store.messages.getNewestSeq();
  if (cursor !== undefined && !isCursor(cursor, newest)) return refuseWaitCursor();
  store.life.record(key, now);
  if (wait !== undefined && store.cancelledWaits.has(key, wait))
    return ok({
      messages: [],
      cursor: cursor ?? newest,
      member: key,
      more: false,
      total_pending: store.unread.countAll(key),
      cancelled: true,
    });
  const limit = GROUP_LIMITS.pageMessages;
  const page =
    cursor === undefined
      ? loadUnreceived(store, key, limit)
      : loadPage(store, listSeqsAfter(store, key, cursor, limit), limit);
  const last = page.stored.at(-1)?.seq;
  if (cursor === undefined && last !== undefined) store.life.setReceived(key, last, now);
  return ok({
    messages: showPage(store, page, key),
    cursor: last ?? cursor ?? newest,
    member: key,
    more: page.more,
    total_pending: store.unread.countAll(key),
    ...(store.roster.get().status === "closed" ? { closed: true } : {}),
  });
}

export function cancelWait(
  store: GroupStore,
  caller: GroupCaller,
  wait: string,
  now: number,
): Outcome<true> {
  const member = resolveCaller(store.roster, caller);
  if (!member.ok) return member;
  store.cancelledWaits.add(member.value.key, wait, now);
  return ok(true);
}

const isCursor = (cursor: number, newest: number): boolean =>
  Number.isSafeInteger(cursor) && cursor >= 0 && cursor <= newest;

/** Positions of messages to the reader, oldest first. One more than the limit shows that there are more. */
const listSeqsAfter = (store: GroupStore, reader: string, after: number, limit: number): number[] =>
  mergeSeqs(
    store,
    store.unread
      .list(reader)
      .filter(({ newest }) => newest > after)
      .map(({ sender }) => ({ receiver: reader, sender, after })),
    "oldest",
    limit,
  );

/** The messages after those of the last wait without a cursor. Messages that were read since are not repeated. */
function loadUnreceived(store: GroupStore, reader: string, limit: number) {
  const received = store.life.getReceived(reader);
  const ranges = store.unread
    .list(reader)
    .filter((counts) => countUnread(counts) > 0 && counts.newest > received)
    .map(({ sender, cursor }) => ({
      receiver: reader,
      sender,
      after: Math.max(cursor, received),
      unreadOnly: true,
    }));
  return loadPage(store, mergeSeqs(store, ranges, "oldest", limit), limit);
}

/** The position of a message to the member after the cursor; undefined without one. */
export const findNextSeq = (store: GroupStore, reader: string, cursor: number) =>
  listSeqsAfter(store, reader, cursor, 0)[0];
