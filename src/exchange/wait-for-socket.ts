/** Waits for a socket of an object, which hibernates in the meantime. */

/** Resolves at the socket's first event, after the timeout, or when the caller no longer waits. */
export function waitForSocket(
  socket: WebSocket,
  timeout: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  return new Promise((resolve) => {
    const stopWaiting = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", stopWaiting);
      socket.close(1000, "enough");
      resolve();
    };
    const timer = setTimeout(stopWaiting, signal?.aborted ? 0 : timeout);
    signal?.addEventListener("abort", stopWaiting);
    for (const event of ["message", "close", "error"] as const)
      socket.addEventListener(event, stopWaiting, { once: true });
  });
}
