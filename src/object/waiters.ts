/**
 * The WebSockets of clients that wait for changes of an object. They hibernate, so that the object need not stay in
 * memory. Each one has a tag, and may have its viewer attached.
 */

/** Accepts the server's end of a new WebSocket; the response contains the client's end. */
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

/** The sockets with the tag, oldest first. */
export const listWaiters = (
  ctx: Pick<DurableObjectState, "getWebSockets">,
  tag: string,
): { socket: WebSocket; viewer: unknown }[] =>
  ctx
    .getWebSockets(tag)
    .map((socket) => ({ socket, viewer: socket.deserializeAttachment() as unknown }));

/** Sends the text; does nothing if the client has disconnected. */
export function sendToWaiter(socket: WebSocket, text: string): void {
  try {
    socket.send(text);
  } catch {
    // The client has disconnected.
  }
}

/** Closes the socket; does nothing if it is closed already. */
export function closeWaiter(socket: WebSocket, code: number, reason: string): void {
  try {
    socket.close(code, reason);
  } catch {
    // It is closed already.
  }
}
