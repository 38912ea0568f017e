/**
 * Service worker: serves the pages offline and sends the queue when the network is back. The cache is named by the
 * digest of all files, so that versions never mix. It contains no thread data.
 */
import { listenForPush } from "./notifications.js";
import { SHARE_PATH, takeShare } from "./share-target.js";
import { flush } from "./send/send-queue.js";
import { SHELL } from "/vendor/respond-shell.js";

const worker = /** @type {ServiceWorkerGlobalScope} */ (/** @type {unknown} */ (self));
const CACHE_NAME = `respond-${SHELL.version}`;

worker.addEventListener("install", (event) => {
  const keep = async () => {
    const cache = await caches.open(CACHE_NAME);
    // Another registration of this worker filled the cache already.
    if ((await cache.keys()).length === SHELL.files.length) return;
    await cache.addAll(SHELL.files.map((file) => new Request(file, { cache: "no-cache" })));
  };
  event.waitUntil(keep());
});

worker.addEventListener("activate", (event) => {
  const clean = async () => {
    for (const name of await caches.keys())
      if (name.startsWith("respond-") && name !== CACHE_NAME) await caches.delete(name);
    await worker.clients.claim();
  };
  event.waitUntil(clean());
});

/** The cached page for a path; undefined if there is none. @param {string} path */
const getPageOfPath = (path) =>
  path === "/inbox" || path === "/inbox/"
    ? "/inbox"
    : path === "/respond" || /^\/r\/[\w-]+\/?$/.test(path)
      ? "/respond"
      : undefined;

worker.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method === "POST" && url.pathname === SHARE_PATH && request.mode === "navigate")
    return event.respondWith(takeShare(request));
  if (request.method !== "GET" || url.origin !== worker.location.origin) return;
  const page = request.mode === "navigate" ? getPageOfPath(url.pathname) : undefined;
  if (page !== undefined) event.respondWith(respondFromCache(page, request));
  else if (SHELL.files.includes(url.pathname))
    event.respondWith(respondFromCache(url.pathname, request));
});

/** @param {string} path @param {Request} request */
async function respondFromCache(path, request) {
  const cache = await caches.open(CACHE_NAME);
  return (await cache.match(path)) ?? (await fetch(request));
}

worker.addEventListener("sync", (event) => {
  const sync = /** @type {ExtendableEvent & { tag: string }} */ (event);
  if (sync.tag === "mess-queue") sync.waitUntil(flushQueue());
});

/** Throws if items are left, so that the browser retries. */
async function flushQueue() {
  const left = await flush();
  if (left !== undefined) throw new Error("some messages are not sent yet");
}

listenForPush(worker);
