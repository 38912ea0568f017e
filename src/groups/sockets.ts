/** The hibernating sockets of members that wait for a message, and of dashboards that watch the group. */
import type { CredentialId, Principal } from "../auth/principal.ts";
import type { GroupMember } from "../contracts/groups.ts";
import { acceptWaiter, closeWaiter, listWaiters, sendToWaiter } from "../object/waiters.ts";
import { listChannels, toRanges } from "./member-pairs.ts";
import type { GroupStore } from "./tables/group-store.ts";
import { mergeSeqs } from "./reading/load-page.ts";
import type { StoredMessage } from "./tables/message-table.ts";
import { findNextSeq } from "./reading/receive-messages.ts";
import { showMessage } from "./reading/show-message.ts";
import { listVisibleMembers, resolveCaller } from "./resolve-caller.ts";

const WATCH_TAG = "watch";
const getWaitTag = (member: string): string => `wait:${member}`;

/** Waits of one member, or dashboards of one viewer; a further one closes the oldest. */
const MAX_SOCKETS_PER_MEMBER = 8;
/** Messages that a watch sends at once when it begins after a position. */
const MAX_EARLIER_MESSAGES = 100;
const CREDENTIAL_ENDED_CODE = 4_401;
const TOO_MANY_CODE = 1_013;

type Sockets = Pick<DurableObjectState, "acceptWebSocket" | "getWebSockets">;
type WaitViewer = Pick<GroupMember, "credential">;
type Watcher = { socket: WebSocket; viewer: Principal };

export const isWaiting = (ctx: Sockets, member: string): boolean =>
  ctx.getWebSockets(getWaitTag(member)).some(({ readyState }) => readyState === WebSocket.OPEN);

/** `/wait` or `/watch`. */
export function acceptGroupSocket(ctx: Sockets, store: GroupStore, request: Request): Response {
  const { pathname, searchParams } = new URL(request.url);
  if (pathname === "/wait") return acceptWait(ctx, store, searchParams);
  if (pathname === "/watch") return acceptWatch(ctx, store, searchParams);
  return new Response(null, { status: 404 });
}

function acceptWait(ctx: Sockets, store: GroupStore, query: URLSearchParams): Response {
  const credential = query.get("credential");
  const record = store.roster.read();
  if (credential === null || !record) return new Response(null, { status: 404 });
  const as = query.get("as");
  const member = resolveCaller(store.roster, {
    principal: {
      household: record.household,
      actor: "",
      role: "agent",
      credential: credential as CredentialId,
    },
    ...(as === null ? {} : { as }),
  });
  if (!member.ok || member.value.ended) return new Response(null, { status: 404 });
  const tag = getWaitTag(member.value.key);
  closeOldest(listWaiters(ctx, tag));
  const { socket, response } = acceptWaiter(ctx, tag, {
    credential: member.value.credential,
  } satisfies WaitViewer);
  const next = findNextSeq(store, member.value.key, Number(query.get("after")));
  if (next !== undefined) wake(socket, String(next));
  else if (record.status === "closed") wake(socket, "closed");
  return response;
}

function acceptWatch(ctx: Sockets, store: GroupStore, query: URLSearchParams): Response {
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

function closeOldest(sockets: readonly { socket: WebSocket }[]): void {
  const surplus = Math.max(0, sockets.length + 1 - MAX_SOCKETS_PER_MEMBER);
  for (const { socket } of sockets.slice(0, surplus))
    closeWaiter(socket, TOO_MANY_CODE, "too many");
}

function mayWatch(store: GroupStore, viewer: Principal): boolean {
  if (viewer.household !== store.roster.read()?.household) return false;
  return viewer.role === "owner" || listVisibleMembers(store, viewer).length > 0;
}

function wake(socket: WebSocket, text: string): void {
  sendToWaiter(socket, text);
  closeWaiter(socket, 1_000, "message");
}

/** Wakes the waits of the receiver, and shows the message to those who watch its channel. */
export function announceMessage(ctx: Sockets, store: GroupStore, message: StoredMessage): void {
  const { receiver, seq } = message;
  const credential = store.roster.find(receiver)?.credential;
  for (const { socket, viewer } of listWaiters(ctx, getWaitTag(receiver)))
    if ((viewer as WaitViewer).credential === credential) wake(socket, String(seq));
  for (const watcher of listWatchers(ctx)) showToWatcher(store, watcher, message);
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

/** Closes the sockets of members that have left, or whose credential was replaced or has ended; ends all waits in a closed group. */
export function applyRecord(ctx: Sockets, store: GroupStore): void {
  const { members, status } = store.roster.get();
  for (const { key, active, ended, credential } of members)
    for (const { socket, viewer } of listWaiters(ctx, getWaitTag(key))) {
      if (!active || ended || (viewer as WaitViewer).credential !== credential)
        closeWaiter(socket, CREDENTIAL_ENDED_CODE, "credential ended");
      else if (status === "closed") wake(socket, "closed");
    }
  for (const { socket, viewer } of listWatchers(ctx))
    if (!mayWatch(store, viewer)) closeWaiter(socket, CREDENTIAL_ENDED_CODE, "no member");
}
