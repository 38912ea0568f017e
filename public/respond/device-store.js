/**
 * Storage on the device (IndexedDB): last thread states, drafts, the send queue. If the browser refuses to store
 * (private window, full disk), values stay in memory until the page closes and `isDurable` is false.
 */

/** @typedef {"states" | "queue" | "drafts" | "codes" | "inbox"} StoreName */

/** @type {readonly StoreName[]} */
const STORES = ["states", "queue", "drafts", "codes", "inbox"];

/** @type {Record<StoreName, Map<string, any>>} */
const memory = {
  states: new Map(),
  queue: new Map(),
  drafts: new Map(),
  codes: new Map(),
  inbox: new Map(),
};

/** A sign-out sets it until the device's data is deleted, which may take longer than the page lives. */
const FORGET_KEY = "mess-forget";
/** Stores that a sign-out empties. @type {readonly StoreName[]} */
const FORGOTTEN_STORES = ["states", "inbox"];

let durable = true;

/** False after the browser refused to store something. */
export const isDurable = () => durable;

/** @type {Promise<IDBDatabase | undefined> | undefined} */
let opened;

const open = () =>
  (opened ??= new Promise((resolve) => {
    const forget = () => {
      durable = false;
      resolve(undefined);
    };
    try {
      const request = indexedDB.open("mess-respond", 2);
      request.addEventListener("upgradeneeded", () => {
        const { objectStoreNames: there } = request.result;
        for (const name of STORES)
          if (!there.contains(name)) request.result.createObjectStore(name);
      });
      request.addEventListener("success", () => {
        // Lets a newer version of the page upgrade the database.
        request.result.addEventListener("versionchange", () => request.result.close());
        resolve(request.result);
        finishForgetting(request.result);
      });
      request.addEventListener("error", forget);
      request.addEventListener("blocked", forget);
    } catch {
      forget();
    }
  }));

/**
 * Deletes the data that an earlier sign-out left. Later transactions of the page wait for this one.
 * @param {IDBDatabase} database
 */
function finishForgetting(database) {
  // Service workers have no `localStorage`; the pages delete before they read.
  const { localStorage: marks } = /** @type {any} */ (globalThis);
  if (!marks?.getItem(FORGET_KEY)) return;
  const emptying = database.transaction(FORGOTTEN_STORES, "readwrite");
  for (const name of FORGOTTEN_STORES) emptying.objectStore(name).clear();
  emptying.addEventListener("complete", () => marks.removeItem(FORGET_KEY));
}

/**
 * @template T
 * @param {StoreName} store
 * @param {IDBTransactionMode} mode
 * @param {(store: IDBObjectStore) => IDBRequest<T>} act
 * @returns {Promise<T>}
 */
async function transact(store, mode, act) {
  const database = await open();
  if (!database) throw new Error("IndexedDB is not available");
  return await new Promise((resolve, reject) => {
    const transaction = database.transaction(store, mode);
    const request = act(transaction.objectStore(store));
    const fail = () => reject(transaction.error ?? new Error("the value could not be stored"));
    transaction.addEventListener("complete", () => resolve(request.result));
    transaction.addEventListener("error", fail);
    transaction.addEventListener("abort", fail);
  });
}

/**
 * @param {StoreName} store
 * @param {string} key
 * @returns {Promise<any>}
 */
export async function get(store, key) {
  try {
    return memory[store].get(key) ?? (await transact(store, "readonly", (it) => it.get(key)));
  } catch {
    return undefined;
  }
}

/**
 * @param {StoreName} store
 * @returns {Promise<any[]>}
 */
export async function all(store) {
  const here = [...memory[store].values()];
  try {
    return [...(await transact(store, "readonly", (it) => it.getAll())), ...here];
  } catch {
    return here;
  }
}

/**
 * @param {StoreName} store
 * @param {string} key
 * @param {unknown} value
 * @returns {Promise<boolean>} false if stored in memory only
 */
export async function put(store, key, value) {
  try {
    await transact(store, "readwrite", (it) => it.put(value, key));
    memory[store].delete(key);
    return true;
  } catch {
    memory[store].set(key, value);
    durable = false;
    return false;
  }
}

/**
 * Reads and writes in one transaction, atomic across tabs.
 * @param {StoreName} store
 * @param {string} key
 * @param {(value: any) => any} change returns the new value; undefined deletes it; the same value changes nothing
 * @returns {Promise<any>} the previous value
 */
export async function update(store, key, change) {
  if (memory[store].has(key)) {
    const before = memory[store].get(key);
    const after = change(before);
    if (after === undefined) memory[store].delete(key);
    else memory[store].set(key, after);
    return before;
  }
  return await transact(store, "readwrite", (it) => {
    const request = it.get(key);
    request.addEventListener("success", () => {
      const after = change(request.result);
      if (after === undefined) it.delete(key);
      else if (after !== request.result) it.put(after, key);
    });
    return request;
  }).catch(() => undefined);
}

/**
 * @param {StoreName} store
 * @param {string} key
 */
export async function remove(store, key) {
  memory[store].delete(key);
  try {
    await transact(store, "readwrite", (it) => it.delete(key));
  } catch {
    // Nothing was stored.
  }
}
