/**
 * Entry point of the inbox: the person's threads, the most urgent first. Shows the stored list, then loads the
 * current one.
 */
import { announce } from "../respond/ui/accessibility.js";
import { ApiError } from "../respond/send/api.js";
import { toBlocks } from "../respond/thread/messages.js";
import * as db from "../respond/device-store.js";
import { byId, fill, h, icon } from "../respond/ui/dom.js";
import { currentLanguage, localize, t as respondText } from "../respond/ui/i18n.js";
import { applyPrefs } from "../respond/ui/preferences.js";
import { sync } from "../respond/send/flush-timer.js";
import {
  enqueue,
  forget,
  getKey,
  onQueue,
  sendNow,
  takeBack,
  unblock,
  UNDO_MS,
} from "../respond/send/send-queue.js";
import { tick } from "../respond/thread/render-request.js";
import { ago, clock } from "../respond/ui/time-format.js";
import { seenMark } from "../respond/send/thread-store.js";
import { filter, applyFilter, renderFilters } from "./filters.js";
import { getUrl, renderGroups, renderUnsent } from "./list.js";
import { watch } from "./live-updates.js";
import { onPull } from "./pull-to-refresh.js";
import {
  countNew,
  prefetch,
  fetchState,
  inbox,
  loadMore,
  markSeen,
  getFreshState,
  restore,
  refresh,
  getStoredAt,
  search,
  threadNeedsForm,
} from "./inbox-store.js";
import { loadTexts, maybeInboxText, inboxText } from "./inbox-i18n.js";

applyPrefs();

/** The newest queue item of each thread. @type {Map<string, QueueItem>} */
const items = new Map();
/** Threads that this person is changing, with their versions before it; the change is not announced. @type {Map<string, string>} */
const own = new Map();
/** Search results, while searching. @type {InboxThread[] | undefined} */
let results;

const at = (/** @type {string} */ id) => byId(id, HTMLElement);

function draw() {
  const all = inbox()?.threads;
  if (!all) return;
  at("closed").hidden = true;
  at("page").hidden = at("share").classList.contains("choosing");
  // Without any request there is nothing to find or to sort.
  const isUnused = all.length === 0 && filter.q === "";
  for (const id of ["search", "filters"]) at(id).hidden = isUnused;
  renderFilters(at("filters"), draw);
  renderGroups(at("groups"), applyFilter(results ?? all), filter, items, on);
  const listed = new Set(all.map(getKey));
  const unsent = [...items.values()].filter(
    ({ where, state }) => ["conflict", "blocked"].includes(state) && !listed.has(getKey(where)),
  );
  renderUnsent(at("lost"), unsent, on);
  tick();
  drawAvailability();
  const news = countNew(all);
  document.title = news === 0 ? inboxText("inbox") : `(${news}) ${inboxText("inbox")}`;
  const badge = /** @type {any} */ (navigator);
  // App badges are optional; errors are ignored.
  void (news === 0 ? badge.clearAppBadge?.() : badge.setAppBadge?.(news))?.catch(() => {});
}

/** Shows the choice of a request for a shared file or text, or why it was not kept. */
async function askForShare() {
  const share = await import("./choose-request.js");
  await share.askForShare(at("share"), draw);
}

/** Shows where the person is away; most are not, so the module is loaded only then. */
function drawAvailability() {
  const households = inbox()?.households ?? [];
  const isHere = households.every(({ availability }) => (availability?.state ?? "here") === "here");
  if (isHere) return void (at("availability").hidden = true);
  void import("./availability.js")
    .then(({ renderBanners }) => renderBanners(at("availability"), households, drawAvailability))
    .catch(() => {});
}

/** @type {import("./list.js").ListHandlers} */
const on = {
  open: markSeen,
  act: async (thread, act) => {
    // A request that asks for values is answered on its own page.
    const state =
      act === "completed" ? (getFreshState(thread) ?? (await fetchState(thread))) : undefined;
    if (state && threadNeedsForm(state)) return location.assign(getUrl(thread));
    const { ref, session } = thread;
    own.set(getKey(thread), seenMark(thread));
    const answer = { text: "", notes: "", files: [], values: {} };
    const blocks = toBlocks(act, ref, {}, answer, []);
    await enqueue(
      { where: { ref, session }, act, blocks, files: [] },
      act === "claim" ? 0 : UNDO_MS,
    );
    sync();
    const undo = at("groups").querySelector(`[data-ref="${CSS.escape(ref)}"] [data-action="undo"]`);
    if (undo instanceof HTMLElement) undo.focus();
  },
  undo: async (item) => {
    if (!(await takeBack(item.id))) return;
    items.delete(getKey(item.where));
    own.delete(getKey(item.where));
    announce(respondText("taken_back"));
    draw();
    const again = at("groups").querySelector(`[data-ref="${CSS.escape(item.where.ref)}"] .row-act`);
    if (again instanceof HTMLElement) again.focus();
  },
  forget: async (item) => {
    await forget(item.id);
    items.delete(getKey(item.where));
    draw();
    void reload();
  },
  more: async (group) => {
    try {
      await loadMore(group);
    } catch (error) {
      showError(error);
    }
    draw();
  },
};

