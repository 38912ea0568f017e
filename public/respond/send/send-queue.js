/**
 * Queue of unsent messages. Every item is stored before it is sent and keeps one idempotency key, so that several
 * tabs and the service worker send it only once.
 */
import { ApiError, offline, postMessage } from "./api.js";
import * as db from "../device-store.js";
import { upload } from "../answer/upload.js";

/** Undo delay in milliseconds. */
export const UNDO_MS = 5_000;

const RETRY_MS = [2_000, 5_000, 15_000, 60_000];
/** Time in milliseconds for which sent items stay in the queue, for display. */
const SHOWN_MS = 24 * 3_600_000;

const channel =
  typeof BroadcastChannel === "undefined" ? undefined : new BroadcastChannel("mess-queue");

/** @typedef {{ item: QueueItem, sent?: number, total?: number }} QueueEvent */
/** @type {Set<(event: QueueEvent) => void>} */
const listeners = new Set();

/** @param {(event: QueueEvent) => void} listener */
export function onQueue(listener) {
  listeners.add(listener);
}

channel?.addEventListener("message", ({ data }) => {
  for (const listener of listeners) listener(data);
});

/** @param {QueueEvent} event */
function notify(event) {
  for (const listener of listeners) listener(event);
  // Other tabs need no file contents to draw the item.
  const files = event.item.files.map((file) => ({ ...file, blob: new Blob() }));
  channel?.postMessage({ ...event, item: { ...event.item, files } });
}

/** @param {QueueItem} item */
async function save(item) {
  await db.put("queue", item.id, item);
  notify({ item });
}

/**
 * @param {Omit<QueueItem, "id" | "state" | "created" | "hold_until">} draft
 * @param {number} hold milliseconds until it is sent
 * @param {string} [id] fixed id for an action that must be sent once, even if tapped twice
 * @returns {Promise<QueueItem>}
 */
export async function enqueue(draft, hold, id = crypto.randomUUID()) {
  const created = Date.now();
  /** @type {QueueItem | undefined} */
  const known = await db.get("queue", id);
  if (known) return known;
  /** @type {QueueItem} */
  const item = {
    ...draft,
    id,
    created,
    hold_until: created + hold,
    state: hold > 0 ? "held" : "queued",
  };
  await save(item);
  return item;
}

/** Storage key of a thread. @param {Where} where */
export const getKey = ({ ref, session }) => (session === "" ? ref : `${ref}@${session}`);

/**
 * The queue items of a thread, oldest first.
 * @param {Where} where
 * @returns {Promise<QueueItem[]>}
 */
export async function getItems(where) {
  /** @type {QueueItem[]} */
  const items = await db.all("queue");
  return items
    .filter((item) => getKey(item.where) === getKey(where))
    .toSorted((a, b) => a.created - b.created);
}

const IN_FLIGHT = ["sent", "sending"];

/**
 * Removes an item unless it is being sent.
 * @param {string} id
 * @returns {Promise<QueueItem | undefined>} undefined if it is too late
 */
export async function takeBack(id) {
  /** @type {QueueItem | undefined} */
  const item = await db.update("queue", id, (it) =>
    it && IN_FLIGHT.includes(it.state) ? it : undefined,
  );
  return item && !IN_FLIGHT.includes(item.state) ? item : undefined;
}

/** @param {string} id */
export async function sendNow(id) {
  await db.update("queue", id, (it) => (it?.state === "held" ? { ...it, hold_until: 0 } : it));
}

/** @param {string} id */
export const forget = (id) => db.remove("queue", id);

/**
 * Allows one sender at a time across all tabs and the service worker.
 * @template T
 * @param {() => Promise<T>} act
 * @returns {Promise<T>}
 */
const withLock = (act) =>
  /** @type {Promise<T>} */ (
    "locks" in navigator ? navigator.locks.request("mess-queue", act) : act()
  );

let failures = 0;

/**
 * Sends due items, oldest first.
 * @returns {Promise<number | undefined>} milliseconds until the next item is due
 */
