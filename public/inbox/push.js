/**
 * Push messages: asked for only after a tap that explains them. A browser has one subscription for each registration
 * of a service worker, and each household its own key, so each household gets a registration of its own.
 */
import { call } from "../respond/api.js";
import * as db from "../respond/device-store.js";
import { actLabel } from "../respond/action-bar.js";
import { registerWorker } from "../respond/register-worker.js";
import { text } from "./inbox-i18n.js";

/** @param {string} session */
const getScope = (session) => `/inbox/push/${session}/`;

/** Whether this browser can be told at all. */
export const canPush = () =>
  "serviceWorker" in navigator && "PushManager" in globalThis && "Notification" in globalThis;

/** @param {string} session @returns {Promise<boolean>} */
export async function isSubscribed(session) {
  if (!canPush() || Notification.permission !== "granted") return false;
  const registration = await navigator.serviceWorker.getRegistration(getScope(session));
  const ours = registration?.scope.endsWith(getScope(session));
  return ours ? (await registration?.pushManager.getSubscription()) != null : false;
}

/** The words of notifications, where the service worker finds them: it speaks no language of its own. */
export const storePushTexts = () =>
  db.put("inbox", "words", {
    claim: actLabel("claim", false),
    decline: text("note_cannot"),
    open: text("open"),
    offer: text("note_offer"),
    taken: text("note_taken"),
    over: text("note_over"),
    mine: text("note_mine"),
    declined: text("note_declined"),
    kept: text("note_kept"),
    failed: text("note_failed"),
  });

/**
 * Asks the browser, then the household. Call it from a tap.
 * @param {string} session
 * @returns {Promise<"on" | "denied">}
 */
export async function subscribe(session) {
  if ((await Notification.requestPermission()) !== "granted") return "denied";
  const query = `session=${session}`;
  const { key } = await (await call(`/inbox/push-key?${query}`)).json();
  await storePushTexts();
  const registration = await registerWorker(getScope(session));
  if (!registration) throw new Error("no service worker");
  await getActive(registration);
  const subscription = await registration.pushManager.subscribe({
    userVisibleOnly: true,
    applicationServerKey: toBytes(key),
  });
  const { endpoint, keys } = subscription.toJSON();
  await call(`/inbox/subscriptions?${query}`, { method: "POST", json: { endpoint, keys } });
  return "on";
}

/** The household first: what it does not know any more is sent nothing. @param {string} session */
export async function unsubscribe(session) {
  const registration = await navigator.serviceWorker.getRegistration(getScope(session));
  const subscription = await registration?.pushManager.getSubscription();
  if (!subscription) return;
  const { endpoint } = subscription.toJSON();
  await call(`/inbox/subscriptions?session=${session}`, { method: "DELETE", json: { endpoint } });
  await subscription.unsubscribe();
}

/** @param {ServiceWorkerRegistration} registration @returns {Promise<void>} */
async function getActive({ active, installing, waiting }) {
  const coming = installing ?? waiting;
  if (active || !coming) return;
  await new Promise((resolve, reject) => {
    const check = () => {
      if (coming.state === "activated") resolve(undefined);
      if (coming.state === "redundant") reject(new Error("no service worker"));
    };
    coming.addEventListener("statechange", check);
    check();
  });
}

/** @param {string} text base64url */
const toBytes = (text) =>
  Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (sign) =>
    sign.charCodeAt(0),
  );
