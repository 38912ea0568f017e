/** Renders threads as rows with intent, requestor, deadline, a one-tap action and its send status. */
import { actLabel } from "../respond/thread/action-bar.js";
import { toAction, getAllowed, hasSteppedBack, isEnded } from "../respond/thread/messages.js";
import { arrange, fill, h, icon, memo } from "../respond/ui/dom.js";
import { maybe as maybeRespondText, t as respondText } from "../respond/ui/i18n.js";
import { getKey, UNDO_MS } from "../respond/send/send-queue.js";
import { statusName } from "../respond/thread/render-request.js";
import { ago, clock } from "../respond/ui/time-format.js";
import {
  GROUPS,
  getAnswerPreview,
  getIntent,
  getStoredState,
  getFreshState,
  inbox,
  isNew,
  listPdfNames,
  threadNeedsForm,
} from "./inbox-store.js";
import { inboxText } from "./inbox-i18n.js";

/**
 * @typedef {{
 *   act: (thread: InboxThread, act: "claim" | "completed" | "decline") => unknown,
 *   open: (thread: InboxThread) => unknown,
 *   undo: (item: QueueItem) => unknown,
 *   forget: (item: QueueItem) => unknown,
 *   more: (group: InboxGroup) => unknown,
 * }} ListHandlers
 */

/** @param {Where} where */
export const getUrl = ({ ref, session }) =>
  `/respond?${new URLSearchParams({ ref, session }).toString()}`;

/**
 * True for an open thread that the person declined or handed over; while that can be undone, it stays.
 * @param {InboxThread} thread @param {ReadonlyMap<string, QueueItem>} items
 */
function wasDeclinedOrHandedOver(thread, items) {
  const state = getStoredState(thread);
  const isPending = items.get(getKey(thread)) !== undefined;
  return thread.group === "open" && state !== undefined && !isPending && hasSteppedBack(state);
}

/** The action of the row's button; undefined if none is allowed. @param {InboxThread} thread */
export function getAction(thread) {
  const state = getFreshState(thread);
  const allowed = state && getAllowed(state);
  if (thread.group === "open")
    return allowed && !allowed.get("claim")?.allowed ? undefined : /** @type {const} */ ("claim");
  if (thread.group !== "mine" || ["waiting", "held"].includes(thread.status)) return undefined;
  if (state && threadNeedsForm(state)) return /** @type {const} */ ("answer");
  return allowed && !allowed.get("completed")?.allowed
    ? undefined
    : /** @type {const} */ ("completed");
}

/**
 * @param {HTMLElement} place
 * @param {readonly InboxThread[]} threads
 * @param {InboxFilter} filter
 * @param {ReadonlyMap<string, QueueItem>} items queue items by thread
 * @param {ListHandlers} on
 */
export function renderGroups(place, threads, filter, items, on) {
  const groups = GROUPS.filter((group) => filter.group === "all" || filter.group === group);
  const sections = groups.flatMap((group) => {
    const rows = sortRows(
      group,
      threads.filter((thread) => thread.group === group && !wasDeclinedOrHandedOver(thread, items)),
      filter.sort,
    );
    return rows.length > 0 ? [section(group, rows, filter, items, on)] : [];
  });
  arrange(place, sections.length > 0 ? sections : empty(filter));
  place.removeAttribute("aria-busy");
}

/**
 * Threads that still need work: by priority or by deadline, then by the other of the two, then the oldest first. Ended
 * ones: newest first.
 * @param {InboxGroup} group @param {InboxThread[]} rows @param {InboxFilter["sort"]} sort
 */
function sortRows(group, rows, sort) {
  if (group === "done") return rows;
  const byPriority = (/** @type {InboxThread} */ a, /** @type {InboxThread} */ b) =>
    PRIORITIES.indexOf(b.priority) - PRIORITIES.indexOf(a.priority);
  const byDeadline = (/** @type {InboxThread} */ a, /** @type {InboxThread} */ b) =>
    getDeadline(a) - getDeadline(b) || 0;
  const [first, second] = sort === "due" ? [byDeadline, byPriority] : [byPriority, byDeadline];
  return rows.toSorted(
    (a, b) => first(a, b) || second(a, b) || Date.parse(a.created) - Date.parse(b.created),
  );
}

/** A finite number, because Infinity - Infinity is NaN and would break the sort. @param {InboxThread} thread */
const getDeadline = ({ expires }) =>
  expires === undefined ? Number.MAX_SAFE_INTEGER : Date.parse(expires);

