/**
 * Notifications: what a push message says is shown, one for each thread, and what is tapped there is said with the
 * session of this browser, once. It goes through the same queue as everything else, so it also waits for the network.
 */
import { blocksOf } from "./messages.js";
import * as db from "./device-store.js";
import { enqueue, flush, keyOf } from "./send-queue.js";

/** Where the page has left no words of its own. */
const WORDS = {
  claim: "I’ll do it",
  decline: "Can’t",
  open: "Open",
  offer: "{name} asks",
  taken: "{name} has it now.",
  over: "No longer needed.",
  mine: "It is yours.",
  declined: "You declined.",
  kept: "Kept on this device. It is sent as soon as you are online.",
  failed: "That was not taken: {why}",
};

/** @returns {Promise<typeof WORDS>} */
const wordsKept = async () => ({ ...WORDS, ...(await db.get("inbox", "words")) });

/** @param {string} text @param {Record<string, string>} values */
const filled = (text, values) =>
  text.replaceAll(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);

/** @param {ServiceWorkerGlobalScope} worker */
export function listenForNotes(worker) {
  const { registration } = worker;
  // Each household has a registration of its own, whose scope names its session.
  const session = /\/inbox\/push\/([0-9a-f]{12})\/$/.exec(registration.scope)?.[1] ?? "";

  /**
   * @param {PushNote} note @param {string} body
   * @param {{ silent?: boolean, actions?: PushNote["actions"] }} [more]
   */
  const show = async (note, body, { silent = false, actions = [] } = {}) => {
    const words = await wordsKept();
    /** @type {NotificationOptions & { actions: object[], renotify: boolean }} */
    const options = {
      body,
      tag: tagOf(note),
      data: note,
      icon: "/inbox/icons/icon-192.png",
      badge: "/inbox/icons/icon-192.png",
      silent,
      renotify: !silent,
      requireInteraction: note.urgent && !silent,
      actions: [
        ...actions.map((action) => ({ action, title: words[action] })),
        { action: "open", title: words.open },
      ],
    };
    await registration.showNotification(note.intent, options);
  };

  /** @param {PushNote} note */
  const tagOf = ({ ref }) => keyOf({ ref, session });

  /** @param {PushNote} note */
  const close = async (note) => {
    for (const shown of await registration.getNotifications({ tag: tagOf(note) })) shown.close();
  };

  /** @param {PushNote} note */
  const tell = async (note) => {
    const words = await wordsKept();
    if (note.kind !== "over") {
      const asks = note.kind === "offer" || note.kind === "reminder";
      const by = asks ? [filled(words.offer, { name: note.requestor })] : [];
      return await show(note, [...by, ...note.lines].join("\n"), { actions: note.actions });
    }
    // Browsers want every push message to show something: it says why, and goes.
    const why = note.mine
      ? words.mine
      : note.holder === null
        ? words.over
        : filled(words.taken, { name: note.holder });
    await show(note, why, { silent: true });
    await close(note);
  };

  /** @param {PushNote} note */
  const open = async (note) => {
    const query = new URLSearchParams({ ref: note.ref, ...(session && { session }) }).toString();
    const windows = await worker.clients.matchAll({ type: "window", includeUncontrolled: true });
    const there = windows.find(({ url }) => new URL(url).search === `?${query}`);
    await (there?.focus() ?? worker.clients.openWindow(`/respond?${query}`));
  };

  /** @param {PushNote} note @param {"claim" | "decline"} act */
  const say = async (note, act) => {
    const where = { ref: note.ref, session };
    const answer = { text: "", notes: "", files: [], values: {} };
    const blocks = blocksOf(act, note.ref, {}, answer, []);
    const { id } = await enqueue({ where, act, blocks, files: [] }, 0, `note-${note.id}-${act}`);
    await flush();
    /** @type {QueueItem | undefined} */
    const item = await db.get("queue", id);
    const words = await wordsKept();
    if (item?.state === "sent")
      return await show(note, act === "claim" ? words.mine : words.declined, { silent: true });
    if (item?.state === "conflict" || item?.state === "blocked")
      return await show(note, filled(words.failed, { why: item.error?.message ?? "" }));
    await show(note, words.kept, { silent: true });
    await /** @type {any} */ (registration).sync?.register("mess-queue");
  };

  worker.addEventListener("push", (event) => {
    const note = noteIn(event.data);
    if (note) event.waitUntil(tell(note));
  });

  worker.addEventListener("notificationclick", (event) => {
    const { notification, action } = event;
    /** @type {PushNote} */
    const note = notification.data;
    notification.close();
    event.waitUntil(action === "claim" || action === "decline" ? say(note, action) : open(note));
  });
}

/** @param {PushMessageData | null} data @returns {PushNote | undefined} */
function noteIn(data) {
  try {
    const note = data?.json();
    return typeof note?.ref === "string" && typeof note.intent === "string" ? note : undefined;
  } catch {
    return undefined;
  }
}