/** @param {QueueItem} item */
function onItemChange(item) {
  const key = getKey(item.where);
  items.set(key, item);
  if (item.state === "sent") {
    items.delete(key);
    announce(respondText("arrived_at", { at: clock(item.sent_at ?? Date.now()) }));
  }
  // A conflict means that somebody else changed the thread. The second time, the index has caught up.
  if (item.state === "sent" || item.state === "conflict")
    void reload().then(() => setTimeout(() => void reload(), 800));
  if (item.state === "held") announce(respondText("sending_soon", { n: UNDO_MS / 1_000 }));
  draw();
}

/**
 * A list may still have the thread as it was before the person's own change, which is not new to the person.
 * @param {InboxThread} thread
 */
async function markOwnAsSeen(thread) {
  const key = getKey(thread);
  const before = own.get(key);
  if (before === undefined) return;
  if (before !== seenMark(thread)) own.delete(key);
  await markSeen(thread);
}

/** Reloads the inbox and shows the connection status. */
async function reload() {
  const before = inbox();
  try {
    await refresh();
    for (const thread of inbox()?.threads ?? []) await markOwnAsSeen(thread);
    await updateResults();
    const news = countNew(inbox()?.threads ?? []);
    if (before && news > countNew(before.threads)) announce(inboxText("count_new", { n: news }));
    showConnection();
    draw();
    if (await prefetch()) draw();
  } catch (error) {
    showError(error);
  }
}

/** @param {unknown} error */
function showError(error) {
  if (error instanceof ApiError && error.transient && inbox()) return showConnection(true);
  const signedOut = error instanceof ApiError && error.status === 401;
  // After a sign-out, the next person must not see this list, nor what was shared into it.
  if (signedOut) {
    for (const key of ["list", "shared"]) void db.remove("inbox", key);
    if (at("share").classList.contains("choosing")) at("share").hidden = true;
    at("share").classList.remove("choosing");
  }
  const away = error instanceof ApiError && error.status === 0;
  fill(
    at("closed"),
    h("div", { class: "closed-mark" }, icon(signedOut ? "link" : "cloud")),
    h(
      "h2",
      { tabindex: "-1" },
      signedOut ? inboxText("closed") : away ? respondText("no_network") : inboxText("broken"),
    ),
    signedOut && h("p", {}, inboxText("closed_how")),
    signedOut
      ? h("a", { class: "primary", href: "/sign-in" }, inboxText("sign_in"))
      : h(
          "button",
          { type: "button", class: "primary", on: { click: () => void reload() } },
          respondText("try_again"),
        ),
  );
  at("page").hidden = true;
  at("closed").hidden = false;
}

/** @param {boolean} [away] */
function showConnection(away = !navigator.onLine) {
  const storedAt = getStoredAt();
  const note = away
    ? storedAt
      ? inboxText("offline_since", { ago: ago(storedAt) })
      : respondText("offline")
    : inbox()?.complete === false
      ? inboxText("index_away")
      : "";
  const place = at("connection");
  fill(
    place,
    note !== "" &&
      h(
        "p",
        { class: "banner warn" },
        icon("cloud"),
        h("span", {}, note),
        h(
          "button",
          { type: "button", class: "quiet", on: { click: () => void reload() } },
          respondText("try_again"),
        ),
      ),
  );
  place.hidden = note === "";
}

/** @type {ReturnType<typeof setTimeout> | undefined} */
let typing;

/** Ignores a response that arrives after the person has searched for something else. */
async function updateResults() {
  const { q } = filter;
  const found = q === "" ? undefined : await search(q);
  if (filter.q === q) results = found;
}

function searchSoon() {
  clearTimeout(typing);
  typing = setTimeout(async () => {
    filter.q = byId("q", HTMLInputElement).value.trim();
    try {
      await updateResults();
    } catch (error) {
      showError(error);
    }
    draw();
  }, 250);
}

