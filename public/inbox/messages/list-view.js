/** The list of all messages, newest first, with filters and search. */
import { fill, h } from "../../respond/ui/dom.js";
import { buildBack } from "./hash.js";
import { loadMessages, loadOlder, mergePages } from "./message-store.js";
import { buildDraftRow, buildMessageRow } from "./rows.js";
import { drawStateBanner } from "./state-banner.js";
import { getTierName, getTools, messageText } from "./texts.js";

/** Letters typed within this time cause one search. */
const SEARCH_DELAY_MS = 250;

/** Stays while the page lives, so that the way back from a message leads to the same list. @type {MessageFilter} */
const filter = { view: "all", source: "", q: "" };

/** @type {readonly MessageTier[]} */
const TIERS = ["NOTIFY", "DEFER", "DECLINE", "IGNORE"];

/** The list as it was when a message was opened. @type {{ key: string, pages: number, loaded: import("./message-store.js").LoadedMessages } | undefined} */
let before;

/** @param {HTMLElement} place @param {() => readonly MessageHousehold[]} getHouseholds */
export function openList(place, getHouseholds) {
  const key = JSON.stringify(filter);
  let pageCount = before?.key === key ? before.pages : 1;
  let loaded = before?.key === key ? before.loaded : undefined;
  /** @type {unknown} */
  let problem;
  let isClosed = false;
  /** Responses to earlier filters are ignored. */
  let turn = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let typing;

  const head = h("div", { class: "ms-head" });
  const search = h("input", {
    type: "search",
    id: "ms-q",
    autocomplete: "off",
    enterkeyhint: "search",
    maxlength: 200,
    value: filter.q,
    on: { input: () => searchSoon() },
  });
  const filters = h("div", { class: "filters" });
  const state = h("div", { role: "status" });
  const list = h("ul", { class: "rows", "aria-busy": "true" });
  const older = h("button", {
    type: "button",
    class: "secondary wide",
    hidden: true,
    on: { click: () => void showOlder() },
  });

  function searchSoon() {
    clearTimeout(typing);
    typing = setTimeout(() => {
      filter.q = search.value.trim();
      choose();
    }, SEARCH_DELAY_MS);
  }

  function choose() {
    pageCount = 1;
    loaded = undefined;
    list.setAttribute("aria-busy", "true");
    draw();
    void reload();
  }

  async function reload() {
    const mine = (turn += 1);
    try {
      const found = await loadMessages(getHouseholds(), filter, pageCount);
      if (isClosed || mine !== turn) return;
      announceNew(loaded, found);
      loaded = found;
      problem = undefined;
    } catch (error) {
      if (isClosed || mine !== turn) return;
      problem = error;
    }
    list.removeAttribute("aria-busy");
    draw();
  }

  async function showOlder() {
    if (!loaded) return;
    const mine = (turn += 1);
    const count = list.children.length;
    try {
      const pages = await loadOlder(loaded.pages, filter);
      if (isClosed || mine !== turn) return;
      loaded = { ...loaded, pages };
      pageCount++;
      problem = undefined;
    } catch (error) {
      problem = error;
    }
    draw();
    list.children[count]?.querySelector("a")?.focus();
  }

  function draw() {
    search.setAttribute("aria-label", messageText("search"));
    search.placeholder = messageText("search");
    older.textContent = messageText("more");
    fill(
      head,
      buildBack("#", messageText("back")),
      h("h2", { id: "messages-title" }, messageText("title")),
    );
    drawFilters();
    drawStateBanner(state, problem, loaded?.isStored, reload);
    const several = getHouseholds().flatMap(({ sources }) => sources).length > 1;
    const rows = !loaded
      ? []
      : filter.view === "approve"
        ? loaded.drafts.filter(isOfSource).map((draft) => buildDraftRow(draft))
        : mergePages(loaded.pages).map((message) =>
            buildMessageRow(message, several ? nameSource(message) : undefined),
          );
    fillKeepingFocus(list, rows);
    if (loaded && rows.length === 0) fill(list, h("li", { class: "nothing" }, getEmptyText()));
    const hasMore = loaded?.pages.some(({ next }) => Object.keys(next).length > 0);
    older.hidden = !hasMore || filter.q !== "" || filter.view === "approve";
  }

  const getEmptyText = () => {
    if (filter.q !== "") return messageText("nothing_found");
    if (filter.view === "approve") return messageText("nothing_to_approve");
    return messageText(filter.view === "all" && filter.source === "" ? "empty" : "nothing");
  };

  const isOfSource = (/** @type {MessageDraft} */ { session, source }) =>
    filter.source === "" || filter.source === `${session}/${source}`;

  /** @param {{ session: string, source: string }} message */
  const nameSource = ({ session, source }) =>
    getHouseholds()
      .find((household) => household.session === session)
      ?.sources.find((one) => one.source === source)?.title ?? source;

  let drawnFilters = "";
  function drawFilters() {
    const sources = getHouseholds().flatMap(({ session, name, sources: own }) =>
      own.map(({ source, title = source }) => ({ key: `${session}/${source}`, title, name })),
    );
    const waiting = loaded?.drafts.length ?? 0;
    const { choiceControl, formatNumber, currentLanguage } = getTools();
    const sign = JSON.stringify([currentLanguage(), sources, waiting, filter]);
    if (sign === drawnFilters) return;
    drawnFilters = sign;
    const focused = [...filters.querySelectorAll("input")].findIndex(
      (input) => input === document.activeElement,
    );
    const count = waiting === 0 ? "" : ` ${formatNumber(waiting)}`;
    const view = choiceControl(
      messageText("show"),
      [
        ["all", messageText("all")],
        ["approve", `${messageText("approve_tab")}${count}`],
        ["unseen", messageText("unseen")],
        ["flagged", messageText("flagged")],
        ...TIERS.map((tier) => /** @type {const} */ ([tier, getTierName(tier)])),
      ],
      {
        value: filter.view,
        changed: () => {
          filter.view = view.value() ?? "all";
          choose();
        },
      },
    );
    const several = getHouseholds().length > 1;
    const which =
      sources.length > 1 &&
      choiceControl(
        messageText("source"),
        [
          ["", messageText("all_sources")],
          ...sources.map(
            ({ key: one, title, name }) =>
              /** @type {const} */ ([one, several ? `${title} · ${name}` : title]),
          ),
        ],
        {
          value: filter.source,
          changed: () => {
            filter.source = (which && which.value()) ?? "";
            choose();
          },
        },
      );
    fill(filters, view.element, which && which.element);
    for (const legend of filters.querySelectorAll("legend")) legend.className = "unseen";
    if (focused >= 0) filters.querySelectorAll("input")[focused]?.focus();
  }

  fill(place, head, h("div", { role: "search" }, search), filters, state, list, older);
  draw();
  void reload();
  return {
    redraw: draw,
    reload,
    close: () => {
      isClosed = true;
      clearTimeout(typing);
      before = loaded && { key: JSON.stringify(filter), pages: pageCount, loaded };
    },
  };
}

/**
 * Says how many messages have arrived since the list was shown.
 * @param {import("./message-store.js").LoadedMessages | undefined} shown
 * @param {import("./message-store.js").LoadedMessages} found
 */
function announceNew(shown, found) {
  const [newest] = shown ? mergePages(shown.pages) : [];
  if (!newest) return;
  const n = mergePages(found.pages).filter(({ received }) => received > newest.received).length;
  if (n > 0) getTools().announce(messageText("arrived", { n }));
}

/** Rows that are shown again keep the focus. @param {HTMLElement} list @param {HTMLElement[]} rows */
function fillKeepingFocus(list, rows) {
  const focused = document.activeElement?.closest("li");
  const key = focused && list.contains(focused) ? focused.dataset["key"] : undefined;
  fill(list, ...rows);
  if (key !== undefined)
    rows
      .find((row) => row.dataset["key"] === key)
      ?.querySelector("a")
      ?.focus();
}