export async function flush() {
  return await withLock(async () => {
    const items = /** @type {QueueItem[]} */ (await db.all("queue")).toSorted(
      (a, b) => a.created - b.created,
    );
    /** @type {Set<string>} */
    const stuck = new Set();
    let wait = Infinity;
    for (const item of items) {
      if (item.state === "sent" && Date.now() - item.created > SHOWN_MS)
        await db.remove("queue", item.id);
      if (["sent", "conflict", "blocked"].includes(item.state)) continue;
      const waitMs = item.hold_until - Date.now();
      if (waitMs > 0) wait = Math.min(wait, waitMs);
      // Later items of the same thread wait, to keep the order.
      if (waitMs > 0 || stuck.has(getKey(item.where))) stuck.add(getKey(item.where));
      else {
        const later = await deliver(item);
        if (later !== undefined) {
          stuck.add(getKey(item.where));
          wait = Math.min(wait, later);
        }
      }
    }
    return wait === Infinity ? undefined : wait;
  });
}

/**
 * @param {QueueItem} item
 * @returns {Promise<number | undefined>} milliseconds to the next attempt; undefined if there is none
 */
async function deliver(item) {
  try {
    if (!navigator.onLine) throw offline();
    // The item may have been removed since the list was read.
    const there = await db.update("queue", item.id, (it) => it && { ...it, state: "sending" });
    if (!there) return undefined;
    Object.assign(item, { state: "sending" });
    notify({ item });
    await deliverFiles(item);
    await postMessage(item.where, withTokens(item), item.id);
    failures = 0;
    delete item.error;
    const emptied = item.files.map((file) => ({ ...file, blob: new Blob() }));
    await save(Object.assign(item, { state: "sent", sent_at: Date.now(), files: emptied }));
    return undefined;
  } catch (error) {
    return await storeError(item, error);
  }
}

/** @param {QueueItem} item */
async function deliverFiles(item) {
  const total = item.files.reduce((sum, { size }) => sum + size, 0);
  let before = 0;
  for (const file of item.files) {
    await upload(
      item.where,
      file,
      (sent) => notify({ item, sent: before + Math.min(sent, file.size), total }),
      () => db.put("queue", item.id, item),
    );
    before += file.size;
  }
}

/**
 * @param {QueueItem} item
 * @param {unknown} error
 */
async function storeError(item, error) {
  const refused =
    error instanceof ApiError ? error : new ApiError(0, { code: "fault", message: String(error) });
  const { code, message, hint, ended } = refused;
  const how = ended === undefined ? { code } : { code: "thread_finished", status: ended };
  Object.assign(item, { error: { ...how, message, ...(hint ? { hint } : {}) } });
  if (refused.isDenied && ended === undefined)
    return void (await save(Object.assign(item, { state: "blocked" })));
  if (!refused.transient) return void (await save(Object.assign(item, { state: "conflict" })));
  const wait = Math.max(
    refused.retryAfter ?? 0,
    RETRY_MS[Math.min(failures++, RETRY_MS.length - 1)] ?? 0,
  );
  if (refused.status === 429 && item.error) item.error.retry_at = Date.now() + wait;
  await save(Object.assign(item, { state: "queued" }));
  return wait;
}

/**
 * Replaces local file ids in the blocks with upload tokens.
 * @param {QueueItem} item
 * @returns {JsonMap[]}
 */
function withTokens({ blocks, files }) {
  const tokens = new Map(files.map((file) => [`local:${file.id}`, file.token ?? ""]));
  return JSON.parse(JSON.stringify(blocks), (key, value) =>
    key === "file" && tokens.has(value) ? tokens.get(value) : value,
  );
}

/** Queues items again that an invalid session blocked. */
export async function unblock() {
  /** @type {QueueItem[]} */
  const items = await db.all("queue");
  for (const item of items) if (item.state === "blocked") await save({ ...item, state: "queued" });
}
