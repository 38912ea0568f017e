/**
 * Entry of the messages: a row in the inbox leads to the list of all messages, and a row there to one message with its
 * drafts. The hash of the address says which of them is shown, so that the browser's back button works.
 */
import { byId, fill, h } from "../../respond/ui/dom.js";
import { loadStyles, onLanguage } from "../view-texts.js";
import { LIST_HASH, readHash } from "./hash.js";
import { openList } from "./list-view.js";
import { forgetMessages } from "./message-store.js";
import { openMessage } from "./message-view.js";
import { getTools, loadMessageTexts, messageText, setTools } from "./texts.js";

const STYLES = "/inbox/messages/messages.css";
/** New messages that interrupt nobody appear within this time. */
const RELOAD_INTERVAL_MS = 30_000;

const at = (/** @type {string} */ id) => byId(id, HTMLElement);

/** @type {readonly MessageHousehold[]} */
let households = [];
/** The shown view. @type {{ close: () => void, redraw: () => void, reload: () => Promise<void> } | undefined} */
let shown;

/**
 * @param {import("../inbox-tools.js").InboxTools} tools
 * @param {{ households: readonly MessageHousehold[] }} found
 */
export async function start(tools, { households: found }) {
  setTools(tools);
  households = found;
  await Promise.all([loadMessageTexts(), loadStyles(STYLES)]);
  addEventListener("hashchange", route);
  const reloadSoon = () => void reload();
  for (const event of ["mess-refresh", "mess-change"]) document.addEventListener(event, reloadSoon);
  addEventListener("online", reloadSoon);
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") void reload();
  });
  setInterval(() => {
    if (shown && document.visibilityState === "visible") void reload();
  }, RELOAD_INTERVAL_MS);
  onLanguage(loadMessageTexts, () => {
    drawEntry();
    shown?.redraw();
  });
  drawEntry();
  route();
}

async function reload() {
  try {
    ({ households } = await (await getTools().call("/inbox/messages")).json());
  } catch (error) {
    if (/** @type {{ status?: number }} */ (error).status === 401) return await leave();
  }
  drawEntry();
  await shown?.reload();
}

/** After a sign-out, the next person must not see these messages. */
async function leave() {
  households = [];
  await forgetMessages();
  drawEntry();
  if (readHash()) location.hash = "";
}

/** The row in the inbox. */
function drawEntry() {
  const sources = households.flatMap((household) => household.sources);
  const unseen = sources.reduce((sum, one) => sum + one.unseen, 0);
  const waiting = sources.reduce((sum, one) => sum + one.drafts, 0);
  const { formatNumber } = getTools();
  fill(
    at("message-entry"),
    h(
      "a",
      { class: "row-card ms-entry", href: LIST_HASH },
      h("strong", {}, messageText("title")),
      h(
        "span",
        { class: "row-meta" },
        waiting > 0 &&
          h("span", { class: "chip" }, messageText("count_waiting", { n: formatNumber(waiting) })),
        unseen > 0 &&
          h("span", { class: "chip" }, messageText("count_unseen", { n: formatNumber(unseen) })),
      ),
    ),
  );
  at("message-entry").hidden = sources.length === 0;
}

/** Shows what the hash names: the inbox, the list, or a message. */
function route() {
  const place = readHash();
  const wasShown = document.body.classList.contains("in-messages");
  shown?.close();
  shown = undefined;
  document.body.classList.toggle("in-messages", place !== undefined);
  at("messages").hidden = place === undefined;
  if (place === undefined) {
    fill(at("messages"));
    if (wasShown) at("message-entry").querySelector("a")?.focus();
    return;
  }
  shown =
    place === "list"
      ? openList(at("messages"), () => households)
      : openMessage(at("messages"), place, () => households);
  scrollTo(0, 0);
  at("messages").focus({ preventScroll: true });
}
