/** What the inbox can do besides: live on the home screen, and tell of what comes. Offered once, never pressed. */
import { fill, h, icon } from "../respond/dom.js";
import { openSheet } from "../respond/sheet.js";
import { canPush, isSubscribed, keepNotificationWords, subscribe, unsubscribe } from "./push.js";
import { say } from "./inbox-i18n.js";

const DECLINED = "mess-declined-offers";

/** @returns {string[]} */
function declined() {
  try {
    return JSON.parse(localStorage.getItem(DECLINED) ?? "[]");
  } catch {
    return [];
  }
}

/** @param {string} offer */
function decline(offer) {
  try {
    localStorage.setItem(DECLINED, JSON.stringify([...declined(), offer]));
  } catch {
    // It is offered again the next time.
  }
}

const isInstalled = () =>
  matchMedia("(display-mode: standalone)").matches ||
  /** @type {any} */ (navigator).standalone === true;

/** iPhones install by hand, and tell so by nothing else. */
const isIos = () => /** @type {any} */ (navigator).standalone !== undefined;

/** @returns {BeforeInstallPromptEvent | undefined} */
const installOffer = () => /** @type {any} */ (globalThis).installOffer;

/**
 * @param {HTMLElement} place
 * @param {readonly InboxHousehold[]} households
 */
export async function renderOffers(place, households) {
  const again = () => void renderOffers(place, households);
  const on = await Promise.all(households.map(({ session }) => isSubscribed(session)));
  if (on.includes(true)) await keepNotificationWords();
  const past = declined();
  const push =
    canPush() &&
    !past.includes("push") &&
    Notification.permission === "default" &&
    households.length > 0 &&
    !on.includes(true);
  const install = !isInstalled() && !past.includes("install") && (installOffer() || isIos());
  fill(
    place,
    push
      ? card("push", say("push_ask"), "", say("push_on"), () => explain(households, again), again)
      : install &&
          card(
            "install",
            say("install"),
            isIos() ? say("install_ios") : say("install_how"),
            installOffer() ? say("install_now") : "",
            async () => {
              await installOffer()?.prompt();
              Object.assign(globalThis, { installOffer: undefined });
              again();
            },
            again,
          ),
  );
  place.hidden = place.childElementCount === 0;
}

/**
 * @param {"push" | "install"} offer @param {string} title @param {string} words @param {string} label
 * @param {() => unknown} accept @param {() => void} again
 */
const card = (offer, title, words, label, accept, again) =>
  h(
    "div",
    { class: "card offer", data: { offer } },
    h(
      "div",
      {},
      h("p", {}, h("strong", {}, title)),
      words !== "" && h("p", { class: "faint" }, words),
    ),
    h(
      "div",
      { class: "row" },
      label !== "" &&
        h("button", { type: "button", class: "secondary", on: { click: accept } }, label),
      h(
        "button",
        {
          type: "button",
          class: "quiet",
          on: {
            click: () => {
              decline(offer);
              again();
            },
          },
        },
        say("not_now"),
      ),
    ),
  );

/** Says what notifications do before the browser asks. @param {readonly InboxHousehold[]} households @param {() => void} done */
function explain(households, done) {
  const body = h("div", { class: "stack" }, h("p", {}, say("push_how")), ...switches(households));
  openSheet(say("push"), [body], { closed: done });
}

/**
 * What the settings show of it.
 * @param {readonly InboxHousehold[]} households
 * @returns {Promise<HTMLElement[]>}
 */
export async function offerControls(households) {
  if (households.length === 0) return [];
  return [
    h(
      "section",
      { class: "field", data: { offer: "push" } },
      h("h2", {}, say("push")),
      h("p", { class: "faint" }, say(canPush() ? "push_how" : "push_missing")),
      ...(canPush() ? switches(households) : []),
    ),
  ];
}

/** One switch for each household. @param {readonly InboxHousehold[]} households */
const switches = (households) =>
  households.map(({ session, name }) => {
    const place = h("div", { class: "stack switch" });
    void drawSwitch(place, session, households.length > 1 ? name : "");
    return place;
  });

/** @param {HTMLElement} place @param {string} session @param {string} name @param {string} [fault] */
async function drawSwitch(place, session, name, fault = "") {
  const on = await isSubscribed(session);
  const denied = Notification.permission === "denied";
  const words = denied ? "push_denied" : on ? "push_is_on" : "push_is_off";
  const turn = async () => {
    try {
      const became = on ? await unsubscribe(session) : await subscribe(session);
      await drawSwitch(place, session, name, became === "denied" ? say("push_denied") : "");
    } catch {
      await drawSwitch(place, session, name, say("push_failed"));
    }
    place.querySelector("button")?.focus();
  };
  fill(
    place,
    name !== "" && h("p", { dir: "auto" }, h("strong", {}, say("push_for", { name }))),
    h(
      "p",
      { role: "status" },
      icon(denied || fault !== "" ? "warn" : on ? "check" : "clock"),
      " ",
      fault === "" ? say(words) : fault,
    ),
    !denied &&
      h(
        "button",
        { type: "button", class: on ? "secondary" : "primary", on: { click: turn } },
        say(on ? "push_off" : "push_on"),
      ),
  );
}
