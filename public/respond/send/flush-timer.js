/** Sends due queue items now and schedules the next attempt, by a timer and by background sync. */
import { flush } from "./send-queue.js";

/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;

export function sync() {
  clearTimeout(timer);
  void flush().then((wait) => {
    clearTimeout(timer);
    if (wait === undefined) return;
    timer = setTimeout(sync, Math.min(wait, 60_000));
    void requestSync();
  });
}

/** Background sync, where supported: the service worker sends when the network is back, even if no page is open. */
async function requestSync() {
  try {
    const registration = /** @type {any} */ (await navigator.serviceWorker?.getRegistration());
    await registration?.sync?.register("mess-queue");
  } catch {
    // The page sends when it is opened next time.
  }
}
