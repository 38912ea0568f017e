/** Watches for changes: a WebSocket per household, or polling if a socket fails. */

/** Polling interval in milliseconds, without a socket. */
const POLL_MS = 20_000;
const RETRY_MS = [1_000, 2_000, 5_000, 15_000, 60_000];
/** Delays in milliseconds before each reload: the index may lag behind the thread. */
const LAG_MS = [150, 700, 2_000];

/** @typedef {{ ref: string, status: string }} Change */

/**
 * @param {() => readonly InboxHousehold[]} households
 * @param {() => Promise<void>} reload reloads the inbox
 * @param {(change: Change) => boolean} isKnown whether the inbox shows the change already
 */
export function watch(households, reload, isKnown) {
  /** @type {Map<string, WebSocket>} */
  const sockets = new Map();
  let failures = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;

  const away = () => document.visibilityState === "hidden" || !navigator.onLine;

  const plan = () => {
    clearTimeout(timer);
    const open = [...sockets.values()].filter(({ readyState }) => readyState === WebSocket.OPEN);
    const all = households();
    const isLive = all.length > 0 && open.length === all.length;
    const again = RETRY_MS[Math.min(failures, RETRY_MS.length) - 1] ?? POLL_MS;
    if (!isLive) timer = setTimeout(tick, all.length > 0 ? Math.min(again, POLL_MS) : POLL_MS);
  };

  const tick = () => {
    if (away()) return;
    void reload()
      .catch(() => {})
      .finally(connect);
  };

  const connect = () => {
    if (away()) return;
    for (const { session } of households()) if (!sockets.has(session)) open(session);
    plan();
  };

  /** @param {string} session */
  const open = (session) => {
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    const socket = new WebSocket(`${scheme}//${location.host}/inbox/live?session=${session}`);
    sockets.set(session, socket);
    socket.addEventListener("open", () => {
      failures = 0;
      plan();
      // A change just before the socket opened sent no event, and the list may have been read too early to show it.
      setTimeout(() => void reload().catch(() => {}), LAG_MS.at(-1));
    });
    socket.addEventListener("message", ({ data }) => {
      const change = readChange(data);
      if (change) void onChange(change);
    });
    socket.addEventListener("close", () => {
      if (sockets.get(session) !== socket) return;
      sockets.delete(session);
      failures++;
      plan();
    });
  };

  /** @param {Change} change */
  const onChange = async (change) => {
    for (const lag of LAG_MS) {
      await new Promise((resolve) => setTimeout(resolve, lag));
      await reload().catch(() => {});
      if (isKnown(change)) return;
    }
  };

  const reconnect = () => {
    if (away()) return clearTimeout(timer);
    failures = 0;
    tick();
  };
  addEventListener("online", reconnect);
  document.addEventListener("visibilitychange", reconnect);
  addEventListener("offline", () => {
    for (const socket of sockets.values()) socket.close();
    sockets.clear();
    clearTimeout(timer);
  });
  connect();
}

/** @param {unknown} data @returns {Change | undefined} */
function readChange(data) {
  try {
    const { ref, status } = JSON.parse(String(data));
    return typeof ref === "string" && typeof status === "string" ? { ref, status } : undefined;
  } catch {
    return undefined;
  }
}
