/** Renders the messages of the thread, oldest first, and its status line. */
import { arrange, h, icon, memo } from "../ui/dom.js";
import { maybe, t } from "../ui/i18n.js";
import { isMap, prose, renderEntries } from "./render-entries.js";
import { renderJson } from "./render-json.js";
import { getRequest, statusName, tags } from "./render-request.js";
import { getSpec } from "../answer/answer-fields.js";
import { fieldLabel } from "../answer/form-fields.js";
import { getName, state } from "../send/thread-store.js";
import { clock, formatDuration } from "../ui/time-format.js";

/**
 * @param {HTMLElement} place
 * @param {ThreadState} state
 * @returns {number} number of rows
 */
export function renderThread(place, state) {
  const rows = state.messages.flatMap((document, index) =>
    memo(`said ${index}`, document, () => renderDocument(document, state)),
  );
  arrange(place, rows);
  return rows.length;
}

/** @param {MessageDocument} document @param {ThreadState} state @returns {HTMLElement[]} */
function renderDocument(document, state) {
  const parts = document.MESS.flatMap((block) => renderBlock(block, document.from === "exchange"));
  if (parts.length === 0) return [];
  const mine = document.from === state.me.executor;
  return [
    h(
      "li",
      { class: `said ${mine ? "mine" : document.from === "exchange" ? "system" : "theirs"}` },
      h(
        "p",
        { class: "byline" },
        h(
          "strong",
          { dir: "auto" },
          mine ? t("you") : document.from === "exchange" ? t("exchange") : getName(document.from),
        ),
        " ",
        h("time", { class: "faint", datetime: document.received }, clock(document.received)),
      ),
      ...parts,
    ),
  ];
}

/** @param {unknown} value */
const text = (value) => (typeof value === "string" ? value : "");

/** @param {JsonMap} block @param {boolean} [isByExchange] @returns {HTMLElement[]} */
export function renderBlock(block, isByExchange = false) {
  const [[type, value] = ["", null]] = Object.entries(block);
  if (!isMap(value)) return [];
  switch (type) {
    case "status":
      return renderStatus(value, isByExchange);
    case "response":
      return [...renderEntries(labelValues(value["content"])), ...note(value["notes"])];
    case "followup":
      return [...note(value["message"]), ...renderEntries(value["context"])];
    case "reply":
      return renderReply(value);
    case "answer":
      return [renderJson(value["value"] ?? null)];
    case "cancel":
      return [event("status_cancelled"), ...note(value["reason"])];
    case "suggestion":
      return [
        h("p", { class: "event" }, maybe(`suggest_${text(value["type"])}`) ?? t("suggest")),
        ...note(value["reason"]),
        ...renderProposal(value["proposed"]),
      ];
    case "review":
      return [
        h("p", { class: "event" }, `${t("review")}: ${String(value["rating"] ?? "")}`),
        ...note(value["feedback"]),
      ];
    default:
      return [];
  }
}

/** The label of a field in the form; its key if the form does not have it. @param {readonly FieldSpec[]} fields @param {string} key */
export function nameField(fields, key) {
  const field = fields.find((one) => one.key === key);
  return field ? fieldLabel(field) : key;
}

/** Names form values by the questions that they answer. @param {Json | undefined} content */
function labelValues(content) {
  const thread = state();
  if (!thread || !Array.isArray(content)) return content;
  const { fields } = getSpec(getRequest(thread));
  return content.map((entry) => {
    const values = isMap(entry) ? entry["structured"] : undefined;
    if (!isMap(values)) return entry;
    const named = Object.entries(values).map(([key, one]) => [nameField(fields, key), one]);
    return { structured: Object.fromEntries(named) };
  });
}

/** @param {Json | undefined} proposed */
function renderProposal(proposed) {
  if (proposed === undefined) return [];
  const [[key, value] = [], ...others] = isMap(proposed) ? Object.entries(proposed) : [];
  if (others.length > 0 || typeof value !== "string") return [renderJson(proposed)];
  return [prose(key === "executor" ? getName(value) : key === "until" ? clock(value) : value)];
}

/** @param {string} word */
const event = (word) => h("p", { class: "event" }, maybe(word) ?? word);

/** @param {unknown} words */
const note = (words) => (typeof words === "string" && words !== "" ? [prose(words)] : []);

/** Statuses whose name says what the English message of the exchange says. */
const SELF_EXPLANATORY = ["pending", "retrying", "declined", "expired", "completed"];

/** @param {JsonMap} status @param {boolean} isByExchange @returns {HTMLElement[]} */
function renderStatus(status, isByExchange) {
  const code = text(status["code"]);
  const progress = status["progress_pct"];
  const reason = isMap(status["reason"]) ? text(status["reason"]["detail"]) : status["reason"];
  const waiting = isMap(status["waiting_for"]) ? status["waiting_for"] : undefined;
  const to = text(status["delegated_to"]);
  return [
    h("p", { class: "event" }, statusName(code), to !== "" && `: ${getName(to)}`),
    ...(typeof progress === "number" ? [meter(progress)] : []),
    ...estimate(status["estimate"]),
    ...eta(status["eta"]),
    ...(isByExchange && SELF_EXPLANATORY.includes(code) ? [] : note(status["message"])),
    ...note(reason),
    ...(waiting ? [h("p", { dir: "auto" }, waitingText(waiting))] : []),
    ...note(status["action"]),
    ...note(status["consequences"]),
    ...list("part_done", status["completed"]),
    ...list("part_left", status["remaining"]),
    ...questions(status["questions"]),
  ];
}

