/** The parts of a message: who wrote it, its files, and why it was sorted so. */
import { fill, h, icon } from "../../respond/ui/dom.js";
import { getMessagePath } from "./api.js";
import { buildTierChips } from "./rows.js";
import { getAutomaticName, getFailureText, getTierName, getTools, messageText } from "./texts.js";

/** @typedef {MessageResponse["message"]} Message */

/** @type {readonly MessageTier[]} */
const TIERS = ["NOTIFY", "DEFER", "DECLINE", "IGNORE"];

/** @param {Message} message @param {string} sourceName */
export function buildHead(message, sourceName) {
  const { subject, sender, sender_name: name, recipient, received, automatic, status } = message;
  return [
    h("h2", { id: "messages-title", dir: "auto" }, subject ?? messageText("no_subject")),
    h(
      "dl",
      { class: "ms-fields" },
      h("dt", {}, messageText("from")),
      h(
        "dd",
        {},
        name !== undefined && h("bdi", {}, name),
        " ",
        h("bdi", { class: "ms-address faint" }, sender),
      ),
      h("dt", {}, messageText("to")),
      h("dd", {}, h("bdi", { class: "ms-address" }, recipient)),
      h("dt", {}, messageText("received")),
      h(
        "dd",
        {},
        h("time", { datetime: received }, getTools().clock(received)),
        " · ",
        h("bdi", {}, sourceName),
      ),
    ),
    h(
      "p",
      { class: "row-meta" },
      automatic && h("span", { class: "chip" }, getAutomaticName(automatic)),
      status === "archived" && h("span", { class: "chip" }, messageText("archived")),
      message.flagged && h("span", { class: "chip warn" }, messageText("flagged")),
    ),
    isForged(message) && h("p", { class: "banner warn" }, icon("warn"), messageText("forged")),
  ].filter((part) => part !== false);
}

/** The server that received the mail says so. @param {Message} message */
const isForged = ({ headers }) =>
  headers.some(([name, value]) => name.toLowerCase() === "x-mess-sender" && value === "forged");

/** @param {Message} message @param {string} session */
export function buildFiles({ source, id, attachments }, session) {
  if (attachments.length === 0) return undefined;
  const problem = h("div", { role: "alert" });
  return h(
    "div",
    {},
    h(
      "ul",
      { class: "ms-files" },
      ...attachments.map(({ index, name, size }) =>
        h(
          "li",
          {},
          h(
            "button",
            {
              type: "button",
              class: "secondary ms-file",
              on: {
                click: async () => {
                  const path = `${getMessagePath({ session, source, id })}/attachments/${index}`;
                  try {
                    fill(problem);
                    await download(path, session, name);
                  } catch {
                    fill(problem, h("p", { class: "field-error" }, messageText("download_failed")));
                  }
                },
              },
            },
            icon("file"),
            h("bdi", {}, name),
            h("span", { class: "faint" }, getTools().size(size)),
          ),
        ),
      ),
    ),
    problem,
  );
}

/** Saved, never opened in the page: a stranger chose the file. @param {string} path @param {string} session @param {string} name */
async function download(path, session, name) {
  const response = await getTools().call(path, { headers: { "X-MESS-Session": session } });
  const url = URL.createObjectURL(await response.blob());
  h("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

const BY_TEXTS = /** @type {const} */ ({
  rule: "by_rule",
  classifier: "by_classifier",
  agent: "by_agent",
  person: "by_person",
  fallback: "provisional_how",
});

/**
 * @param {Message} message
 * @param {{ correct: (tier: MessageTier) => Promise<unknown>, reload: () => Promise<void> }} on
 */
export function buildWhy(message, { correct, reload }) {
  const { tier, reason, classified_by: by, provisional } = message;
  const problem = h("div", { role: "alert" });
  let isBusy = false;
  /** @param {MessageTier} right */
  const choose = async (right) => {
    if (isBusy) return;
    isBusy = true;
    try {
      await correct(right);
      getTools().announce(messageText("corrected", { tier: getTierName(right) }));
      await reload();
      /** @type {HTMLElement | null} */ (document.querySelector(".ms-why h3"))?.focus();
    } catch (error) {
      fill(problem, h("p", { class: "field-error" }, getFailureText(error)));
    } finally {
      isBusy = false;
    }
  };
  return h(
    "section",
    { class: "ms-why", "aria-labelledby": "ms-why" },
    h("h3", { id: "ms-why", tabindex: "-1" }, messageText("why")),
    h("p", { class: "row-meta" }, ...buildTierChips(message)),
    reason !== undefined && h("p", { dir: "auto", class: "ms-reason" }, reason),
    by && h("p", { class: "faint" }, messageText(provisional ? "provisional_how" : BY_TEXTS[by])),
    h("p", { class: "ms-label", id: "ms-correct" }, messageText("correct")),
    h(
      "div",
      { class: "ms-tiers", role: "group", "aria-labelledby": "ms-correct" },
      ...TIERS.filter((one) => one !== tier || provisional).map((one) =>
        h(
          "button",
          {
            type: "button",
            class: "option-button",
            data: { tier: one },
            on: { click: () => void choose(one) },
          },
          getTierName(one),
        ),
      ),
    ),
    problem,
  );
}
