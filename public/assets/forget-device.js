// @ts-check
/**
 * Signing out takes from the device what the inbox kept there for its person: the list, the pages, the notifications.
 * What was written and not sent stays, so that no word is lost.
 */

/** Milliseconds that signing out waits for it. */
const TIMEOUT_MS = 3_000;

export async function forgetDevice() {
  const late = new Promise((resolve) => {
    setTimeout(resolve, TIMEOUT_MS);
  });
  await Promise.race([Promise.allSettled([endNotifications(), emptyInbox()]), late]);
}

/** The push service tells the household of it: the next message finds the browser gone. */
async function endNotifications() {
  const registrations = (await navigator.serviceWorker?.getRegistrations()) ?? [];
  await Promise.all(
    registrations.map(async ({ pushManager }) => {
      const subscription = await pushManager.getSubscription();
      await subscription?.unsubscribe();
    }),
  );
}

async function emptyInbox() {
  const known = await indexedDB.databases();
  if (!known.some(({ name }) => name === "mess-respond")) return;
  /** @type {IDBDatabase} */
  const database = await new Promise((resolve, reject) => {
    const opening = indexedDB.open("mess-respond");
    opening.addEventListener("success", () => resolve(opening.result));
    opening.addEventListener("error", () => reject(opening.error));
  });
  const storeNames = ["inbox", "states"].filter((name) => database.objectStoreNames.contains(name));
  if (storeNames.length > 0) {
    const emptying = database.transaction(storeNames, "readwrite");
    for (const name of storeNames) emptying.objectStore(name).clear();
    await new Promise((resolve, reject) => {
      emptying.addEventListener("complete", resolve);
      emptying.addEventListener("error", reject);
    });
  }
  database.close();
}
