/**
 * What the page keeps on the device: the last state of each thread, what is written and not sent, what waits to be
 * sent. Where the browser keeps nothing (private windows, a full disk) it lives as long as the page, and says so.
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

let durable = true;

/** False once the device refused to keep something. */
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
        // Another version of the page must not wait for this one.
        request.result.addEventListener("versionchange", () => request.result.close());
        resolve(request.result);
      });
      request.addEventListener("error", forget);
      request.addEventListener("blocked", forget);
    } catch {
      forget();
    }
  }));

/**
 * @template T
 * @param {StoreName} store
 * @param {IDBTransactionMode} mode
 * @param {(store: IDBObjectStore) => IDBRequest<T>} act
 * @returns {Promise<T>}
 */
async function transact(store, mode, act) {
  const database = await open();
  if (!database) throw new Error("no database");
  return await new Promise((resolve, reject) => {
    const transaction = database.transaction(store, mode);
    const request = act(transaction.objectStore(store));
    const fail = () => reject(transaction.error ?? new Error("not kept"));
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
 * @returns {Promise<boolean>} false when it lives only as long as the page
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
 * Reads and writes in one step, which no other tab comes between.
 * @param {StoreName} store
 * @param {string} key
 * @param {(value: any) => any} change the value to keep; undefined removes it; the same leaves it
 * @returns {Promise<any>} what was there before
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
    // It was never kept.
  }
}
