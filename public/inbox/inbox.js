/**
 * The inbox: all that waits for the person, in the order in which it matters. This module only puts the others
 * together; what is known on the device is shown before the network is asked.
 */
import { announce } from "../respond/accessibility.js";
import { ApiError } from "../respond/api.js";
import { blocksOf } from "../respond/messages.js";
import * as db from "../respond/device-store.js";
import { byId, fill, h, icon } from "../respond/dom.js";
import { speak, t } from "../respond/i18n.js";
import { applyPrefs } from "../respond/preferences.js";
import { pump } from "../respond/flush-timer.js";
import {
  enqueue,
  forget,
  keyOf,
  onQueue,
  sendNow,
  takeBack,
  unblock,
  UNDO,
} from "../respond/send-queue.js";
import { tick } from "../respond/render-request.js";
import { ago, clock } from "../respond/time-format.js";
import { filter, filtered, renderFilters } from "./filters.js";
import { addressOf, renderGroups, renderLost } from "./list.js";
import { follow } from "./live-updates.js";
import { onPull } from "./pull-to-refresh.js";
import {
  countNew,
  fetchAhead,
  fetchPage,
  inbox,
  loadMore,
  markSeen,
  pageOf,
  recall,
  refresh,
  rememberedAt,
  search,
  wantsWords,
} from "./inbox-store.js";
import { loadWords, maybeSay, say } from "./inbox-i18n.js";

applyPrefs();

/** What is on its way, by thread: the newest of each. @type {Map<string, QueueItem>} */
const items = new Map();
/** Threads that this person has just changed: what follows from that is no news. @type {Set<string>} */
const own = new Set();
/** What a search found. @type {InboxThread[] | undefined} */
let found;

const at = (/** @type {string} */ id) => byId(id, HTMLElement);

function draw() {
  const all = inbox()?.threads;
  if (!all) return;
  at("closed").hidden = true;
  at("page").hidden = false;
  renderFilters(at("filters"), draw);
  renderGroups(at("groups"), filtered(found ?? all), filter, items, doing);
  const listed = new Set(all.map(keyOf));
  const lost = [...items.values()].filter(
    ({ where, state }) => ["conflict", "blocked"].includes(state) && !listed.has(keyOf(where)),
  );
  renderLost(at("lost"), lost, doing);
  tick();
  const news = countNew(all);
  document.title = news === 0 ? say("inbox") : `(${news}) ${say("inbox")}`;
  const badge = /** @type {any} */ (navigator);
  // A badge is a courtesy of the device: one that refuses it is left alone.
  void (news === 0 ? badge.clearAppBadge?.() : badge.setAppBadge?.(news))?.catch(() => {});
}

/** @type {import("./list.js").Doing} */
const doing = {
  open: markSeen,
  act: async (thread, act) => {
    // What asks for more than a tap is answered on its page.
    const page = act === "completed" ? (pageOf(thread) ?? (await fetchPage(thread))) : undefined;
    if (page && wantsWords(page)) return location.assign(addressOf(thread));
    const { ref, session } = thread;
    const answer = { text: "", notes: "", files: [], values: {} };
    const blocks = blocksOf(act, ref, {}, answer, []);
    await enqueue(
      { where: { ref, session }, act, blocks, files: [] },
      act === "completed" ? UNDO : 0,
    );
    pump();
    const undo = at("groups").querySelector(`[data-ref="${CSS.escape(ref)}"] [data-does="undo"]`);
    if (undo instanceof HTMLElement) undo.focus();
  },
  undo: async (item) => {
    if (!(await takeBack(item.id))) return;
    items.delete(keyOf(item.where));
    announce(t("taken_back"));
    draw();
    const again = at("groups").querySelector(`[data-ref="${CSS.escape(item.where.ref)}"] .row-act`);
    if (again instanceof HTMLElement) again.focus();
  },
  forget: async (item) => {
    await forget(item.id);
    items.delete(keyOf(item.where));
    draw();
    void look();
  },
  more: async (group) => {
    try {
      await loadMore(group);
    } catch (error) {
      showFault(error);
    }
    draw();
  },
};

/** @param {QueueItem} item */
function heardOf(item) {
  const key = keyOf(item.where);
  items.set(key, item);
  if (item.state === "sent") {
    items.delete(key);
    own.add(key);
    announce(t("arrived_at", { at: clock(item.sent_at ?? Date.now()) }));
    void look().then(() => setTimeout(() => void look(), 800));
  }
  if (item.state === "held") announce(t("sending_soon"));
  draw();
}

