/** Callers that wait for a change: hibernating WebSockets, so that a waiting thread costs nothing while it sleeps. */

const TAG = "wait";

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
