/**
 * Callers that wait for a change, and pages that watch for every one: hibernating WebSockets, so that a thread costs
 * nothing while it sleeps.
 */
import type { Watcher } from "../contracts/thread.ts";

const TAG = "wait";
const LIVE = "live";

/** Pages that watch at once through one link, or as one member: more end the oldest. */
const MOST_WATCHERS = 8;

/** Sent with the close of a page's socket when its link is dead: `4410`, as HTTP says 410. */
const DEAD = 4_410;

/**
 * Accepts a waiter's socket. It gets one message, the `seq` of the change it waited for, and is closed;
 * a waiter that already missed one gets it at once.
 */
export function acceptWaiter(ctx: DurableObjectState, after: number, seq: number): Response {
  const { 0: client, 1: server } = new WebSocketPair();
  ctx.acceptWebSocket(server, [TAG]);
  if (seq > after) wake(server, seq);
  return new Response(null, { status: 101, webSocket: client });
}

/** Tells every waiter of a change. */
export function wakeWaiters(ctx: DurableObjectState, seq: number): void {
  for (const socket of ctx.getWebSockets(TAG)) wake(socket, seq);
}

function wake(socket: WebSocket, seq: number): void {
  try {
    socket.send(String(seq));
    socket.close(1000, "changed");
  } catch {
    // The waiter went away first: there is nobody to tell.
  }
}

/** Accepts a page's socket. It gets `{"cursor": n}` for every change, at once for one that it missed. */
export function acceptWatcher(
  ctx: DurableObjectState,
  watcher: Watcher,
  after: number,
  seq: number,
): Response {
  const { 0: client, 1: server } = new WebSocketPair();
  const same = ctx
    .getWebSockets(LIVE)
    .filter((socket) => keyOf(socket.deserializeAttachment() as Watcher) === keyOf(watcher));
  for (const socket of same.slice(0, Math.max(0, same.length + 1 - MOST_WATCHERS)))
    close(socket, 1_013, "too many");
  ctx.acceptWebSocket(server, [LIVE]);
  ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair("ping", "pong"));
  server.serializeAttachment(watcher);
  if (seq > after) send(server, seq);
  return new Response(null, { status: 101, webSocket: client });
}

/**
 * Tells every watcher that may still see the thread of its newest change, and lets the others go.
 * @param dead why the watcher may see it no more
 */
export function tellWatchers(
  ctx: DurableObjectState,
  seq: number,
  dead: (watcher: Watcher) => string | undefined,
): void {
  for (const socket of ctx.getWebSockets(LIVE)) {
    const reason = dead(socket.deserializeAttachment() as Watcher);
    send(socket, seq);
    if (reason !== undefined) close(socket, DEAD, reason);
  }
}

const keyOf = ({ actor, scope }: Watcher): string => scope?.jti ?? actor;

function send(socket: WebSocket, cursor: number): void {
  try {
    socket.send(JSON.stringify({ cursor }));
  } catch {
    // It went away first.
  }
}

function close(socket: WebSocket, code: number, reason: string): void {
  try {
    socket.close(code, reason);
  } catch {
    // It went away first.
  }
}
