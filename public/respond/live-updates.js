/** Hears of changes: by a socket, and by waiting calls where there is none. Nothing is carried but the cursor. */
import { ApiError, waitForChange } from "./api.js";

/** @typedef {"live" | "waiting" | "offline"} Hearing */

const RETRY_MS = [1_000, 2_000, 5_000, 10_000, 30_000];
/** Sockets that failed in a row before waiting calls take over. */
const MAX_FAILS = 2;
/** The closes of a socket whose link has died, or whose credential has ended. */
const LINK_DEAD = [4_410, 4_401];

/**
 * @param {() => Where} where
 * @param {() => number} cursor what the page knows already
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
    const mine = new WebSocket(`${scheme}//${location.host}/respond/live?${query.toString()}`);
    socket = mine;
    mine.addEventListener("open", () => {
      failures = 0;
      notify("live");
    });
    mine.addEventListener("message", ({ data }) => {
      const told = readCursor(data);
      if (told === undefined || told > cursor()) void changed().catch(() => {});
    });
    mine.addEventListener("close", ({ code }) => {
      if (socket !== mine) return;
      socket = undefined;
      // The link is dead: reading the thread says how.
      if (LINK_DEAD.includes(code)) return void changed().catch(() => {});
      failures++;
      // It may have been refused because the link died in between: reading the thread tells.
      void changed()
        .catch(() => {})
        .finally(again);
    });
  };

  const poll = async () => {
    if (waiting) return;
    waiting = new AbortController();
    try {
      const told = await waitForChange(where(), cursor(), waiting.signal);
      notify("waiting");
      failures = MAX_FAILS;
      if (told > cursor()) await changed();
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
