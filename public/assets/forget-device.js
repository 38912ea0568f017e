// @ts-check
/**
 * On sign-out, removes the inbox's data from the device: list, thread states, push subscriptions. Drafts and unsent
 * messages stay, so that no text is lost.
 */

/** Longest delay of the sign-out, in milliseconds. */
const TIMEOUT_MS = 3_000;

/** Until the data is deleted: the pages delete it before they read any. */
const FORGET_KEY = "mess-forget";

export async function forgetDevice() {
  try {
    localStorage.setItem(FORGET_KEY, "1");
  } catch {
    // The browser stores nothing.
  }
  const late = new Promise((resolve) => {
    setTimeout(resolve, TIMEOUT_MS);
  });
  await Promise.race([Promise.allSettled([endNotifications(), emptyInbox()]), late]);
}

/** The push service rejects the household's next message, which then deletes the subscription. */
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
  await deleteData();
  localStorage.removeItem(FORGET_KEY);
}

async function deleteData() {
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