const PRIORITIES = ["background", "normal", "elevated", "urgent"];

/** @param {InboxFilter} filter */
const empty = ({ q, newOnly, group }) => {
  const isUnfiltered = q === "" && !newOnly && group === "all";
  return memo("empty", isUnfiltered, () => [
    h(
      "div",
      { class: "nothing" },
      isUnfiltered && h("span", { class: "closed-mark" }, icon("check")),
      h("p", {}, inboxText(isUnfiltered ? "nothing" : "nothing_found")),
    ),
  ]);
};

/** Text keys of the group headings. */
const GROUP_TITLE_KEYS = /** @type {const} */ ({
  mine: "group_mine",
  open: "group_open",
  waiting: "group_waiting",
  done: "group_done",
});

/** @param {InboxGroup} group */
const groupName = (group) => inboxText(GROUP_TITLE_KEYS[group]);

/** Short group name, for tabs. @param {InboxGroup} group */
export const tabName = (group) =>
  group === "open"
    ? inboxText("tab_open")
    : group === "waiting"
      ? inboxText("tab_waiting")
      : groupName(group);

/**
 * @param {InboxGroup} group @param {InboxThread[]} rows @param {InboxFilter} filter
 * @param {ReadonlyMap<string, QueueItem>} items @param {ListHandlers} on
 */
function section(group, rows, filter, items, on) {
  const [element] = memo(`group ${group}`, "", () => [
    h(
      "section",
      { class: "group", data: { group }, "aria-labelledby": `group-${group}` },
      h("h2", { id: `group-${group}` }, groupName(group)),
      h("ul", { class: "rows" }),
      h(
        "button",
        {
          type: "button",
          class: "quiet",
          hidden: true,
          on: { click: () => void on.more(group) },
        },
        inboxText("more"),
      ),
    ),
  ]);
  const list = /** @type {HTMLElement} */ (element?.querySelector("ul"));
  arrange(
    list,
    rows.flatMap((thread) => row(thread, items.get(getKey(thread)), on)),
  );
  const more = /** @type {HTMLElement} */ (element?.querySelector(":scope > button"));
  more.hidden = inbox()?.next[group] === undefined || filter.q !== "";
  return /** @type {HTMLElement} */ (element);
}

/** @param {InboxThread} thread @param {QueueItem | undefined} item @param {ListHandlers} on */
function row(thread, item, on) {
  const key = getKey(thread);
  const unsentItem = item && { ...item, files: [], answer: undefined };
  const preview = getAnswerPreview(thread);
  const pdfs = listPdfNames(thread);
  const age = ago(thread.created);
  const memoKey = [thread, isNew(thread), getAction(thread), unsentItem, age, preview, pdfs];
  return memo(`row ${key}`, memoKey, () => [
    h(
      "li",
      { class: `row-card${isNew(thread) ? " new" : ""}`, data: { ref: thread.ref } },
      h(
        "div",
        { class: "row-text" },
        h(
          "a",
          {
            href: getUrl(thread),
            class: "row-link",
            dir: "auto",
            on: { click: () => void on.open(thread) },
          },
          thread.intent,
        ),
        h(
          "p",
          { class: "faint row-meta" },
          isNew(thread) && h("span", { class: "chip calm" }, inboxText("is_new")),
          h(
            "span",
            {},
            inboxText("by", { name: thread.requestor.name }),
            " · ",
            h("time", { datetime: thread.created }, age),
          ),
          ...chips(thread),
          ...pdfs.map((name) =>
            h(
              "span",
              { class: "chip", dir: "auto" },
              icon("file"),
              h("span", { class: "filename" }, name),
            ),
          ),
        ),
        preview !== "" && h("p", { class: "preview" }, inboxText("answer_was", { text: preview })),
      ),
      buttons(thread, item, on),
      item && pendingNote(item, on),
    ),
  ]);
}

/** @param {InboxThread} thread */
function chips({ status, priority, expires, group, executor, me }) {
  const plain = ["pending", "claimed", "completed"].includes(status);
  const urgent = !isEnded(status) && ["urgent", "elevated"].includes(priority);
  return [
    urgent &&
      h(
        "span",
        { class: `chip ${priority === "urgent" ? "bad" : "warn"}` },
        maybeRespondText(`priority_${priority}`) ?? priority,
      ),
    !plain && h("span", { class: "chip" }, statusName(status)),
    group === "waiting" &&
      executor &&
      executor.id !== me &&
      h("span", {}, inboxText("taken_by", { name: executor.name })),
    expires &&
      !isEnded(status) &&
      h(
        "span",
        { class: "chip", title: clock(expires), data: { until: expires } },
        icon("clock"),
        h("time", { datetime: expires }),
      ),
  ];
}

