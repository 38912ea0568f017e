/** Lets the person choose the open request for a file or text that was shared into the app. */
import { statusName } from "../respond/thread/render-request.js";
import { hasSteppedBack } from "../respond/thread/messages.js";
import {
  chooseRequest,
  dropShare,
  MAX_SHARED_BYTES,
  readShare,
  toAccount,
} from "../respond/share-target.js";
import { MAX_BYTES, MAX_FILES } from "../respond/answer/upload.js";
import { byId, fill, h, icon } from "../respond/ui/dom.js";
import { t as respondText } from "../respond/ui/i18n.js";
import { ago, size } from "../respond/ui/time-format.js";
import { getStoredState, inbox, loadMore } from "./inbox-store.js";
import { getUrl } from "./list.js";
import { inboxText } from "./inbox-i18n.js";

/** @param {InboxThread} thread */
const isClaimed = ({ group, executor, me }) =>
  group === "mine" || (group === "waiting" && executor?.id === me);

/** @param {InboxThread} thread */
function isOffered(thread) {
  const state = getStoredState(thread);
  return thread.group === "open" && !(state && hasSteppedBack(state));
}

/** @param {HTMLElement} place @param {() => void} redraw redraws the inbox beside it */
export async function askForShare(place, redraw) {
  const problem = new URLSearchParams(location.search).get("share");
  if (problem !== null) history.replaceState(null, "", "/inbox");
  if (problem === "failed") return showProblem(place, inboxText("share_failed"));
  if (problem === "signed_out") return showProblem(place, inboxText("share_signed_out"));
  const loaded = inbox();
  // After a sign-out, the list is still in memory.
  if (!loaded || !byId("closed", HTMLElement).hidden) return;
  const shared = await readShare(loaded.households.map(toAccount));
  if (!shared) return;
  const isNew = place.hidden;
  renderChoice(place, shared, problem === "waiting", () => {
    place.hidden = true;
    place.classList.remove("choosing");
    redraw();
    byId("groups", HTMLElement).focus();
  });
  place.hidden = false;
  place.classList.add("choosing");
  redraw();
  if (isNew) byId("share-title", HTMLElement).focus();
}

/** A share was not kept, for example because the app had not been opened before. @param {HTMLElement} place @param {string} words */
function showProblem(place, words) {
  const line = h("span", { id: "share-title" }, words);
  fill(place, h("p", { class: "banner warn", role: "status" }, icon("warn"), line));
  place.hidden = false;
}

/**
 * @param {HTMLElement} place
 * @param {Shared} shared
 * @param {boolean} isAnotherRefused whether something else was shared meanwhile and not kept
 * @param {() => void} closed called after the person added it to no request
 */
function renderChoice(place, shared, isAnotherRefused, closed) {
  const threads = (inbox()?.threads ?? []).filter((one) =>
    shared.accounts.includes(toAccount(one)),
  );
  const canAdd = shared.files.length > 0 || shared.text !== "";
  const claimed = threads.filter(isClaimed);
  const offered = threads.filter(isOffered);
  const drop = async () => {
    await dropShare();
    closed();
  };
  fill(
    place,
    h(
      "h2",
      { id: "share-title", tabindex: "-1" },
      inboxText(canAdd ? "share_title" : "share_unusable"),
    ),
    isAnotherRefused && h("p", { class: "banner warn" }, icon("warn"), inboxText("share_waiting")),
    renderShared(shared),
    ...shared.refused.map((one) => h("p", { class: "banner warn" }, icon("warn"), explain(one))),
    canAdd && h("p", { class: "faint" }, inboxText("share_how")),
    canAdd && claimed.length + offered.length === 0 && h("p", {}, inboxText("share_none")),
    canAdd && renderList(inboxText("group_mine"), claimed),
    canAdd && renderList(inboxText("group_open"), offered),
    canAdd &&
      inbox()?.next.open !== undefined &&
      h(
        "button",
        {
          type: "button",
          class: "quiet",
          on: {
            click: () =>
              void loadMore("open").then(() =>
                renderChoice(place, shared, isAnotherRefused, closed),
              ),
          },
        },
        inboxText("more"),
      ),
    h(
      "button",
      { type: "button", class: "secondary", data: { action: "drop" }, on: { click: drop } },
      canAdd ? inboxText("share_drop") : respondText("close"),
    ),
  );
}

/** @param {Shared["refused"][number]} refused */
const explain = ({ name, reason }) =>
  h(
    "span",
    {},
    reason === "large"
      ? respondText("file_too_large", { name, size: size(MAX_BYTES) })
      : reason === "empty"
        ? respondText("file_empty", { name })
        : reason === "limit"
          ? inboxText("share_limit", { n: MAX_FILES, size: size(MAX_SHARED_BYTES) })
          : inboxText("share_type", { name }),
  );

/** @param {Shared} shared */
function renderShared({ files, text: words }) {
  const previews = files.map((file) => {
    const src = URL.createObjectURL(file);
    const image = h("img", { src, alt: "" });
    image.addEventListener("error", () => image.replaceWith(icon("images")), { once: true });
    return h(
      "li",
      {},
      file.type.startsWith("image/") ? image : icon("file"),
      h("span", { dir: "auto" }, file.name, " ", h("span", { class: "faint" }, size(file.size))),
    );
  });
  return h(
    "ul",
    { class: "shared" },
    ...previews,
    words !== "" && h("li", {}, icon("note"), h("span", { dir: "auto" }, words)),
  );
}

/** @param {string} title @param {InboxThread[]} threads */
const renderList = (title, threads) =>
  threads.length > 0 &&
  h(
    "section",
    { class: "group" },
    h("h3", {}, title),
    h("ul", { class: "rows" }, ...threads.map((thread) => h("li", {}, renderRequest(thread)))),
  );

/** @param {InboxThread} thread */
const renderRequest = (thread) =>
  h(
    "button",
    {
      type: "button",
      class: "row-card choice",
      data: { ref: thread.ref },
      on: {
        click: async () => {
          await chooseRequest(thread);
          location.assign(getUrl(thread));
        },
      },
    },
    h("span", { class: "row-intent", dir: "auto" }, thread.intent),
    h(
      "span",
      { class: "faint row-meta" },
      h(
        "span",
        {},
        inboxText("by", { name: thread.requestor.name }),
        " · ",
        h("time", { datetime: thread.created }, ago(thread.created)),
      ),
      thread.status !== "pending" && h("span", { class: "chip" }, statusName(thread.status)),
    ),
  );
