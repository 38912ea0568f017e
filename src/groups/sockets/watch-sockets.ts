/** The sockets of dashboards, which show the messages that their viewers may read. */
import type { Principal } from "../../auth/principal.ts";
import { acceptWaiter, closeWaiter, listWaiters, sendToWaiter } from "../../object/waiters.ts";
import { listChannels, toRanges } from "../member-pairs.ts";
import { mergeSeqs } from "../reading/load-page.ts";
import { showMessage } from "../reading/show-message.ts";
import { listVisibleMembers } from "../resolve-caller.ts";
import type { GroupStore } from "../tables/group-store.ts";
import type { StoredMessage } from "../tables/message-table.ts";
import { closeEnded, closeOldest, type Sockets } from "./close-sockets.ts";

const WATCH_TAG = "watch";
/** Messages that a watch sends at once when it begins after a position. */
const MAX_EARLIER_MESSAGES = 100;

type Watcher = { socket: WebSocket; viewer: Principal };

export function acceptWatch(ctx: Sockets, store: GroupStore, query: URLSearchParams): Response {
  const json = query.get("viewer");
  const viewer = json === null ? undefined : (JSON.parse(json) as Principal);
  if (!viewer || !mayWatch(store, viewer)) return new Response(null, { status: 404 });
  closeOldest(listWatchers(ctx).filter((each) => each.viewer.credential === viewer.credential));
  const { socket, response } = acceptWaiter(ctx, WATCH_TAG, viewer);
  const after = query.get("after");
  if (after !== null) showEarlier(store, { socket, viewer }, Number(after));
  return response;
}

/** Sends the messages after the position. If there are many, the socket is closed: the client continues by another. */
function showEarlier(store: GroupStore, watcher: Watcher, after: number): void {
  const seqs = listVisibleSeqs(store, watcher.viewer, after);
  for (const seq of seqs.slice(0, MAX_EARLIER_MESSAGES))
    showToWatcher(store, watcher, store.messages.get(seq)!);
  if (seqs.length > MAX_EARLIER_MESSAGES) closeWaiter(watcher.socket, 1_000, "more");
}

/** Positions of messages that the viewer may read, oldest first; one more than are sent where there are more. */
function listVisibleSeqs(store: GroupStore, viewer: Principal, after: number): number[] {
  if (viewer.role === "owner")
    return store.messages.list(after, MAX_EARLIER_MESSAGES + 1).map(({ seq }) => seq);
  const channels = listVisibleMembers(store, viewer).flatMap((member) =>
    listChannels(store, member),
  );
  const ranges = toRanges(channels, { after });
  // Two members of one viewer share a channel.
  return [...new Set(mergeSeqs(store, ranges, "oldest", 2 * MAX_EARLIER_MESSAGES))].slice(
    0,
    MAX_EARLIER_MESSAGES + 1,
  );
}

const listWatchers = (ctx: Sockets): Watcher[] =>
  listWaiters(ctx, WATCH_TAG).map(({ socket, viewer }) => ({
    socket,
    viewer: viewer as Principal,
  }));

function mayWatch(store: GroupStore, viewer: Principal): boolean {
  if (viewer.household !== store.roster.read()?.household) return false;
  return viewer.role === "owner" || listVisibleMembers(store, viewer).length > 0;
}

/** Only the two members of a channel and owners see its messages. */
function showToWatcher(
  store: GroupStore,
  { socket, viewer }: Watcher,
  message: StoredMessage,
): void {
  const { receiver, sender } = message;
  const own = listVisibleMembers(store, viewer).find(
    ({ key }) => key === receiver || key === sender,
  );
  if (own || viewer.role === "owner")
    sendToWaiter(socket, JSON.stringify(showMessage(store, message, own?.key)));
}

export function showToWatches(ctx: Sockets, store: GroupStore, message: StoredMessage): void {
  for (const watcher of listWatchers(ctx)) showToWatcher(store, watcher, message);
}

/** An owner who is no member may watch as well; its end is noticed by the stream, which checks its credential. */
export function applyRecordToWatches(ctx: Sockets, store: GroupStore): void {
  const ended = new Set(
    store.roster.get().members.flatMap((member) => (member.ended ? [member.credential] : [])),
  );
  for (const { socket, viewer } of listWatchers(ctx)) {
    const hasEnded = viewer.credential !== undefined && ended.has(viewer.credential);
    if (hasEnded || !mayWatch(store, viewer)) closeEnded(socket, "no member");
  }
}
