/** The inbox's data: loaded from the server, stored on the device, and merged with threads only the device still has. */
import { ApiError, call, readState } from "../respond/send/api.js";
import * as db from "../respond/device-store.js";
import { getKey } from "../respond/send/send-queue.js";
import { seenKey, seenMark } from "../respond/send/thread-store.js";
import { getSpec, needsForm } from "../respond/answer/answer-fields.js";
import { toText } from "../respond/thread/render-json.js";
import { getRequest } from "../respond/thread/render-request.js";

/** @type {readonly InboxGroup[]} */
export const GROUPS = ["mine", "open", "waiting", "done"];

/** Threads that are prefetched of each group, so that they open offline and their rows show more. */
const MAX_PREFETCHED_THREADS = { mine: 12, open: 20, waiting: 0, done: 6 };
const MAX_SHOWN_PDFS = 2;
const MAX_PREVIEW_CHARS = 160;

/** @type {InboxResponse | undefined} */
let current;
/** If the list comes from storage: when it was stored, in milliseconds since 1970. @type {number | undefined} */
let storedAt;
/** Last seen version by thread. @type {Map<string, string>} */
const seen = new Map();
/** Stored thread states by key. @type {Map<string, ThreadState>} */
const states = new Map();

/** Intents of all threads ever listed or stored here. @type {Map<string, string>} */
const intents = new Map();

export const inbox = () => current;
/** @param {string} key @returns {string} empty if unknown */
export const getIntent = (key) => intents.get(key) ?? "";
export const getStoredAt = () => storedAt;

/** @param {InboxThread} thread */
export const isNew = (thread) =>
  thread.group !== "done" && seen.get(getKey(thread)) !== seenMark(thread);

/** @param {readonly InboxThread[]} threads */
export const countNew = (threads) => threads.filter(isNew).length;

/** @param {InboxThread} thread */
export async function markSeen(thread) {
  seen.set(getKey(thread), seenMark(thread));
  await db.put("inbox", seenKey(getKey(thread)), seenMark(thread));
}

/** The stored state of a thread, if it is up to date. @param {InboxThread} thread */
export function getFreshState(thread) {
  const state = states.get(getKey(thread));
  return state && seenMark(state.envelope) === seenMark(thread) ? state : undefined;
}

/** The last stored state of a thread, which may be older than the list. @param {InboxThread} thread */
export const getStoredState = (thread) => states.get(getKey(thread));

