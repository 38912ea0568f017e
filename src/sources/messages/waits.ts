/** WebSockets that wait for a new message. The object hibernates in the meantime. */
import { acceptWaiter, closeWaiter, listWaiters, sendToWaiter } from "../../object/waiters.ts";
import type { SourceContext } from "../source-context.ts";
import type { SourceStore } from "../tables/source-store.ts";

type Sockets = Pick<DurableObjectState, "acceptWebSocket" | "getWebSockets">;

const NEW_TAG = "new";
/** Waits of one source; a further one closes the oldest. */
const MAX_WAITS = 100;
const TOO_MANY_CODE = 1_013;
/** The source was disconnected or deleted. */
const ENDED_CODE = 4_404;

/** `/new?after={seq}`. Without a position, the next message ends the wait. */
export function acceptWait(
  ctx: Sockets,
  { store }: Pick<SourceContext, "store">,
  request: Request,
): Response {
  const { pathname, searchParams } = new URL(request.url);
  if (pathname !== "/new" || !store.read()) return new Response(null, { status: 404 });
  const waits = listWaiters(ctx, NEW_TAG);
  for (const { socket } of waits.slice(0, Math.max(0, waits.length + 1 - MAX_WAITS)))
    closeWaiter(socket, TOO_MANY_CODE, "too many");
  const given = searchParams.get("after");
  const after = given === null ? store.state.get().newest : Number(given);
  const { socket, response } = acceptWaiter(ctx, NEW_TAG, { after });
  announceNext(store, socket, after);
  return response;
}

/** True while somebody waits for a message. */
export const isAwaited = (ctx: Sockets): boolean =>
  ctx.getWebSockets(NEW_TAG).some(({ readyState }) => readyState === WebSocket.OPEN);

/** Ends the waits before whose position there is a message by now. Call it after the commit. */
export function announceMessages(ctx: Sockets, store: SourceStore): void {
  for (const { socket, viewer } of listWaiters(ctx, NEW_TAG))
    announceNext(store, socket, (viewer as { after: number }).after);
}

function announceNext({ messages }: SourceStore, socket: WebSocket, after: number): void {
  const next = messages.findNext(after);
  if (!next) return;
  sendToWaiter(socket, next.id);
  closeWaiter(socket, 1_000, "message");
}

/** Ends all waits of a source that is disconnected or deleted. */
export function endWaits(ctx: Sockets): void {
  for (const { socket } of listWaiters(ctx, NEW_TAG)) closeWaiter(socket, ENDED_CODE, "ended");
}
