/** Shows unsent and sent actions of the thread, with undo, retry and edit. */
import { announce, reveal } from "../ui/accessibility.js";
import { isFinal, getAllowed } from "../thread/messages.js";
import { byId, fill, h, icon } from "../ui/dom.js";
import { maybe, t } from "../ui/i18n.js";
import { actionName, renderReceipt, renderSummary } from "../thread/receipt.js";
import { sync } from "./flush-timer.js";
import {
  flush,
  forget,
  getItems,
  getKey,
  onQueue,
  sendNow,
  takeBack,
  unblock,
  UNDO_MS,
} from "./send-queue.js";
import { getName, state } from "./thread-store.js";
import { clock } from "../ui/time-format.js";

/** Upload progress in bytes by item. @type {Map<string, { sent: number, total: number }>} */
const progress = new Map();
/** @type {Map<string, string>} */
const announced = new Map();

const PENDING = ["held", "queued", "sending"];

export class Outbox {
  /** @type {Where} */
  #where = { ref: "", session: "" };

  /** @param {{ putBack: (answer: Answer) => void, note: (answer: Answer) => void, arrived: () => void }} page */
  constructor(page) {
    this.page = page;
    onQueue(({ item, sent, total }) => {
      if (getKey(item.where) !== getKey(this.#where)) return;
      if (sent !== undefined && total) {
        progress.set(item.id, { sent, total });
        const bar = byId("outbox", HTMLElement).querySelector(`[data-item="${item.id}"] progress`);
        if (bar instanceof HTMLProgressElement) return void (bar.value = sent / total);
      }
      if (item.state === "sent") {
        progress.delete(item.id);
        this.page.arrived();
      }
      void this.draw();
    });
    addEventListener("online", () => this.sync());
    addEventListener("mess:retry", () => this.sync());
    // Leaving the page ends the undo delay.
    addEventListener("visibilitychange", () => {
      if (document.visibilityState === "hidden") void this.#sendItems();
      else this.sync();
    });
  }

  /** @param {Where} where */
  open(where) {
    this.#where = where;
    this.sync();
    void this.draw();
  }

  /** Sends due items and schedules the rest. */
  sync() {
    sync();
  }

  async #sendItems() {
    for (const item of await getItems(this.#where))
      if (item.state === "held") await sendNow(item.id);
    await flush();
  }

  async draw() {
    const items = await getItems(this.#where);
    const arrived = items.filter((item) => item.state === "sent").at(-1);
    const waiting = items.filter((item) => item.state !== "sent");
    const place = byId("outbox", HTMLElement);
    const focused = document.activeElement;
    const focusedAction =
      focused instanceof HTMLElement && place.contains(focused)
        ? focused.dataset["action"]
        : undefined;
    const receipt = arrived && waiting.length === 0 ? renderReceipt(arrived) : undefined;
    fill(place, receipt, ...waiting.map((item) => this.#row(item)));
    place.hidden = place.childElementCount === 0;
    // While a final action is pending, the page offers only undo.
    const leaving = waiting.some((item) => isFinal(item.act) && PENDING.includes(item.state));
    document.body.classList.toggle("leaving", leaving);
    const over = receipt !== undefined && isFinal(arrived?.act ?? "");
    const isNews = over && !document.body.classList.contains("arrived");
    document.body.classList.toggle("arrived", over);
    if (isNews) reveal(place);
    const again = place.querySelector(
      `[data-action="${focusedAction ?? (leaving && isFocusLost() ? "undo" : "")}"]`,
    );
    if (again instanceof HTMLElement) again.focus({ preventScroll: focusedAction === undefined });
    for (const item of items) report(item);
  }

  /** @param {QueueItem} item */
  #row(item) {
    const button = (
      /** @type {string} */ action,
      /** @type {import("../ui/i18n.js").Word} */ word,
      /** @type {() => unknown} */ act,
      kind = "quiet",
    ) =>
      h("button", { type: "button", class: kind, data: { action }, on: { click: act } }, t(word));
    const back = async () => {
      const taken = await takeBack(item.id);
      if (taken?.answer) this.page.putBack(taken.answer);
      if (taken) announce(t("taken_back"));
      await this.draw();
      byId("answer-text", HTMLElement).focus();
    };
    const now = async () => {
      await sendNow(item.id);
      this.sync();
    };
    const frame = (
      /** @type {string} */ tone,
      /** @type {(Node | string | undefined | false)[]} */ children,
    ) =>
      h("div", { class: `send ${tone}`, data: { item: item.id, state: item.state } }, ...children);
    const what = h("p", {}, h("strong", {}, actionName(item)));
    switch (item.state) {
      case "held": {
        const left = Math.max(0, item.hold_until - Date.now());
        const bar = h("span", { class: "countdown", "aria-hidden": "true" });
        bar.style.animationDuration = `${UNDO_MS}ms`;
        bar.style.animationDelay = `-${UNDO_MS - left}ms`;
        return frame("calm", [
          what,
          renderSummary(item),
          h("p", { class: "faint" }, t("sending_soon", { n: UNDO_MS / 1_000 })),
          h(
            "div",
            { class: "row" },
            button("undo", "undo", back, "secondary"),
            button("now", "send_now", now),
          ),
          bar,
        ]);
      }
      case "conflict":
      case "blocked":
        return frame("bad", [
          what,
          h("p", {}, icon("warn"), " ", reason(item)),
          renderSummary(item),
          h("p", { class: "faint" }, t("words_kept")),
          h(
            "div",
            { class: "row" },
            item.state === "blocked" &&
              button(
                "retry",
                "try_again",
                async () => {
                  await unblock();
                  this.sync();
                },
                "secondary",
              ),
            item.state === "conflict" &&
              this.#canNote(item) &&
              button(
                "note",
                "send_as_note",
                async () => {
                  const taken = await takeBack(item.id);
                  if (taken?.answer) this.page.note(taken.answer);
                  await this.draw();
                },
                "secondary",
              ),
            item.answer && button("back", "edit_again", back),
            button("discard", "discard", async () => {
              await forget(item.id);
              await this.draw();
            }),
          ),
        ]);
      case "sending": {
        const known = progress.get(item.id);
        return frame("calm", [
          what,
          h("progress", {
            "aria-label": t("sending"),
            max: 1,
            ...(known ? { value: known.sent / known.total } : {}),
          }),
          h("p", { class: "faint" }, t("sending")),
        ]);
      }
      default:
        return frame("warn", [
          what,
          h("p", {}, icon("cloud"), " ", queuedReason(item)),
          renderSummary(item),
          h(
            "div",
            { class: "row" },
            button("back", item.answer ? "edit_again" : "take_back", back),
          ),
        ]);
    }
  }

  /** @param {QueueItem} item */
  #canNote({ answer, act }) {
    const thread = state();
    return (
      answer !== undefined &&
      act !== "followup" &&
      thread !== undefined &&
      getAllowed(thread).get("followup")?.allowed === true
    );
  }
}

/** When a message that is not sent yet will be. @param {QueueItem} item */
function queuedReason({ error }) {
  if (!navigator.onLine) return t("queued_offline");
  return error?.retry_at === undefined
    ? t("queued_retry")
    : t("queued_limited", { at: clock(error.retry_at) });
}

/** @param {QueueItem} item */
const reason = ({ error }) =>
  maybe(`why_${error?.code ?? ""}`) ?? [error?.message, error?.hint].filter(Boolean).join(". ");

/** Announces each state change of an item once. @param {QueueItem} item */
function report(item) {
  if (announced.get(item.id) === item.state) return;
  const known = announced.has(item.id);
  announced.set(item.id, item.state);
  const name = getName(state()?.envelope.requestor ?? "");
  if (item.state === "sent" && known)
    announce(t("arrived", { at: clock(item.sent_at ?? item.created), name }));
  if (item.state === "held") announce(t("sending_soon", { n: UNDO_MS / 1_000 }));
  if (item.state === "conflict" || item.state === "blocked") announce(reason(item));
  if (item.state === "queued" && (!navigator.onLine || item.error?.retry_at !== undefined))
    announce(queuedReason(item));
}

/** True if the focused element was removed or hidden: the keyboard would start again at the top of the page. */
function isFocusLost() {
  const active = document.activeElement;
  return !active || active === document.body || !active.checkVisibility();
}