/** The words of a text without the marks of Markdown. @param {string} text */
const stripMarkdown = (text) =>
  text
    .replaceAll(/^(?:#{1,6}|[>*+-]) /gm, "")
    .replaceAll(/\[([^\][]*)\]\([^()\s]*\)/g, "$1")
    .replaceAll(/\*\*|__|~~|`/g, "");

/** Text of the person's answer to an ended thread; empty if there is none. @param {InboxThread} thread */
export function getAnswerPreview(thread) {
  const state = thread.group === "done" ? getStoredState(thread) : undefined;
  const entries = (state?.messages ?? [])
    .filter(({ from }) => from === thread.me)
    .flatMap(({ MESS }) => MESS)
    .flatMap(({ response }) =>
      response && typeof response === "object" && !Array.isArray(response)
        ? [response["content"] ?? []].flat()
        : [],
    );
  return entries
    .flatMap((entry) => {
      if (typeof entry === "string") return [stripMarkdown(entry)];
      const { text, structured, file } = /** @type {JsonMap} */ (entry ?? {});
      if (typeof text === "string") return [stripMarkdown(text)];
      if (file && typeof file === "object" && !Array.isArray(file))
        return [file["name"] ?? []].flat();
      return structured && typeof structured === "object" ? Object.values(structured).flat() : [];
    })
    .map((value) => toText(/** @type {Json} */ (value)))
    .join(", ")
    .slice(0, MAX_PREVIEW_CHARS);
}

/** Names of the PDFs of a thread that needs work. @param {InboxThread} thread */
export const listPdfNames = (thread) =>
  (thread.group === "done" ? [] : (getStoredState(thread)?.attachments ?? []))
    .filter(({ mime }) => mime === "application/pdf")
    .slice(0, MAX_SHOWN_PDFS)
    .map(({ original, name }) => original ?? name);

/** True if the request needs more than one tap. @param {ThreadState} state */
export const threadNeedsForm = (state) => needsForm(getSpec(getRequest(state)));

/** @returns {Promise<boolean>} whether a list was stored */
export async function restore() {
  for (const { state } of /** @type {(StoredState | undefined)[]} */ (
    await db.all("states")
  ).flatMap((stored) => stored ?? []))
    intents.set(
      getKey({ ref: state.envelope.ref, session: state.session ?? "" }),
      state.envelope.intent,
    );
  /** @type {StoredInbox | undefined} */
  const stored = await db.get("inbox", "list");
  if (!stored || current) return current !== undefined;
  storedAt = stored.at;
  current = stored.answer;
  await loadSeen();
  return true;
}

/** @param {Partial<InboxFilter> & { cursor?: string }} [wanted] @returns {Promise<InboxResponse>} */
async function fetchInbox({ q = "", group = "all", cursor = "" } = {}) {
  const query = new URLSearchParams({
    ...(q === "" ? {} : { q }),
    ...(group === "all" ? {} : { group }),
    ...(cursor === "" ? {} : { cursor }),
  }).toString();
  return await (await call(query === "" ? "/inbox/threads" : `/inbox/threads?${query}`)).json();
}

/** @type {Promise<void> | undefined} */
let loading;

/** Reloads the inbox; concurrent calls share one request. */
export function refresh() {
  loading ??= load().finally(() => (loading = undefined));
  return loading;
}

async function load() {
  const response = await fetchInbox();
  const before = current;
  current = {
    ...response,
    threads: [...response.threads, ...(await mergeStored(response, before))],
  };
  storedAt = undefined;
  await loadSeen();
  await db.put("inbox", "list", { answer: current, at: Date.now() });
}

/**
 * Threads that the response lacks but the device has: threads of dead links, and the previous list while the index
 * is unavailable.
 * @param {InboxResponse} response
 * @param {InboxResponse | undefined} before
 * @returns {Promise<InboxThread[]>}
 */
async function mergeStored(response, before) {
  const listed = new Set(response.threads.map(getKey));
  const sessions = new Set(response.households.map(({ session }) => session));
  const missing = response.complete
    ? []
    : (before?.threads ?? []).filter(
        (thread) => !listed.has(getKey(thread)) && sessions.has(thread.session),
      );
  const ended = await Promise.all(response.ended.map(readEnded));
  return [...missing, ...ended.filter((thread) => thread !== undefined)];
}

/** @param {InboxResponse["ended"][number]} ended @returns {Promise<InboxThread | undefined>} */
async function readEnded({ ref, session, status }) {
  /** @type {StoredState | undefined} */
  const stored = await db.get("states", getKey({ ref, session }));
  if (!stored) return undefined;
  const { envelope, me, names } = stored.state;
  const member = (/** @type {string} */ id) => ({ id, name: names?.[id] ?? id });
  const { requestor, executor, history: _history, ...rest } = envelope;
  return {
    ...rest,
    status: status || rest.status,
    session,
    group: "done",
    me: me.executor,
    requestor: member(requestor),
    executor: executor === null ? null : member(executor),
  };
}

/** Loads the last seen versions and the stored states. */
async function loadSeen() {
  for (const thread of current?.threads ?? []) {
    const key = getKey(thread);
    intents.set(key, thread.intent);
    const storedMark = await db.get("inbox", seenKey(key));
    if (typeof storedMark === "string") seen.set(key, storedMark);
    /** @type {StoredState | undefined} */
    const stored = await db.get("states", key);
    if (stored) states.set(key, stored.state);
  }
}

/** Loads the next page of a group. @param {InboxGroup} group */
export async function loadMore(group) {
  const cursor = current?.next[group];
  if (!current || cursor === undefined) return;
  const response = await fetchInbox({ group, cursor });
  const known = new Set(current.threads.map(getKey));
  const { [group]: _read, ...next } = current.next;
  current = {
    ...current,
    threads: [...current.threads, ...response.threads.filter((one) => !known.has(getKey(one)))],
    next: { ...next, ...response.next },
  };
  await loadSeen();
}

/**
 * Searches on the server; offline, in the known threads.
 * @param {string} q
 * @returns {Promise<InboxThread[]>}
 */
export async function search(q) {
  try {
    const { threads, complete } = await fetchInbox({ q });
    if (complete) return threads;
  } catch (error) {
    if (!(error instanceof ApiError) || !error.transient) throw error;
  }
  const terms = q.toLowerCase().split(/\s+/).filter(Boolean);
  return (current?.threads ?? []).filter(({ intent, requestor }) =>
    terms.every((word) => `${intent} ${requestor.name}`.toLowerCase().includes(word)),
  );
}

/** Prefetches threads that may be opened next. @returns {Promise<boolean>} whether any was fetched */
export async function prefetch() {
  const missing = GROUPS.flatMap((group) =>
    (current?.threads ?? [])
      .filter((thread) => thread.group === group)
      .slice(0, MAX_PREFETCHED_THREADS[group])
      .filter((thread) => !getFreshState(thread)),
  );
  for (const thread of missing) if (!(await fetchState(thread))) return false;
  return missing.length > 0;
}

/** @param {InboxThread} thread @returns {Promise<ThreadState | undefined>} */
export async function fetchState(thread) {
  try {
    const state = await readState(thread);
    states.set(getKey(thread), state);
    await db.put("states", getKey(thread), { state, at: Date.now() });
    return state;
  } catch {
    return undefined;
  }
}
