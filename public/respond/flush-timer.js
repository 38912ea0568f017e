/** Sends what is due, and comes back when there is more: by a timer, and by the browser where no page is open. */
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

/** The browser sends what waits when the network is back, also when no page is open; where it can. */
async function requestSync() {
  try {
    const registration = /** @type {any} */ (await navigator.serviceWorker?.getRegistration());
    await registration?.sync?.register("mess-queue");
  } catch {
    // The page does it, when it is opened again.
  }
}
