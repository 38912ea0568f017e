/** Registers the service worker, for offline use and push notifications. */

const WORKER_URL = "/respond/sw.js";
const policy = window.trustedTypes?.createPolicy("mess-worker", {
  createScriptURL: () => WORKER_URL,
});
const trustedUrl = /** @type {string} */ (
  /** @type {unknown} */ (policy?.createScriptURL(WORKER_URL) ?? WORKER_URL)
);

/**
 * @param {string} [scope] each scope has its own registration and push subscription
 * @returns {Promise<ServiceWorkerRegistration | undefined>} undefined if unsupported or refused
 */
export async function registerWorker(scope = "/") {
  try {
    return await navigator.serviceWorker?.register(trustedUrl, { type: "module", scope });
  } catch {
    return undefined;
  }
}
