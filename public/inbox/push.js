/**
 * Push subscriptions. A browser has one subscription per service worker registration and each household has its own
 * key, so each household gets its own registration.
 */
import { call } from "../respond/send/api.js";
import * as db from "../respond/device-store.js";
import { actLabel } from "../respond/thread/action-bar.js";
import { registerWorker } from "../respond/register-worker.js";
import { t as respondText } from "../respond/ui/i18n.js";
import { inboxText } from "./inbox-i18n.js";

/** @param {string} session */
const getScope = (session) => `/inbox/push/${session}/`;

/** Whether this browser supports push notifications. */
export const canPush = () =>
  "serviceWorker" in navigator && "PushManager" in globalThis && "Notification" in globalThis;

/** @param {string} session @returns {Promise<boolean>} */
export async function isSubscribed(session) {
  if (!canPush() || Notification.permission !== "granted") return false;
  const registration = await navigator.serviceWorker.getRegistration(getScope(session));
  const ours = registration?.scope.endsWith(getScope(session));
  return ours ? (await registration?.pushManager.getSubscription()) != null : false;
}

/** Stores the translated notification texts for the service worker, which loads no languages. */
export const storePushTexts = () =>
  db.put("inbox", "words", {
    yes: respondText("yes"),
    no: respondText("no"),
    answered: inboxText("note_answered"),
    claim: actLabel("claim", false),
    decline: inboxText("note_cannot"),
    open: inboxText("open"),
    offer: inboxText("note_offer"),
    taken: inboxText("note_taken"),
    over: inboxText("note_over"),
    mine: inboxText("note_mine"),
    declined: inboxText("note_declined"),
    kept: inboxText("note_kept"),
    failed: inboxText("note_failed"),
  });

/**
 * Asks for permission, then subscribes. Call it from a tap, as browsers require a user gesture.
 * @param {string} session
 * @returns {Promise<"on" | "denied">}
 */
export async function subscribe(session) {
  if ((await Notification.requestPermission()) !== "granted") return "denied";
  const query = `session=${session}`;
  const { key } = await (await call(`/inbox/push-key?${query}`)).json();
  await storePushTexts();
  const registration = await registerWorker(getScope(session));
  if (!registration) throw new Error("the service worker could not be started");
  await getActive(registration);
  const subscription = await registration.pushManager.subscribe({
    userVisibleOnly: true,
    applicationServerKey: toBytes(key),
  });
  const { endpoint, keys } = subscription.toJSON();
  await call(`/inbox/subscriptions?${query}`, { method: "POST", json: { endpoint, keys } });
  return "on";
}

/** Removes the subscription at the household first, so that it stops sending. @param {string} session */
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
  const pending = installing ?? waiting;
  if (active || !pending) return;
  await new Promise((resolve, reject) => {
    const check = () => {
      if (pending.state === "activated") resolve(undefined);
      if (pending.state === "redundant")
        reject(new Error("the service worker could not be started"));
    };
    pending.addEventListener("statechange", check);
    check();
  });
}

/** @param {string} text base64url */
const toBytes = (text) =>
  Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (sign) =>
    sign.charCodeAt(0),
  );
