/** What is shown where there is no thread to show: a dead link, no network, a browser that keeps no cookie. */
import { ApiError } from "./api.js";
import * as db from "./device-store.js";
import { byId, fill, h, icon } from "./dom.js";
import { complain } from "./fields.js";
import { maybe, t } from "./i18n.js";
import { itemsOf, keyOf } from "./send-queue.js";
import { here, isCookieBlocked, renew } from "./session.js";

/**
 * @param {unknown} error
 * @param {() => void} retry
 */
export async function showClosed(error, retry) {
  const page = byId("closed", HTMLElement);
  const { title, words, offer } = story(error);
  /** @type {Answer | undefined} */
  const draft = await db.get("drafts", keyOf(here()));
  const unsent = (await itemsOf(here())).filter(({ state }) => state !== "sent");
  const kept = [draft, ...unsent.map(({ answer }) => answer)]
    .flatMap((answer) => [answer?.text, answer?.notes])
    .filter(Boolean)
    .join("\n\n");
  const fault = h("div");
  fill(
    page,
    h("div", { class: "closed-mark" }, icon(offer === "retry" ? "cloud" : "link")),
    h("h1", { tabindex: "-1" }, title),
    h("p", {}, words),
    offer === "renew" && h("p", { class: "faint" }, t("renew_how")),
    fault,
    offer === "renew" && renewButton(fault),
    offer === "retry" &&
      h("button", { type: "button", class: "primary", on: { click: retry } }, t("try_again")),
    kept !== "" &&
      h(
        "section",
        { class: "card" },
        h("h2", {}, t("your_words")),
        h("p", { class: "prose", dir: "auto" }, kept),
        h(
          "button",
          {
            type: "button",
            class: "quiet",
            on: { click: () => void navigator.clipboard?.writeText(kept) },
          },
          t("copy"),
        ),
      ),
  );
  byId("page", HTMLElement).hidden = true;
  byId("bar", HTMLElement).hidden = true;
  page.hidden = false;
  page.querySelector("h1")?.focus();
}

/** @param {unknown} error @returns {{ title: string, words: string, offer: "renew" | "retry" | "none" }} */
function story(error) {
  if (!(error instanceof ApiError))
    return { title: t("broken"), words: String(error), offer: "retry" };
  if (error.code === "link_dead")
    return {
      title: t(error.ended === undefined ? "link_dead" : "thread_ended"),
      words:
        maybe(`ended_${error.ended ?? ""}`) ??
        maybe(`dead_${error.reason ?? ""}`) ??
        t("dead_other"),
      // What has ended needs no new link.
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

/** @param {HTMLElement} fault */
function renewButton(fault) {
  const button = h("button", { type: "button", class: "primary" }, t("renew"));
  button.addEventListener("click", async () => {
    button.disabled = true;
    complain(fault, "");
    try {
      await renew();
      button.replaceWith(
        h(
          "p",
          { class: "banner good", role: "status" },
          icon("check"),
          h("span", {}, t("renewed")),
        ),
      );
    } catch (error) {
      button.disabled = false;
      complain(
        fault,
        error instanceof ApiError && error.status === 0 ? t("no_network") : t("renew_failed"),
      );
    }
  });
  return button;
}
