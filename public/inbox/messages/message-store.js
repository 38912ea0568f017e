/** The messages of all sources: loaded from the server, and kept on the device as far as they were seen. */
import { get } from "./api.js";
import { getTools } from "./texts.js";

const LIST_KEY = "messages list";
const READ_KEY = "messages read";
/** Opened messages that are kept for reading offline. */
const MAX_KEPT_MESSAGES = 40;
const PAGE_MESSAGES = 20;
const MAX_PAGE_MESSAGES = 100;

/** @typedef {{ session: string, messages: ListedMessage[], next: Record<string, string> }} MessagePage */

/** @typedef {{ pages: MessagePage[], drafts: MessageDraft[], isStored: boolean }} LoadedMessages */

/** @param {MessageFilter} filter @param {string} session @returns {string | undefined} undefined if no source is shown */
function buildQuery({ view, source, q }, session) {
  const [filtered, name] = source.split("/");
  if (source !== "" && filtered !== session) return undefined;
  const query = new URLSearchParams({ session });
  if (name !== undefined) query.set("source", name);
  if (q !== "") query.set("q", q);
  else if (view === "unseen" || view === "flagged") query.set(view, "true");
  if (/^[A-Z]/.test(view)) query.set("tier", view);
  return query.toString();
}

/**
 * @param {readonly MessageHousehold[]} households
 * @param {MessageFilter} filter
 * @param {number} count pages of each source
 * @returns {Promise<LoadedMessages>}
 */
export async function loadMessages(households, filter, count) {
  const isPlain = filter.view === "all" && filter.source === "" && filter.q === "";
  const limit = Math.min(MAX_PAGE_MESSAGES, PAGE_MESSAGES * count);
  try {
    const [pages, drafts] = await Promise.all([
      Promise.all(
        households.map(async ({ session }) => {
          const query = buildQuery(filter, session);
          const path = filter.q === "" ? "list" : "search";
          if (query === undefined || filter.view === "approve")
            return { session, messages: [], next: {} };
          return addSession(
            await get(`/inbox/messages/${path}?${query}&limit=${limit}`, session),
            session,
          );
        }),
      ),
      loadDrafts(households),
    ]);
    if (isPlain) await getTools().db.put("inbox", LIST_KEY, { pages, drafts });
    return { pages, drafts, isStored: false };
  } catch (error) {
    const isOffline = /** @type {{ status?: number }} */ (error).status === 0;
    const stored = isOffline && isPlain && (await getTools().db.get("inbox", LIST_KEY));
    if (!stored) throw error;
    return { ...stored, isStored: true };
  }
}

/** @param {readonly MessageHousehold[]} households @returns {Promise<MessageDraft[]>} */
async function loadDrafts(households) {
  const lists = await Promise.all(
    households.map(async ({ session }) => {
      const { drafts } = await get(`/inbox/drafts?session=${session}`, session);
      return drafts.map((/** @type {object} */ draft) => ({ ...draft, session }));
    }),
  );
  return lists.flat();
}

/** @param {any} page @param {string} session @returns {MessagePage} */
const addSession = ({ messages, next = {} }, session) => ({
  session,
  messages: messages.map((/** @type {object} */ message) => ({ ...message, session })),
  next,
});

/** @param {MessagePage[]} pages @param {MessageFilter} filter adds the next page of the sources that have more */
export async function loadOlder(pages, filter) {
  return await Promise.all(
    pages.map(async (page) => {
      const after = Object.entries(page.next).map(([source, cursor]) => `${source}:${cursor}`);
      const query = buildQuery(filter, page.session);
      if (after.length === 0 || query === undefined) return page;
      const older = addSession(
        await get(`/inbox/messages/list?${query}&after=${after.join(",")}`, page.session),
        page.session,
      );
      const known = new Set(page.messages.map(getKey));
      const added = older.messages.filter((one) => !known.has(getKey(one)));
      return { ...page, messages: [...page.messages, ...added], next: older.next };
    }),
  );
}

/** @param {ListedMessage} message */
export const getKey = ({ session, source, id }) => `${session}/${source}/${id}`;

/**
 * The messages of all pages, newest first, up to the point from which another source may have messages that are not
 * loaded.
 * @param {readonly MessagePage[]} pages
 */
export function mergePages(pages) {
  let horizon = -Infinity;
  for (const { messages, next } of pages)
    for (const source of Object.keys(next)) {
      const oldest = messages.findLast((message) => message.source === source);
      if (oldest) horizon = Math.max(horizon, Date.parse(oldest.received));
    }
  return pages
    .flatMap(({ messages }) => messages)
    .filter(({ received }) => Date.parse(received) >= horizon)
    .toSorted((a, b) => Date.parse(b.received) - Date.parse(a.received));
}

/**
 * @param {import("./hash.js").MessagePlace} place
 * @returns {Promise<MessageResponse & { isStored: boolean }>}
 */
export async function loadMessage({ session, source, id }) {
  const { db } = getTools();
  const key = `message ${session}/${source}/${id}`;
  try {
    /** @type {MessageResponse} */
    const response = await get(`/inbox/messages/${source}/${id}?session=${session}`, session);
    await db.put("inbox", key, response);
    await keepNewest(key);
    return { ...response, isStored: false };
  } catch (error) {
    const { status } = /** @type {{ status?: number }} */ (error);
    if (status === 404) await db.remove("inbox", key);
    const stored = status === 0 && (await db.get("inbox", key));
    if (!stored) throw error;
    return { ...stored, isStored: true };
  }
}

/** Removes those that were opened the longest ago. @param {string} key of the message that was opened now */
async function keepNewest(key) {
  const { db } = getTools();
  /** @type {string[]} */
  const before = (await db.get("inbox", READ_KEY)) ?? [];
  const keys = [key, ...before.filter((one) => one !== key)];
  for (const one of keys.slice(MAX_KEPT_MESSAGES)) await db.remove("inbox", one);
  await db.put("inbox", READ_KEY, keys.slice(0, MAX_KEPT_MESSAGES));
}

/** After a sign-out the next person must not read any of it. */
export async function forgetMessages() {
  const { db } = getTools();
  /** @type {string[]} */
  const keys = (await db.get("inbox", READ_KEY)) ?? [];
  for (const key of ["messages", LIST_KEY, READ_KEY, ...keys]) await db.remove("inbox", key);
}