/** Reads the inbox anew, and says what became of it. */
async function look() {
  const before = inbox();
  try {
    await refresh();
    for (const thread of inbox()?.threads ?? [])
      if (own.delete(keyOf(thread))) await markSeen(thread);
    if (filter.q !== "") found = await search(filter.q);
    const news = countNew(inbox()?.threads ?? []);
    if (before && news > countNew(before.threads)) announce(say("count_new", { n: news }));
    showConnection();
    draw();
    if (await fetchAhead()) draw();
  } catch (error) {
    showFault(error);
  }
}

/** @param {unknown} error */
function showFault(error) {
  if (error instanceof ApiError && error.passes && inbox()) return showConnection(true);
  const nobody = error instanceof ApiError && error.status === 401;
  // Whoever comes next is not shown what was for another.
  if (nobody) void db.remove("inbox", "list");
  const away = error instanceof ApiError && error.status === 0;
  fill(
    at("closed"),
    h("div", { class: "closed-mark" }, icon(nobody ? "link" : "cloud")),
    h("h2", { tabindex: "-1" }, nobody ? say("closed") : away ? t("no_network") : say("broken")),
    nobody && h("p", {}, say("closed_how")),
    nobody
      ? h("a", { class: "primary", href: "/sign-in" }, say("sign_in"))
      : h(
          "button",
          { type: "button", class: "primary", on: { click: () => void look() } },
          t("try_again"),
        ),
  );
  at("page").hidden = true;
  at("closed").hidden = false;
}

/** @param {boolean} [away] */
function showConnection(away = !navigator.onLine) {
  const kept = rememberedAt();
  const words = away
    ? kept
      ? say("offline_since", { ago: ago(kept) })
      : t("offline")
    : inbox()?.complete === false
      ? say("index_away")
      : "";
  const place = at("connection");
  fill(
    place,
    words !== "" &&
      h(
        "p",
        { class: "banner warn" },
        icon("cloud"),
        h("span", {}, words),
        h(
          "button",
          { type: "button", class: "quiet", on: { click: () => void look() } },
          t("try_again"),
        ),
      ),
  );
  place.hidden = words === "";
}

/** @type {ReturnType<typeof setTimeout> | undefined} */
let typing;

function searchSoon() {
  clearTimeout(typing);
  typing = setTimeout(async () => {
    filter.q = byId("q", HTMLInputElement).value.trim();
    const { q } = filter;
    try {
      const answer = q === "" ? undefined : await search(q);
      if (filter.q === q) found = answer;
    } catch (error) {
      showFault(error);
    }
    draw();
  }, 250);
}

/** Who leaves has thought long enough: what may still be taken back goes out now. */
async function sendHeld() {
  for (const item of items.values()) if (item.state === "held") await sendNow(item.id);
  pump();
}

const speakHere = () => speak((word) => maybeSay(word) ?? t(word));

async function openSettings() {
  const [{ openSettings: open }, { offerControls }] = await Promise.all([
    import("../respond/settings.js"),
    import("./install-and-push.js"),
    // Whom it is for is known only then.
    inbox() ? undefined : refresh().catch(() => {}),
  ]);
  const retell = async () => {
    await loadWords();
    speakHere();
    draw();
  };
  open(retell, await offerControls(inbox()?.households ?? []));
}

/** What may be wanted later, and the offers that this device has not turned down. */
async function theRest() {
  const { renderOffers } = await import("./install-and-push.js");
  await renderOffers(at("offers"), inbox()?.households ?? []);
  const { registerWorker } = await import("../respond/register-worker.js");
  await registerWorker();
}

async function start() {
  // The browser's own offer to install comes early, and once.
  addEventListener("beforeinstallprompt", (event) => {
    event.preventDefault();
    Object.assign(globalThis, { installOffer: event });
  });
  await loadWords();
  speakHere();
  for (const item of /** @type {QueueItem[]} */ (await db.all("queue")))
    if (item.state !== "sent") items.set(keyOf(item.where), item);
  onQueue(({ item }) => heardOf(item));
  addEventListener("online", pump);
  addEventListener("offline", () => showConnection(true));
  addEventListener("visibilitychange", () => void (document.hidden ? sendHeld() : pump()));
  at("refresh").addEventListener("click", () => void look());
  at("settings").addEventListener("click", () => void openSettings().catch(() => showConnection()));
  at("q").addEventListener("input", searchSoon);
  onPull(at("pull"), look);
  setInterval(tick, 1_000);
  if (await recall()) draw();
  pump();
  await look();
  document.documentElement.dataset["ready"] = "";
  // What a session that was over stopped is tried again with the one that there is now.
  void unblock().then(pump);
  follow(
    () => inbox()?.households ?? [],
    look,
    ({ ref, status }) =>
      (inbox()?.threads ?? []).some((one) => one.ref === ref && one.status === status),
  );
  // Where the network is gone already, the inbox does without.
  await theRest().catch(() => {});
}

void start();
