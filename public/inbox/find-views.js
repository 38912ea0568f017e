/** Finds out which further views the person has: agent groups and messages. Each is loaded only then. */
import * as db from "../respond/device-store.js";
import { call } from "../respond/send/api.js";
import { tools } from "./inbox-tools.js";

/**
 * @typedef {{
 *   hash: string,
 *   path: string,
 *   module: string,
 *   isUsed: (response: any) => boolean,
 *   storeKey?: string,
 * }} View `storeKey`: the response is kept on the device under it, so that the view opens offline
 */

/** Each module is a bundle of its own in the deployed copy, so that it does not count for the first view. @type {readonly View[]} */
const VIEWS = [
  {
    hash: "#agents",
    path: "/inbox/groups",
    module: "/inbox/agent-groups/agent-groups.js",
    isUsed: ({ groups }) => groups.length > 0,
  },
  {
    hash: "#messages",
    path: "/inbox/messages",
    module: "/inbox/messages/messages.js",
    isUsed: ({ households }) =>
      households.some((/** @type {MessageHousehold} */ { sources }) => sources.length > 0),
    storeKey: "messages",
  },
];

/** @type {Set<View>} */
const loaded = new Set();

/** @param {View} view */
async function look(view) {
  if (loaded.has(view) || document.visibilityState === "hidden") return;
  const isAsked = location.hash.startsWith(view.hash);
  const response = await read(view);
  if (loaded.has(view) || !(isAsked || view.isUsed(response))) return;
  loaded.add(view);
  try {
    const { start } = await import(view.module);
    await start(tools, response);
  } catch (error) {
    loaded.delete(view);
    throw error;
  }
}

/** @param {View} view */
async function read({ path, storeKey }) {
  try {
    const response = await (await call(path)).json();
    if (storeKey !== undefined) await db.put("inbox", storeKey, response);
    return response;
  } catch (error) {
    const isOffline = /** @type {{ status?: number }} */ (error).status === 0;
    const stored = storeKey !== undefined && isOffline && (await db.get("inbox", storeKey));
    if (stored) return stored;
    throw error;
  }
}

/** Looks now, and again whenever the person returns or refreshes the inbox, until there is something to show. */
export async function findViews() {
  const lookAtAll = () => Promise.all(VIEWS.map((view) => look(view).catch(() => {})));
  const lookAgain = () => void lookAtAll();
  for (const event of ["visibilitychange", "mess-refresh"])
    document.addEventListener(event, lookAgain);
  addEventListener("online", lookAgain);
  addEventListener("hashchange", lookAgain);
  await lookAtAll();
}