/** Sends held items: leaving the page ends the undo delay. */
async function sendItems() {
  for (const item of items.values()) if (item.state === "held") await sendNow(item.id);
  sync();
}

const localizeInbox = () => localize((word) => maybeInboxText(word) ?? respondText(word));

/** Names the app on the home screen in the person's language. */
function nameApp() {
  const language = currentLanguage();
  const manifest = document.querySelector('link[rel="manifest"]');
  if (language !== "en") manifest?.setAttribute("href", `/vendor/inbox-${language}.webmanifest`);
  const title = document.querySelector('meta[name="apple-mobile-web-app-title"]');
  title?.setAttribute("content", inboxText("app_short"));
}

async function openSettings() {
  const [{ openSettings: open }, { buildOfferControls: offerControls }, availability] =
    await Promise.all([
      import("../respond/ui/settings.js"),
      import("./install-and-push.js"),
      import("./availability.js"),
      // The households are known only after loading.
      inbox() ? undefined : refresh().catch(() => {}),
    ]);
  const redrawTexts = async () => {
    await loadTexts();
    localizeInbox();
    draw();
  };
  const households = inbox()?.households ?? [];
  open(redrawTexts, [
    ...buildAccountSection(households),
    ...availability.buildAvailabilitySections(households, drawAvailability),
    ...(await offerControls(households)),
  ]);
}

/** Shows the account, and the link to sign out. @param {readonly InboxHousehold[]} households */
const buildAccountSection = (households) =>
  households.length === 0
    ? []
    : [
        h(
          "section",
          { class: "field", data: { section: "account" } },
          h("h2", {}, inboxText("account")),
          ...households.map(({ me, my_name: name = me, name: household }) =>
            h("p", {}, inboxText("signed_in_as", { name, household })),
          ),
          h("a", { class: "secondary", href: "/console" }, inboxText("console")),
          h("a", { class: "secondary", href: "/sign-in" }, inboxText("sign_out")),
        ),
      ];

/** Loads later modules and shows the offers that were not dismissed on this device. */
async function loadExtras() {
  const { renderOffers } = await import("./install-and-push.js");
  await renderOffers(at("offers"), inbox()?.households ?? []);
  const { registerWorker } = await import("../respond/register-worker.js");
  await registerWorker();
  const { findViews } = await import("./find-views.js");
  at("refresh").addEventListener("click", () => document.dispatchEvent(new Event("mess-refresh")));
  await findViews();
}

async function start() {
  // The browser fires this event early and only once.
  addEventListener("beforeinstallprompt", (event) => {
    event.preventDefault();
    Object.assign(globalThis, { installOffer: event });
  });
  const texts = loadTexts();
  // Before anything is awaited, so that no tap and no search is lost.
  addEventListener("online", sync);
  addEventListener("offline", () => void texts.then(() => showConnection(true)));
  addEventListener("visibilitychange", () => void (document.hidden ? sendItems() : sync()));
  at("refresh").addEventListener("click", () => void texts.then(reload));
  at("settings").addEventListener(
    "click",
    () => void texts.then(openSettings).catch(() => showConnection()),
  );
  at("q").addEventListener("input", searchSoon);
  if (byId("q", HTMLInputElement).value !== "") searchSoon();
  onPull(at("pull"), () => texts.then(reload));
  await texts;
  localizeInbox();
  nameApp();
  onQueue(({ item }) => onItemChange(item));
  const stored = /** @type {QueueItem[]} */ (await db.all("queue"));
  for (const item of stored.toSorted((a, b) => b.created - a.created))
    if (item.state !== "sent" && !items.has(getKey(item.where)))
      items.set(getKey(item.where), item);
  setInterval(tick, 1_000);
  if (await restore()) draw();
  sync();
  const loading = reload();
  // The stored list may be another account's: the share waits for the present one, or for the network to fail.
  await refresh().catch(() => {});
  await askForShare().catch(() => {});
  await loading;
  document.documentElement.dataset["ready"] = "";
  // Retry items that an expired session blocked.
  void unblock().then(sync);
  watch(
    () => inbox()?.households ?? [],
    async () => {
      document.dispatchEvent(new Event("mess-change"));
      await reload();
    },
    ({ ref, status }) =>
      (inbox()?.threads ?? []).some((one) => one.ref === ref && one.status === status),
  );
  // The inbox also works without these modules.
  await loadExtras().catch(() => {});
}

void start();
