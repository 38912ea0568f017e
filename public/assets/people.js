// @ts-check
/**
 * Passkeys and the removal of device data on sign-out. All else on the sign-in and consent pages works without
 * JavaScript.
 * @typedef {typeof import("@simplewebauthn/browser")} Browser
 */

import { forgetDevice } from "./forget-device.js";

/** @type {Browser | undefined} */
const webauthn = /** @type {any} */ (globalThis).SimpleWebAuthnBrowser;

const statusLine = document.getElementById("status");

/** The page's own texts, in its language. @type {DOMStringMap} */
const texts = document.querySelector("main")?.dataset ?? {};

/** @param {string | undefined} text */
function showStatus(text) {
  if (statusLine) statusLine.textContent = text ?? "";
}

/**
 * @param {string} path
 * @param {object} body
 * @returns {Promise<any>}
 */
async function post(path, body) {
  const response = await fetch(path, {
    method: "POST",
    headers: { "Content-Type": "application/json", Accept: "application/json" },
    body: JSON.stringify(body),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(`${answer.error.message}. ${answer.error.hint}`);
  return answer;
}

/**
 * @param {Browser} browser
 * @param {string} form
 */
async function signIn(browser, form) {
  const optionsJSON = await post("/sign-in/passkey/options", { form });
  const response = await browser.startAuthentication({ optionsJSON });
  await post("/sign-in/passkey", { form, response });
}

/**
 * @param {Browser} browser
 * @param {string} form
 */
async function register(browser, form) {
  const optionsJSON = await post("/passkeys/options", { form });
  const response = await browser.startRegistration({ optionsJSON });
  await post("/passkeys", { form, response });
}

/** @param {unknown} error */
function getErrorText(error) {
  const { name, message } = /** @type {Error} */ (error);
  if (name === "NotAllowedError") return texts["cancelled"];
  if (name === "InvalidStateError") return texts["hasPasskey"];
  return message;
}

/**
 * @param {Browser} browser
 * @param {HTMLButtonElement} button
 */
function showPasskeyButton(browser, button) {
  /** @type {HTMLElement | null} */
  const container = button.closest("[data-form]");
  const form = container?.dataset["form"] ?? "";
  const onClick = button.dataset["passkey"] === "registration" ? register : signIn;
  button.hidden = false;
  const go = async () => {
    button.disabled = true;
    showStatus(texts["waiting"]);
    try {
      await onClick(browser, form);
      showStatus(texts["done"]);
      location.reload();
    } catch (error) {
      showStatus(getErrorText(error));
      button.disabled = false;
      button.focus();
    }
  };
  button.addEventListener("click", () => void go());
}

if (webauthn?.browserSupportsWebAuthn()) {
  for (const button of document.querySelectorAll("button[data-passkey]"))
    showPasskeyButton(webauthn, /** @type {HTMLButtonElement} */ (button));
}

// Removes the token of the link from the address bar, so that it is not copied by mistake.
if (location.pathname === "/sign-in" && location.search !== "") {
  history.replaceState(null, "", "/sign-in");
}

/** @type {HTMLFormElement | null} */
const signOutForm = document.querySelector('form[action="/sign-out"]');
signOutForm?.addEventListener("submit", (event) => {
  event.preventDefault();
  void forgetDevice().finally(() => signOutForm.submit());
});

const consentForm = document.querySelector("form[data-consent]");
consentForm?.addEventListener("submit", (event) => {
  const { submitter } = /** @type {SubmitEvent} */ (event);
  if (/** @type {HTMLButtonElement | null} */ (submitter)?.value !== "allow") return;
  if (consentForm.querySelector("input[name=household]:checked")) return;
  event.preventDefault();
  showStatus(texts["choose"]);
  /** @type {HTMLElement | null} */
  const first = consentForm.querySelector("input[name=household]");
  first?.focus();
});
