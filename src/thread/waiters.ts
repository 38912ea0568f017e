/** Callers that wait for one change of a thread, and pages that watch for every change. */
import type { MessError } from "../mess/errors.ts";
import { acceptWaiter, closeWaiter, listWaiters, sendToWaiter } from "../object/waiters.ts";
import type { ThreadWatcher } from "../contracts/thread.ts";

const CALLER_TAG = "wait";
const WATCHER_TAG = "live";

/** Pages that may watch through one link, or as one member; a further one closes the oldest. */
const MAX_WATCHERS_PER_VIEWER = 8;

/** Close codes for a page whose link has ended, after HTTP's 410 and 401. */
const LINK_DEAD_CLOSE_CODE = 4_410;
const UNAUTHENTICATED_CLOSE_CODE = 4_401;
const TOO_MANY_CLOSE_CODE = 1_013;

/** Accepts the socket of a waiting caller, or of the page that the query names as `watcher`. */
export function acceptSocket(
  ctx: DurableObjectState,
  request: Request,
  seq: number,
  checkAccess: (watcher: ThreadWatcher) => MessError | undefined,
): Response {
  const query = new URL(request.url).searchParams;
  const after = Number(query.get("after"));
  const watcherJson = query.get("watcher");
  if (watcherJson === null) return acceptCaller(ctx, after, seq);
  const watcher = JSON.parse(watcherJson) as ThreadWatcher;
  // The link or credential may have ended between the read and this call.
  return checkAccess(watcher)
    ? new Response(null, { status: 401 })
    : acceptWatcher(ctx, watcher, after, seq);
}

/**
 * Accepts the socket of a waiting caller. It gets one message, the `seq` of the change, and is closed; a caller that
 * already missed a change gets it at once.
 */
function acceptCaller(ctx: DurableObjectState, after: number, seq: number): Response {
  const { socket, response } = acceptWaiter(ctx, CALLER_TAG);
  if (seq > after) wakeCaller(socket, seq);
  return response;
}

/** Notifies every waiting caller of a change. */
export function wakeCallers(ctx: DurableObjectState, seq: number): void {
  for (const { socket } of listWaiters(ctx, CALLER_TAG)) wakeCaller(socket, seq);
}

function wakeCaller(socket: WebSocket, seq: number): void {
  sendToWaiter(socket, String(seq));
  closeWaiter(socket, 1_000, "changed");
}

/** Accepts a page's socket. It gets `{"cursor": n}` for every change, at once for one that it missed. */
function acceptWatcher(
  ctx: DurableObjectState,
  watcher: ThreadWatcher,
  after: number,
  seq: number,
): Response {
  const viewerSockets = listWaiters(ctx, WATCHER_TAG).filter(
    ({ viewer }) => getViewerKey(viewer as ThreadWatcher) === getViewerKey(watcher),
  );
  for (const { socket } of viewerSockets.slice(
    0,
    Math.max(0, viewerSockets.length + 1 - MAX_WATCHERS_PER_VIEWER),
  ))
    closeWaiter(socket, TOO_MANY_CLOSE_CODE, "too many");
  const { socket, response } = acceptWaiter(ctx, WATCHER_TAG, watcher);
  ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair("ping", "pong"));
  if (seq > after) sendCursor(socket, seq);
  return response;
}

/**
 * Sends the newest change to every watcher that may still see the thread, and closes the others. Watchers whose
 * credential has ended get no message.
 * @param checkAccess why the watcher may no longer see the thread
 */
export function notifyWatchers(
  ctx: DurableObjectState,
  seq: number,
  checkAccess: (watcher: ThreadWatcher) => MessError | undefined,
): void {
  for (const { socket, viewer } of listWaiters(ctx, WATCHER_TAG)) {
    const error = checkAccess(viewer as ThreadWatcher);
    if (error?.code === "unauthenticated") {
      closeWaiter(socket, UNAUTHENTICATED_CLOSE_CODE, "credential ended");
      continue;
    }
    sendCursor(socket, seq);
    if (error) closeWaiter(socket, LINK_DEAD_CLOSE_CODE, error.reason ?? "");
  }
}

const getViewerKey = ({ actor, scope }: ThreadWatcher): string => scope?.jti ?? actor;

const sendCursor = (socket: WebSocket, cursor: number): void =>
  sendToWaiter(socket, JSON.stringify({ cursor }));
