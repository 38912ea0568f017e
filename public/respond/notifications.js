/**
 * Shows push messages as notifications, one per thread. An action tapped there uses this browser's session and the
 * send queue, so it is sent once, and later if offline.
 */
import { toBlocks } from "./thread/messages.js";
import * as db from "./device-store.js";
import { enqueue, flush, getKey } from "./send/send-queue.js";

/** Used until the inbox has stored translated texts. */
const DEFAULT_TEXTS = {
  claim: "I’ll do it",
  decline: "Can’t",
  open: "Open",
  offer: "{name} asks",
  taken: "{name} has it now.",
  over: "No longer needed.",
  mine: "It is yours.",
  declined: "You declined.",
  kept: "Saved on this device. We’ll send it when you’re back online.",
  failed: "That was not taken: {why}",
};

/** @returns {Promise<typeof DEFAULT_TEXTS>} */
const readTexts = async () => ({ ...DEFAULT_TEXTS, ...(await db.get("inbox", "words")) });

/** @param {string} text @param {Record<string, string>} values */
const fillPlaceholders = (text, values) =>
  text.replaceAll(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);

/** @param {ServiceWorkerGlobalScope} worker */
export function listenForPush(worker) {
  const { registration } = worker;
  // Each household has its own registration; the scope contains its session.
  const session = /\/inbox\/push\/([0-9a-f]{12})\/$/.exec(registration.scope)?.[1] ?? "";

  /**
   * @param {PushPayload} payload @param {string} body
   * @param {{ silent?: boolean, actions?: PushPayload["actions"] }} [more]
   */
  const show = async (payload, body, { silent = false, actions = [] } = {}) => {
    const texts = await readTexts();
    /** @type {NotificationOptions & { actions: object[], renotify: boolean }} */
    const options = {
      body,
      tag: tagOf(payload),
      data: payload,
      icon: "/inbox/icons/icon-192.png",
      badge: "/inbox/icons/icon-192.png",
      silent,
      renotify: !silent,
      requireInteraction: payload.urgent && !silent,
      actions: [
        ...actions.map((action) => ({ action, title: texts[action] })),
        { action: "open", title: texts.open },
      ],
    };
    await registration.showNotification(payload.intent, options);
  };

  /** @param {PushPayload} note */
  const tagOf = ({ ref }) => getKey({ ref, session });

  /** @param {PushPayload} payload */
  const close = async (payload) => {
    for (const existing of await registration.getNotifications({ tag: tagOf(payload) }))
      existing.close();
  };

  /** @param {PushPayload} payload */
  const showNotification = async (payload) => {
    const texts = await readTexts();
    if (payload.kind !== "over") {
      const isRequest = payload.kind === "offer" || payload.kind === "reminder";
      const by = isRequest ? [fillPlaceholders(texts.offer, { name: payload.requestor })] : [];
      return await show(payload, [...by, ...payload.lines].join("\n"), {
        actions: payload.actions,
      });
    }
    // Browsers require a notification for every push, so one is shown and closed at once.
    const reasonKey = payload.mine
      ? texts.mine
      : payload.holder === null
        ? texts.over
        : fillPlaceholders(texts.taken, { name: payload.holder });
    await show(payload, reasonKey, { silent: true });
    await close(payload);
  };

  /** @param {PushPayload} payload */
  const openThread = async (payload) => {
    const query = new URLSearchParams({ ref: payload.ref, ...(session && { session }) }).toString();
    const windows = await worker.clients.matchAll({ type: "window", includeUncontrolled: true });
    const there = windows.find(({ url }) => new URL(url).search === `?${query}`);
    await (there?.focus() ?? worker.clients.openWindow(`/respond?${query}`));
  };

  /** @param {PushPayload} payload @param {"claim" | "decline"} action */
  const sendAction = async (payload, action) => {
    const where = { ref: payload.ref, session };
    const answer = { text: "", notes: "", files: [], values: {} };
    const blocks = toBlocks(action, payload.ref, {}, answer, []);
    const { id } = await enqueue(
      { where, act: action, blocks, files: [] },
      0,
      `note-${payload.id}-${action}`,
    );
    await flush();
    /** @type {QueueItem | undefined} */
    const item = await db.get("queue", id);
    const texts = await readTexts();
    if (item?.state === "sent")
      return await show(payload, action === "claim" ? texts.mine : texts.declined, {
        silent: true,
      });
    if (item?.state === "conflict" || item?.state === "blocked")
      return await show(
        payload,
        fillPlaceholders(texts.failed, { why: item.error?.message ?? "" }),
      );
    await show(payload, texts.kept, { silent: true });
    await /** @type {any} */ (registration).sync?.register("mess-queue");
  };

  worker.addEventListener("push", (event) => {
    const payload = readPayload(event.data);
    if (payload) event.waitUntil(showNotification(payload));
  });

  worker.addEventListener("notificationclick", (event) => {
    const { notification, action } = event;
    /** @type {PushPayload} */
    const payload = notification.data;
    notification.close();
    event.waitUntil(
      action === "claim" || action === "decline"
        ? sendAction(payload, action)
        : openThread(payload),
    );
  });
}

/** @param {PushMessageData | null} data @returns {PushPayload | undefined} */
function readPayload(data) {
  try {
    const payload = data?.json();
    return typeof payload?.ref === "string" && typeof payload.intent === "string"
      ? payload
      : undefined;
  } catch {
    return undefined;
  }
}
