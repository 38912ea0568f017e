/** New messages of a group as server-sent events, while the page is visible. */

const RETRY_MS = [1_000, 3_000, 10_000, 30_000];

/**
 * @param {string} url
 * @param {{ onMessage: (message: GroupMessage) => void, onConnect: () => void }} on a connection may have missed messages
 * @returns {() => void} ends it
 */
export function watchGroup(url, { onMessage, onConnect }) {
  /** @type {EventSource | undefined} */
  let source;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  let failures = 0;

  const close = () => {
    clearTimeout(timer);
    source?.close();
    source = undefined;
  };

  const connect = () => {
    close();
    if (document.visibilityState === "hidden" || !navigator.onLine) return;
    const opened = new EventSource(url);
    source = opened;
    opened.addEventListener("open", () => {
      failures = 0;
      onConnect();
    });
    opened.addEventListener("message", ({ data }) => onMessage(JSON.parse(data)));
    opened.addEventListener("error", () => {
      if (source !== opened) return;
      // Not by the browser's own reconnection, which gives up after a refusal.
      close();
      timer = setTimeout(connect, RETRY_MS[Math.min(failures++, RETRY_MS.length - 1)]);
    });
  };

  document.addEventListener("visibilitychange", connect);
  addEventListener("online", connect);
  addEventListener("offline", close);
  connect();
  return () => {
    document.removeEventListener("visibilitychange", connect);
    removeEventListener("online", connect);
    removeEventListener("offline", close);
    close();
  };
}