/** @param {InboxThread} thread @param {QueueItem | undefined} item @param {ListHandlers} on */
function buttons(thread, item, on) {
  const main = button(thread, item, on);
  const state = getFreshState(thread);
  const mayDecline = state === undefined || getAllowed(state).get("decline")?.allowed === true;
  if (main === undefined || thread.group !== "open" || !mayDecline) return main;
  const decline = h(
    "button",
    {
      type: "button",
      class: "quiet row-decline",
      data: { action: "decline" },
      "aria-label": `${actLabel("decline", false)}: ${thread.intent}`,
      on: { click: () => void on.act(thread, "decline") },
    },
    actLabel("decline", false),
  );
  return h("div", { class: "row-acts" }, decline, main);
}

/** @param {InboxThread} thread @param {QueueItem | undefined} item @param {ListHandlers} on */
function button(thread, item, on) {
  const act = getAction(thread);
  if (act === undefined || (item && item.state !== "sent")) return undefined;
  if (act === "answer")
    return h(
      "a",
      {
        class: "secondary row-act",
        href: getUrl(thread),
        "aria-label": `${respondText("answer")}: ${thread.intent}`,
        on: { click: () => void on.open(thread) },
      },
      respondText("answer"),
    );
  return h(
    "button",
    {
      type: "button",
      class: `secondary row-act${act === "claim" ? " take" : ""}`,
      data: { action: act },
      "aria-label": `${actLabel(act, false)}: ${thread.intent}`,
      on: { click: () => void on.act(thread, act) },
    },
    icon("check"),
    h("span", {}, actLabel(act, false)),
  );
}

/**
 * Shows unsent or refused items of threads that are no longer listed, for example because someone else claimed them.
 * @param {HTMLElement} place
 * @param {readonly QueueItem[]} unsent
 * @param {ListHandlers} on
 */
export function renderUnsent(place, unsent, on) {
  fill(
    place,
    ...unsent.map((item) =>
      h(
        "div",
        { class: "row-lost" },
        h("a", { class: "row-link", dir: "auto", href: getUrl(item.where) }, unsentName(item)),
        pendingNote(item, on),
      ),
    ),
  );
  place.hidden = unsent.length === 0;
}

/** @param {QueueItem} item */
const unsentName = ({ where }) => getIntent(getKey(where)) || where.ref;

/** The send status of a queue item. @param {QueueItem} item @param {ListHandlers} on */
function pendingNote(item, on) {
  const action = toAction(item.act);
  const actionLabel = action ? actLabel(action, false) : item.act;
  const bad = item.state === "conflict" || item.state === "blocked";
  const reason =
    maybeRespondText(`why_${item.error?.code ?? ""}`) ??
    item.error?.message ??
    respondText("queued_retry");
  const statusText = {
    held: respondText("sending_soon", { n: UNDO_MS / 1_000 }),
    queued: respondText(navigator.onLine ? "queued_retry" : "queued_offline"),
    sending: respondText("sending"),
    conflict: reason,
    blocked: reason,
    sent: "",
  }[item.state];
  if (statusText === "") return undefined;
  const countdown = h("span", { class: "countdown", "aria-hidden": "true" });
  countdown.style.animationDuration = `${UNDO_MS}ms`;
  countdown.style.animationDelay = `-${UNDO_MS - Math.max(0, item.hold_until - Date.now())}ms`;
  return h(
    "div",
    { class: `send ${bad ? "bad" : "calm"}`, data: { state: item.state } },
    h("p", {}, h("strong", {}, actionLabel), " ", statusText),
    item.state === "held"
      ? h(
          "button",
          {
            type: "button",
            class: "secondary",
            data: { action: "undo" },
            on: { click: () => void on.undo(item) },
          },
          respondText("undo"),
        )
      : bad &&
          h(
            "button",
            { type: "button", class: "quiet", on: { click: () => void on.forget(item) } },
            respondText("close"),
          ),
    item.state === "held" && countdown,
  );
}