/** @param {number} percent */
const meter = (percent) =>
  h("progress", { max: 100, value: percent, "aria-label": t("percent", { n: percent }) });

/** @param {unknown} duration */
const estimate = (duration) =>
  typeof duration === "string" && duration !== ""
    ? [
        h(
          "p",
          { class: "faint" },
          icon("clock"),
          " ",
          t("estimate", { time: formatDuration(duration) }),
        ),
      ]
    : [];

/** @param {unknown} time */
const eta = (time) =>
  typeof time === "string" && time !== ""
    ? [h("p", { class: "faint" }, icon("clock"), " ", t("eta", { time: clock(time) }))]
    : [];

/** @param {JsonMap} waiting */
function waitingText(waiting) {
  const kind = maybe(`waiting_${text(waiting["type"])}`) ?? text(waiting["type"]);
  const { type: _type, ...rest } = waiting;
  const what = Object.values(rest)
    .flat()
    .map((one) => (isMap(one) ? "" : String(one)));
  return [kind, what.filter(Boolean).join(", ")].filter(Boolean).join(": ");
}

/** @param {"part_done" | "part_left"} name @param {unknown} items */
function list(name, items) {
  if (!Array.isArray(items) || items.length === 0) return [];
  // The list item keeps the page's direction, and with it the place of its mark.
  const rows = items.map((item) => h("li", {}, renderJson(item)));
  return [h("p", { class: "faint" }, t(name)), h("ul", {}, ...rows)];
}

/** @param {unknown} items */
function questions(items) {
  if (!Array.isArray(items)) return [];
  const rows = items.filter(isMap).map((one) => {
    const options = Array.isArray(one["options"]) ? one["options"].map(String) : [];
    return h("li", {}, h("div", { dir: "auto" }, text(one["question"])), tags(options));
  });
  return rows.length > 0 ? [h("ul", { class: "questions" }, ...rows)] : [];
}

/** @param {JsonMap} reply */
function renderReply(reply) {
  const { confirm, accept, answers } = reply;
  const verdict = confirm ?? accept;
  const [only, ...others] = isMap(answers) ? Object.values(answers) : [answers];
  return [
    ...(typeof verdict === "boolean"
      ? [
          h(
            "p",
            { class: `verdict ${verdict ? "good" : "bad"}` },
            icon(verdict ? "check" : "close"),
            h("strong", {}, t(verdict ? "agreed" : "refused")),
          ),
        ]
      : []),
    ...(answers === undefined
      ? []
      : [typeof only === "string" && others.length === 0 ? prose(only) : renderJson(answers)]),
    ...note(reply["reason"]),
    ...renderEntries(reply["context"]),
  ];
}

/**
 * The announcement for screen readers after an update; undefined if there is nothing new from others.
 * @param {ThreadState} next
 * @param {ThreadState} before
 * @returns {string | undefined}
 */
export function getNews(next, before) {
  const { status, executor } = next.envelope;
  if (status !== before.envelope.status && executor !== null && executor !== next.me.executor)
    return `${getName(executor)}: ${statusName(status)}`;
  const last = next.messages
    .slice(before.messages.length)
    .findLast(
      ({ from, MESS }) => from !== next.me.executor && MESS.some((block) => !("ack" in block)),
    );
  if (last)
    return t("news", {
      name: last.from === "exchange" ? t("exchange") : getName(last.from),
      status: statusName(status),
    });
  const hasNew = next.messages.length > before.messages.length;
  // The outbox announces this person's own actions.
  const own = hasNew || (status === "completed" && executor === next.me.executor);
  return own || status === before.envelope.status ? undefined : statusName(status);
}

/**
 * The status banner for this person; undefined if none is needed.
 * @param {ThreadState} state
 * @returns {{ tone: string, words: string, note?: string | undefined } | undefined}
 */
export function getStatus(state) {
  const { status, executor, requestor } = state.envelope;
  const mine = executor === state.me.executor;
  const name = getName(requestor);
  if (executor !== null && !mine && !["completed", "cancelled", "expired"].includes(status))
    return { tone: "calm", words: t("held_by", { name: getName(executor) }) };
  switch (status) {
    case "needs_input":
      return { tone: "calm", words: t("asked_them", { name }) };
    case "needs_confirmation":
      return { tone: "calm", words: t("awaits_approval", { name }) };
    case "completed":
      if (executor === null) return { tone: "good", words: t("ended_completed") };
      return {
        tone: "good",
        words: mine ? t("all_done", { name }) : t("done_by", { name: getName(executor) }),
      };
    case "cancelled":
      return { tone: "calm", words: t("was_cancelled", { name }), note: getEndNote(state) };
    case "expired":
      return { tone: "warn", words: t("was_expired") };
    case "declined":
    case "failed":
    case "superseded":
    case "delegated":
      return { tone: "calm", words: statusName(status), note: getEndNote(state) };
    default:
      return undefined;
  }
}

/** The reason that was given for the present status. @param {ThreadState} state */
const getEndNote = ({ envelope: { history, status } }) =>
  history.findLast(({ action, by }) => action === status && by !== "exchange")?.note;
