/**
 * Shows push messages as notifications, one per thread. An action tapped there uses this browser's session and the
 * send queue, so it is sent once, and later if offline.
 */
import { toBlocks } from "./thread/messages.js";
import * as db from "./device-store.js";
import { enqueue, flush, getKey } from "./send/send-queue.js";
import { RIGHT_TO_LEFT_SCRIPT } from "./ui/locale.js";

/** Used until the inbox has stored translated texts. */
const DEFAULT_TEXTS = {
  yes: "Yes",
  no: "No",
  answered: "Answered: {text}",
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
  text.replaceAll(/\{(\w+)\}/g, (whole, name) =>
    values[name] === undefined ? whole : isolateIn(text, values[name]),
  );

/** Isolates a value where its direction may differ from the text's. @param {string} text @param {string} value */
const isolateIn = (text, value) =>
  RIGHT_TO_LEFT_SCRIPT.test(text + value) ? `\u2068${value}\u2069` : value;

/** @param {ServiceWorkerGlobalScope} worker */
export function listenForPush(worker) {
  const { registration } = worker;
  // Each household has its own registration; the scope contains its session.
  const session = /\/inbox\/push\/([0-9a-f]{12})\/$/.exec(registration.scope)?.[1] ?? "";

  /**
   * @param {PushPayload} payload @param {string} body
   * @param {{ silent?: boolean, actions?: { action: string, title: string }[] }} [more]
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
      actions: [...actions, { action: "open", title: texts.open }],
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
        actions: listActions(payload, texts),
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

  /** @param {PushPayload} payload @param {string} action */
  const sendAction = async (payload, action) => {
    const where = { ref: payload.ref, session };
    const answer = { text: "", notes: "", files: [], values: {} };
    const reply = findReply(payload, action);
    const act = reply ? "completed" : action === "claim" ? "claim" : "decline";
    const response = {
      response: { re: payload.ref, content: [/** @type {any} */ (reply?.entry)] },
    };
    const blocks = [...(reply ? [response] : []), ...toBlocks(act, payload.ref, {}, answer, [])];
    const { id } = await enqueue(
      { where, act, blocks, files: [] },
      0,
      // Two taps on different replies must not send both.
      `note-${payload.id}-${reply ? "reply" : action}`,
    );
    await flush();
    /** @type {QueueItem | undefined} */
    const item = await db.get("queue", id);
    const texts = await readTexts();
    if (item?.state === "sent")
      return await show(
        payload,
        reply
          ? fillPlaceholders(texts.answered, { text: replyTitle(reply, texts) })
          : action === "claim"
            ? texts.mine
            : texts.declined,
        { silent: true },
      );
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
      action === "claim" || action === "decline" || findReply(payload, action)
        ? sendAction(payload, action)
        : openThread(payload),
    );
  });
}

/** @param {PushPayload} payload @param {string} action */
const findReply = ({ replies = [] }, action) =>
  replies.find((_one, index) => action === `reply-${index}`);

/** @param {NonNullable<PushPayload["replies"]>[number]} reply @param {typeof DEFAULT_TEXTS} texts */
const replyTitle = ({ label }, texts) => (typeof label === "string" ? texts[label] : label.text);

/**
 * The buttons: the replies if the platform shows all of them, else to claim and to decline.
 * @param {PushPayload} payload @param {typeof DEFAULT_TEXTS} texts
 */
function listActions({ actions, replies = [] }, texts) {
  const { maxActions = 2 } = /** @type {{ maxActions?: number }} */ (Notification);
  return replies.length > 0 && replies.length <= maxActions
    ? replies.map((reply, index) => ({ action: `reply-${index}`, title: replyTitle(reply, texts) }))
    : actions.map((action) => ({ action, title: texts[action] }));
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
