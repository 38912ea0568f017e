/** The page shown instead of a thread: dead link, offline, blocked cookies, or an error. */
import { ApiError } from "../send/api.js";
import * as db from "../device-store.js";
import { byId, fill, h, icon } from "../ui/dom.js";
import { showError } from "../answer/fields.js";
import { maybe, t } from "../ui/i18n.js";
import { getItems, getKey } from "../send/send-queue.js";
import { here, isCookieBlocked, requestLink } from "../session.js";
import { renderUnsentAnswers } from "../answer/unsent-answer.js";

/**
 * @param {unknown} error
 * @param {() => void} retry
 */
export async function showUnavailable(error, retry) {
  const page = byId("closed", HTMLElement);
  const { title, words: text, offer } = describeProblem(error);
  const ended = error instanceof ApiError ? error.ended : undefined;
  const mark =
    ended === undefined
      ? offer === "retry"
        ? "cloud"
        : "link"
      : ended === "completed"
        ? "check"
        : "ban";
  // The note of a declined request is by the exchange, and says in English what the text above says.
  const note = (error instanceof ApiError && error.ended !== "declined" && error.note) || "";
  /** @type {Answer | undefined} */
  const draft = await db.get("drafts", getKey(here()));
  const unsent = (await getItems(here())).filter(({ state }) => state !== "sent");
  const errorBox = h("div");
  const how = h("p", { class: "faint" }, t("renew_how"));
  fill(
    page,
    h("div", { class: "closed-mark" }, icon(mark)),
    h("h1", { tabindex: "-1" }, title),
    h("p", {}, text),
    note !== "" && h("p", { class: "prose", dir: "auto" }, note),
    offer === "renew" && how,
    errorBox,
    offer === "renew" && buildRenewButton(errorBox, how),
    offer === "retry" &&
      h("button", { type: "button", class: "primary", on: { click: retry } }, t("try_again")),
    renderUnsentAnswers([draft, ...unsent.map(({ answer }) => answer)]),
  );
  byId("page", HTMLElement).hidden = true;
  byId("bar", HTMLElement).hidden = true;
  page.hidden = false;
  page.querySelector("h1")?.focus();
}

/** @param {unknown} error @returns {{ title: string, words: string, offer: "renew" | "retry" | "none" }} */
function describeProblem(error) {
  if (!(error instanceof ApiError))
    return { title: t("broken"), words: String(error), offer: "retry" };
  if (error.code === "link_dead")
    return {
      title: t(error.ended === undefined ? "link_dead" : "thread_ended"),
      words:
        maybe(`ended_${error.ended ?? ""}`) ??
        maybe(`dead_${error.reason ?? ""}`) ??
        t("dead_other"),
      // A finished thread needs no new link.
      offer: error.ended === undefined ? "renew" : "none",
    };
  if (isCookieBlocked(error))
    return { title: t("cookie_blocked"), words: t("cookie_blocked_how"), offer: "retry" };
  if (error.status === 401)
    return { title: t("link_needed"), words: t("link_needed_how"), offer: "renew" };
  if (error.status === 404)
    return { title: t("link_dead"), words: t("dead_other"), offer: "renew" };
  if (error.status === 0)
    return { title: t("no_network"), words: t("no_network_how"), offer: "retry" };
  return {
    title: t("broken"),
    words: [error.message, error.hint].filter(Boolean).join(". "),
    offer: "retry",
  };
}

/** @param {HTMLElement} errorBox @param {HTMLElement} how says what the button does */
function buildRenewButton(errorBox, how) {
  const button = h("button", { type: "button", class: "primary" }, t("renew"));
  button.addEventListener("click", async () => {
    button.disabled = true;
    showError(errorBox, "");
    try {
      const isSent = await requestLink();
      how.remove();
      button.replaceWith(
        h(
          "p",
          { class: "banner good", role: "status" },
          icon("check"),
          h("span", {}, t(isSent ? "renewed_sent" : "renewed")),
        ),
      );
    } catch (error) {
      button.disabled = false;
      showError(errorBox, t(getRenewalError(error)));
    }
  });
  return button;
}

/** @param {unknown} error @returns {import("../ui/i18n.js").Word} */
function getRenewalError(error) {
  if (!(error instanceof ApiError)) return "renew_failed";
  if (error.status === 0) return "no_network";
  return error.status === 429 ? "renew_again" : "renew_failed";
}
