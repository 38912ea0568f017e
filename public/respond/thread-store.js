/** The thread as the page knows it: loaded, kept for a day without network, and handed to whoever draws it. */
import { readState } from "./api.js";
import * as db from "./device-store.js";
import { isFinal } from "./messages.js";
import { getItems, getKey } from "./send-queue.js";
import { here, learnThread } from "./session.js";

/** Under which the device remembers how far a thread was seen. @param {string} key */
export const seenKey = (key) => `seen ${key}`;
/** @param {{ updated: string, status: string }} envelope */
export const seenMark = ({ updated, status }) => `${updated} ${status}`;

/** @typedef {(state: ThreadState, before: ThreadState | undefined) => void} Listener */

/** @type {ThreadState | undefined} */
let current;
/** When the state is the device's memory of it: how old, in milliseconds since 1970. */
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

/** Reads the thread anew; calls in the meantime share the answer. */
export function refresh() {
  loading ??= load().finally(() => (loading = undefined));
  return loading;
}

async function load() {
  const next = await readState(here());
  storedAt = undefined;
  await learnThread({ ref: next.envelope.ref, session: next.session ?? here().session });
  set(next);
  await store(next);
}

/** @param {ThreadState} next */
const store = async (next) => {
  await db.put("states", getKey(here()), { state: next, at: Date.now() });
  await db.put("inbox", seenKey(getKey(here())), seenMark(next.envelope));
};

/**
 * The thread ended, and its link with it: what is known of it stays to be seen.
 * @param {string} status
 * @returns {Promise<boolean>} whether anything is known of it
 */
export async function end(status) {
  if (!(await restore()) || !current) return false;
  storedAt = undefined;
  if (current.may.length === 0 && current.envelope.status === status) return true;
  // The thread cannot be read any more; who ended it is known where it was this device.
  const mine = (await getItems(here())).some((item) => item.state === "sent" && isFinal(item.act));
  const executor = mine ? current.me.executor : current.envelope.executor;
  const envelope = { ...current.envelope, executor, status: status || current.envelope.status };
  set({ ...current, envelope, may: [] });
  await store(current);
  return true;
}

/** Shows what was last known. @returns {Promise<boolean>} whether anything was */
export async function restore() {
  /** @type {StoredState | undefined} */
  const kept = await db.get("states", getKey(here()));
  if (!kept || current) return current !== undefined;
  storedAt = kept.at;
  set(kept.state);
  return true;
}

/**
 * The name that people know a member by.
 * @param {string} id
 */
export const getName = (id) =>
  current?.names?.[id] ?? current?.members.find((member) => member.id === id)?.name ?? id;

/** @param {string} name */
export const getAttachment = (name) => current?.attachments.find((one) => one.name === name);
