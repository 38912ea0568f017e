/** Offers to install the inbox and to turn on notifications, until dismissed. */
import { fill, h, icon } from "../respond/ui/dom.js";
import { openSheet } from "../respond/ui/sheet.js";
import { canPush, isSubscribed, storePushTexts, subscribe, unsubscribe } from "./push.js";
import { inboxText } from "./inbox-i18n.js";

const DECLINED_KEY = "mess-declined-offers";

/** @returns {string[]} */
function readDeclined() {
  try {
    return JSON.parse(localStorage.getItem(DECLINED_KEY) ?? "[]");
  } catch {
    return [];
  }
}

/** @param {string} offer */
function storeDeclined(offer) {
  try {
    localStorage.setItem(DECLINED_KEY, JSON.stringify([...readDeclined(), offer]));
  } catch {
    // The offer is shown again next time.
  }
}

const isInstalled = () =>
  matchMedia("(display-mode: standalone)").matches ||
  /** @type {any} */ (navigator).standalone === true;

/** Only iOS has `navigator.standalone`; there, people install by hand. */
const isIos = () => /** @type {any} */ (navigator).standalone !== undefined;

/** @returns {BeforeInstallPromptEvent | undefined} */
const getInstallPrompt = () => /** @type {any} */ (globalThis).installOffer;

/**
 * @param {HTMLElement} container
 * @param {readonly InboxHousehold[]} households
 */
export async function renderOffers(container, households) {
  const redraw = () => void renderOffers(container, households);
  const subscribed = await Promise.all(households.map(({ session }) => isSubscribed(session)));
  if (subscribed.includes(true)) await storePushTexts();
  const declinedOffers = readDeclined();
  const push =
    canPush() &&
    !declinedOffers.includes("push") &&
    Notification.permission === "default" &&
    households.length > 0 &&
    !subscribed.includes(true);
  const install =
    !isInstalled() && !declinedOffers.includes("install") && (getInstallPrompt() || isIos());
  fill(
    container,
    push
      ? buildCard(
          "push",
          inboxText("push_ask"),
          "",
          inboxText("push_on"),
          () => showExplanation(households, redraw),
          redraw,
        )
      : install &&
          buildCard(
            "install",
            inboxText("install"),
            isIos() ? inboxText("install_ios") : inboxText("install_how"),
            getInstallPrompt() ? inboxText("install_now") : "",
            async () => {
              await getInstallPrompt()?.prompt();
              Object.assign(globalThis, { installOffer: undefined });
              redraw();
            },
            redraw,
          ),
  );
  container.hidden = container.childElementCount === 0;
}

/**
 * @param {"push" | "install"} offer @param {string} title @param {string} body @param {string} label
 * @param {() => unknown} accept @param {() => void} redraw
 */
const buildCard = (offer, title, body, label, accept, redraw) =>
  h(
    "div",
    { class: "card offer", data: { offer } },
    h(
      "div",
      {},
      h("p", {}, h("strong", {}, title)),
      body !== "" && h("p", { class: "faint" }, body),
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
              storeDeclined(offer);
              redraw();
            },
          },
        },
        inboxText("not_now"),
      ),
    ),
  );

/**
 * Explains notifications before the browser asks for permission.
 * @param {readonly InboxHousehold[]} households @param {() => void} done
 */
function showExplanation(households, done) {
  const body = h(
    "div",
    { class: "stack" },
    h("p", {}, inboxText("push_how")),
    ...buildSwitches(households),
  );
  openSheet(inboxText("push"), [body], { closed: done });
}

/**
 * Controls for the settings sheet.
 * @param {readonly InboxHousehold[]} households
 * @returns {Promise<HTMLElement[]>}
 */
export async function buildOfferControls(households) {
  if (households.length === 0) return [];
  return [
    h(
      "section",
      { class: "field", data: { section: "push" } },
      h("h2", {}, inboxText("push")),
      // A blocked browser asks nobody, and says below what to do.
      !(canPush() && Notification.permission === "denied") &&
        h("p", { class: "faint" }, inboxText(canPush() ? "push_how" : "push_missing")),
      ...(canPush() ? buildSwitches(households) : []),
    ),
  ];
}

/** A notification switch for each household. @param {readonly InboxHousehold[]} households */
const buildSwitches = (households) =>
  households.map(({ session, name }) => {
    const container = h("div", { class: "stack switch" });
    void drawSwitch(container, session, households.length > 1 ? name : "");
    return container;
  });

/** @param {HTMLElement} container @param {string} session @param {string} name @param {string} [errorText] */
async function drawSwitch(container, session, name, errorText = "") {
  const isOn = await isSubscribed(session);
  const denied = Notification.permission === "denied";
  const textKey = denied ? "push_denied" : isOn ? "push_is_on" : "push_is_off";
  const toggle = async () => {
    try {
      const became = isOn ? await unsubscribe(session) : await subscribe(session);
      await drawSwitch(
        container,
        session,
        name,
        became === "denied" ? inboxText("push_denied") : "",
      );
    } catch {
      await drawSwitch(container, session, name, inboxText("action_failed"));
    }
    container.querySelector("button")?.focus();
  };
  fill(
    container,
    name !== "" && h("p", {}, h("strong", {}, inboxText("push_for", { name }))),
    h(
      "p",
      { role: "status" },
      icon(denied || errorText !== "" ? "warn" : isOn ? "check" : "ban"),
      " ",
      errorText === "" ? inboxText(textKey) : errorText,
    ),
    !denied &&
      h(
        "button",
        { type: "button", class: isOn ? "secondary" : "primary", on: { click: toggle } },
        inboxText(isOn ? "push_off" : "push_on"),
      ),
  );
}
