/**
 * Callers that wait for a change, and pages that watch for every one: hibernating WebSockets, so that a thread costs
 * nothing while it sleeps.
 */
import type { MessError } from "../mess/errors.ts";
import type { ThreadWatcher } from "../contracts/thread.ts";

const WAITER_TAG = "wait";
const WATCHER_TAG = "live";

/** Pages that watch at once through one link, or as one member: more end the oldest. */
const MAX_WATCHERS_PER_VIEWER = 8;

/** Codes with which a page's socket is closed when its link has died, as HTTP answers 410 and 401. */
const LINK_DEAD_CLOSE_CODE = 4_410;
const UNAUTHENTICATED = 4_401;

/**
 * Accepts a waiter's socket. It gets one message, the `seq` of the change it waited for, and is closed;
 * a waiter that already missed one gets it at once.
 */
export function acceptWaiter(ctx: DurableObjectState, after: number, seq: number): Response {
  const { 0: client, 1: server } = new WebSocketPair();
  ctx.acceptWebSocket(server, [WAITER_TAG]);
  if (seq > after) wakeWaiter(server, seq);
  return new Response(null, { status: 101, webSocket: client });
}

/** Tells every waiter of a change. */
export function wakeWaiters(ctx: DurableObjectState, seq: number): void {
  for (const socket of ctx.getWebSockets(WAITER_TAG)) wakeWaiter(socket, seq);
}

function wakeWaiter(socket: WebSocket, seq: number): void {
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
  watcher: ThreadWatcher,
  after: number,
  seq: number,
): Response {
  const { 0: client, 1: server } = new WebSocketPair();
  const same = ctx
    .getWebSockets(WATCHER_TAG)
    .filter(
      (socket) =>
        getViewerKey(socket.deserializeAttachment() as ThreadWatcher) === getViewerKey(watcher),
    );
  for (const socket of same.slice(0, Math.max(0, same.length + 1 - MAX_WATCHERS_PER_VIEWER)))
    closeSocket(socket, 1_013, "too many");
  ctx.acceptWebSocket(server, [WATCHER_TAG]);
  ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair("ping", "pong"));
  server.serializeAttachment(watcher);
  if (seq > after) sendCursor(server, seq);
  return new Response(null, { status: 101, webSocket: client });
}

/**
 * Tells every watcher that may still see the thread of its newest change, and lets the others go. Those whose
 * credential has ended are not told of anything.
 * @param fault why the watcher may not see it any more
 */
export function notifyWatchers(
  ctx: DurableObjectState,
  seq: number,
  fault: (watcher: ThreadWatcher) => MessError | undefined,
): void {
  for (const socket of ctx.getWebSockets(WATCHER_TAG)) {
    const found = fault(socket.deserializeAttachment() as ThreadWatcher);
    if (found?.code === "unauthenticated") {
      closeSocket(socket, UNAUTHENTICATED, "credential ended");
      continue;
    }
    sendCursor(socket, seq);
    if (found) closeSocket(socket, LINK_DEAD_CLOSE_CODE, found.reason ?? "");
  }
}

const getViewerKey = ({ actor, scope }: ThreadWatcher): string => scope?.jti ?? actor;

function sendCursor(socket: WebSocket, cursor: number): void {
  try {
    socket.send(JSON.stringify({ cursor }));
  } catch {
    // It went away first.
  }
}

function closeSocket(socket: WebSocket, code: number, reason: string): void {
  try {
    socket.close(code, reason);
  } catch {
    // It went away first.
  }
}
