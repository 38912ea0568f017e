/**
 * Callers that wait for a change, and pages that watch for every one: hibernating WebSockets, so that a thread costs
 * nothing while it sleeps.
 */
import type { MessError } from "../mess/errors.ts";
import type { Watcher } from "../contracts/thread.ts";

const TAG = "wait";
const LIVE = "live";

/** Pages that watch at once through one link, or as one member: more end the oldest. */
const MOST_WATCHERS = 8;

/** Codes with which a page's socket is closed when its link has died, as HTTP answers 410 and 401. */
const DEAD = 4_410;
const UNAUTHENTICATED = 4_401;

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
 * Tells every watcher that may still see the thread of its newest change, and lets the others go. Those whose
 * credential has ended are not told of anything.
 * @param fault why the watcher may not see it any more
 */
export function tellWatchers(
  ctx: DurableObjectState,
  seq: number,
  fault: (watcher: Watcher) => MessError | undefined,
): void {
  for (const socket of ctx.getWebSockets(LIVE)) {
    const found = fault(socket.deserializeAttachment() as Watcher);
    if (found?.code === "unauthenticated") {
      close(socket, UNAUTHENTICATED, "credential ended");
      continue;
    }
    send(socket, seq);
    if (found) close(socket, DEAD, found.reason ?? "");
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
