/** The service worker, by which pages open without network and are told of what comes. */

const WORKER_URL = "/respond/sw.js";
const policy = window.trustedTypes?.createPolicy("mess-worker", {
  createScriptURL: () => WORKER_URL,
});
const trustedUrl = /** @type {string} */ (
  /** @type {unknown} */ (policy?.createScriptURL(WORKER_URL) ?? WORKER_URL)
);

/**
 * @param {string} [scope] each has a registration of its own, and takes its own push messages
 * @returns {Promise<ServiceWorkerRegistration | undefined>} nothing where the browser has none or refuses
 */
export async function registerWorker(scope = "/") {
  try {
    return await navigator.serviceWorker?.register(trustedUrl, { type: "module", scope });
  } catch {
    return undefined;
  }
}
