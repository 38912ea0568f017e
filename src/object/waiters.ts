/**
 * Those that wait for changes of an object: hibernating WebSockets under a tag, each with what is known of its viewer,
 * so that the object costs nothing while it sleeps.
 */

/** Accepts a socket on the server's side; the response hands over the other one. */
export function acceptWaiter(
  ctx: Pick<DurableObjectState, "acceptWebSocket">,
  tag: string,
  viewer?: unknown,
): { socket: WebSocket; response: Response } {
  const { 0: client, 1: socket } = new WebSocketPair();
  ctx.acceptWebSocket(socket, [tag]);
  if (viewer !== undefined) socket.serializeAttachment(viewer);
  return { socket, response: new Response(null, { status: 101, webSocket: client }) };
}

/** The sockets under the tag, the oldest first. */
export const listWaiters = (
  ctx: Pick<DurableObjectState, "getWebSockets">,
  tag: string,
): { socket: WebSocket; viewer: unknown }[] =>
  ctx
    .getWebSockets(tag)
    .map((socket) => ({ socket, viewer: socket.deserializeAttachment() as unknown }));

/** Sends the text, unless the other side went away first. */
export function sendToWaiter(socket: WebSocket, text: string): void {
  try {
    socket.send(text);
  } catch {
    // There is no one left to send to.
  }
}

/** Closes the socket, unless the other side went away first. */
export function closeWaiter(socket: WebSocket, code: number, reason: string): void {
  try {
    socket.close(code, reason);
  } catch {
    // It is closed.
  }
}
