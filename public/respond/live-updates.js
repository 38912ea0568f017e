/** Watches a thread for changes: by WebSocket, or by long polling if sockets fail. Only the cursor is transmitted. */
import { ApiError, waitForChange } from "./send/api.js";

/** @typedef {"live" | "waiting" | "offline"} Hearing */

const RETRY_MS = [1_000, 2_000, 5_000, 10_000, 30_000];
/** Consecutive socket failures before long polling is used. */
const MAX_FAILS = 2;
/** Close codes for a dead link and for an expired credential. */
const LINK_DEAD = [4_410, 4_401];

/**
 * @param {() => Where} where
 * @param {() => number} cursor the cursor of the page's state
 * @param {() => Promise<void>} changed
 * @param {(hearing: Hearing) => void} notify
 */
export function watch(where, cursor, changed, notify) {
  let failures = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  /** @type {WebSocket | undefined} */
  let socket;
  /** @type {AbortController | undefined} */
  let waiting;

  const again = () => {
    clearTimeout(timer);
    const wait = RETRY_MS[Math.min(failures, RETRY_MS.length) - 1] ?? 1_000;
    timer = setTimeout(listen, wait * (0.75 + Math.random() / 2));
  };

  const listen = () => {
    clearTimeout(timer);
    if (!navigator.onLine) return notify("offline");
    if (document.visibilityState === "hidden") return;
    if (failures >= MAX_FAILS) void poll();
    else openSocket();
  };

  const openSocket = () => {
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    const { ref, session } = where();
    const query = new URLSearchParams({
      ref,
      cursor: String(cursor()),
      ...(session && { session }),
    });
    const opened = new WebSocket(`${scheme}//${location.host}/respond/live?${query.toString()}`);
    socket = opened;
    opened.addEventListener("open", () => {
      failures = 0;
      notify("live");
    });
    opened.addEventListener("message", ({ data }) => {
      const seen = readCursor(data);
      if (seen === undefined || seen > cursor()) void changed().catch(() => {});
    });
    opened.addEventListener("close", ({ code }) => {
      if (socket !== opened) return;
      socket = undefined;
      // Reading the thread gives the reason why the link is dead.
      if (LINK_DEAD.includes(code)) return void changed().catch(() => {});
      failures++;
      // The link may have ended meanwhile; reading the thread shows that.
      void changed()
        .catch(() => {})
        .finally(again);
    });
  };

  const poll = async () => {
    if (waiting) return;
    waiting = new AbortController();
    try {
      const seen = await waitForChange(where(), cursor(), waiting.signal);
      notify("waiting");
      failures = MAX_FAILS;
      if (seen > cursor()) await changed();
      waiting = undefined;
      listen();
    } catch (error) {
      waiting = undefined;
      failures++;
      if (error instanceof ApiError && error.isDenied) return void changed().catch(() => {});
      notify("offline");
      again();
    }
  };

  const reconnect = () => {
    if (document.visibilityState === "hidden") return;
    void changed().catch(() => {});
    if (socket || waiting) return;
    failures = 0;
    listen();
  };
  addEventListener("online", reconnect);
  document.addEventListener("visibilitychange", reconnect);
  addEventListener("offline", () => {
    const lost = socket;
    socket = undefined;
    lost?.close();
    waiting?.abort();
    notify("offline");
  });
  listen();
}

/**
 * @param {unknown} data
 * @returns {number | undefined}
 */
function readCursor(data) {
  try {
    const { cursor } = JSON.parse(String(data));
    return typeof cursor === "number" ? cursor : undefined;
  } catch {
    return undefined;
  }
}
