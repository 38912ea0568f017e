/** The messages of a group as a list, oldest first. Texts of agents are shown as text, never as markup. */
import { h, icon } from "../../respond/ui/dom.js";
import { getTools, groupText } from "./texts.js";

/** Longer texts are shown in part until the person wants all. */
const MAX_SHOWN_CHARS = 700;
const MAX_NAMED_RECEIVERS = 2;

/** Positions of messages that the person has opened in full. @type {Set<string>} */
const opened = new Set();

/** @param {ViewedGroup} group @param {string} id */
export function getName(group, id) {
  if (id === "exchange") return groupText("system");
  return group.members.find((member) => member.id === id)?.name ?? id;
}

/**
 * Messages that a person sent to all at once are one item.
 * @param {readonly GroupMessage[]} messages
 * @returns {{ message: GroupMessage, receivers: string[] }[]}
 */
function joinAnnouncements(messages) {
  /** @type {{ message: GroupMessage, receivers: string[] }[]} */
  const joined = [];
  for (const message of messages) {
    const last = joined.at(-1);
    const { from, at, content, person } = message;
    const isSame =
      person &&
      last?.message.person &&
      last.message.from === from &&
      last.message.at === at &&
      last.message.content === content;
    if (isSame) last.receivers.push(message.to);
    else joined.push({ message, receivers: [message.to] });
  }
  return joined;
}

/**
 * @param {readonly GroupMessage[]} messages @param {ViewedGroup} group
 * @param {HTMLElement} feed of which unchanged items are used again
 */
export function buildFeedItems(messages, group, feed) {
  const known = new Map(
    [...feed.children].flatMap((item) =>
      item instanceof HTMLElement ? [[item.dataset["shown"] ?? "", item]] : [],
    ),
  );
  return joinAnnouncements(messages).map(({ message, receivers }) => {
    const names = [message.from, ...receivers].map((id) => getName(group, id));
    const key = [
      document.documentElement.lang,
      message.id,
      message.task_status ?? "",
      opened.has(message.id),
      ...names,
    ].join("|");
    return known.get(key) ?? buildItem(message, names, key);
  });
}

/** @param {GroupMessage} message @param {string[]} names sender and receivers @param {string} key */
function buildItem(message, [from = "", ...receivers], key) {
  const { id, at, person, importance, late, files_modified: files = [] } = message;
  const to =
    receivers.length > MAX_NAMED_RECEIVERS
      ? groupText("to_all", { n: receivers.length })
      : receivers.join(", ");
  return h(
    "li",
    {
      class: person ? "ag-item ag-person" : "ag-item",
      tabindex: "-1",
      data: { shown: key, message: id },
    },
    h(
      "p",
      { class: "ag-route" },
      h("bdi", { class: "ag-from" }, from),
      " ",
      icon("forward"),
      h("span", { class: "unseen" }, groupText("to")),
      " ",
      h("bdi", {}, to),
      " ",
      h("time", { class: "faint", datetime: at }, getTools().clock(at)),
    ),
    h(
      "p",
      { class: "row-meta" },
      ...listLabels(message).map((text) => h("span", { class: "chip" }, text)),
      person && h("span", { class: "chip" }, groupText("by_person")),
      importance === "urgent" && h("span", { class: "chip bad" }, groupText("urgent")),
      importance === "high" && h("span", { class: "chip" }, groupText("high")),
      late && h("span", { class: "chip" }, groupText("late")),
    ),
    buildText(message),
    files.length > 0 &&
      h(
        "details",
        { class: "ag-files" },
        h("summary", {}, groupText("files", { n: files.length })),
        h("ul", {}, ...files.map((name) => h("li", { dir: "auto" }, name))),
      ),
  );
}

const TYPE_TEXTS = /** @type {const} */ ({
  task: "type_task",
  report: "type_report",
  verification: "type_verification",
  question: "type_question",
});
const TASK_TEXTS = /** @type {const} */ ({
  open: "task_open",
  done: "task_done",
  returned: "task_returned",
});

/** @param {GroupMessage} message */
const listLabels = ({ type, task_status: status }) => [
  ...(type === "message" ? [] : [groupText(TYPE_TEXTS[type])]),
  ...(status === undefined ? [] : [groupText(TASK_TEXTS[status])]),
];

/** @param {GroupMessage} message */
function buildText({ id, content }) {
  const isLong = content.length > MAX_SHOWN_CHARS && !opened.has(id);
  const text = h(
    "p",
    { class: "ag-text", dir: "auto" },
    isLong ? `${content.slice(0, MAX_SHOWN_CHARS).trimEnd()} …` : content,
  );
  if (!isLong) return text;
  const showAll = (/** @type {Event} */ { currentTarget }) => {
    opened.add(id);
    text.textContent = content;
    const item = text.closest("li");
    /** @type {HTMLElement} */ (currentTarget).remove();
    item?.focus({ preventScroll: true });
  };
  return h(
    "div",
    {},
    text,
    h("button", { type: "button", class: "quiet", on: { click: showAll } }, groupText("show_all")),
  );
}
