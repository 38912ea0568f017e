/** The current state of the thread: loads it, stores it for offline use, notifies listeners. */
import { readState } from "./api.js";
import * as db from "../device-store.js";
import { isFinal } from "../thread/messages.js";
import { getItems, getKey } from "./send-queue.js";
import { here, rememberThread } from "../session.js";

/** Storage key of the last seen version of a thread. @param {string} key */
export const seenKey = (key) => `seen ${key}`;
/** @param {{ updated: string, status: string }} envelope */
export const seenMark = ({ updated, status }) => `${updated} ${status}`;

/** @typedef {(state: ThreadState, before: ThreadState | undefined) => void} Listener */

/** @type {ThreadState | undefined} */
let current;
/** If the state comes from storage: when it was stored, in milliseconds since 1970. */
/** @type {number | undefined} */
let storedAt;
/** @type {Set<Listener>} */
const listeners = new Set();

export const state = () => current;
export const getStoredAt = () => storedAt;

/** @param {Listener} listener */
export function onState(listener) {
  listeners.add(listener);
}

/** @param {ThreadState} next */
function set(next) {
  const before = current;
  current = next;
  for (const listener of listeners) listener(next, before);
}

/** @type {Promise<void> | undefined} */
let loading;

/** A reload that starts when the present one has ended. @type {Promise<void> | undefined} */
let queued;

/**
 * Reloads the thread. A call during a reload waits for another one, since the present one may have read the thread
 * before the change that caused the call; further calls share it.
 * @returns {Promise<void>}
 */
export function refresh() {
  if (!loading) {
    loading = load().finally(() => (loading = undefined));
    return loading;
  }
  queued ??= loading
    .catch(() => {})
    .then(() => {
      queued = undefined;
      return refresh();
    });
  return queued;
}

async function load() {
  const next = await readState(here());
  storedAt = undefined;
  await rememberThread({ ref: next.envelope.ref, session: next.session ?? here().session });
  set(next);
  await store(next);
}

/** @param {ThreadState} next */
const store = async (next) => {
  await db.put("states", getKey(here()), { state: next, at: Date.now() });
  await db.put("inbox", seenKey(getKey(here())), seenMark(next.envelope));
};

/**
 * Shows the stored state of a thread that ended; its link no longer works.
 * @param {string} status
 * @param {string} [note] the reason that was given
 * @returns {Promise<boolean>} whether a state was stored
 */
export async function end(status, note) {
  if (!(await restore()) || !current) return false;
  storedAt = undefined;
  if (current.may.length === 0 && current.envelope.status === status) return true;
  // The thread cannot be read any more, but this device knows whether it ended it.
  const mine = (await getItems(here())).some((item) => item.state === "sent" && isFinal(item.act));
  const executor = mine ? current.me.executor : current.envelope.executor;
  const last = status || current.envelope.status;
  const row = { action: last, at: "", by: "", ...(note ? { note } : {}) };
  const history = [...current.envelope.history, row];
  const envelope = { ...current.envelope, executor, status: last, history };
  set({ ...current, envelope, may: [] });
  await store(current);
  return true;
}

/** Shows the stored state. @returns {Promise<boolean>} whether there is one */
export async function restore() {
  /** @type {StoredState | undefined} */
  const stored = await db.get("states", getKey(here()));
  if (!stored || current) return current !== undefined;
  storedAt = stored.at;
  set(stored.state);
  return true;
}

/**
 * The display name of a member.
 * @param {string} id
 */
export const getName = (id) =>
  current?.names?.[id] ?? current?.members.find((member) => member.id === id)?.name ?? id;

/**
 * The file of this thread, or of an earlier one to which its request refers.
 * @param {string} name `att-…`, or `content://{thread}/att-…`
 */
export function getAttachment(name) {
  const isForeign =
    name.startsWith("content://") && !name.startsWith(`content://${current?.envelope.ref}/`);
  const files = isForeign
    ? getEarlier()
        .filter(({ ref }) => name.startsWith(`content://${ref}/`))
        .flatMap(({ attachments }) => attachments)
    : (current?.attachments ?? []);
  return files.find((one) => one.name === name.slice(name.lastIndexOf("/") + 1));
}

/** The earlier threads to which the request refers. @returns {EarlierThread[]} */
export const getEarlier = () => current?.earlier ?? [];
