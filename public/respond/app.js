/**
 * The respond page: from a link to an answer that has arrived. This module only puts the others together; the order
 * in `start` is what makes it fast: words and session at once, the remembered thread before the network, the rest
 * after the request can be read.
 */
import { announce, reveal } from "./accessibility.js";
import { renderBar } from "./action-bar.js";
import { blocksOf, CARRIES, isEmpty, mayUndo } from "./messages.js";
import { ApiError } from "./api.js";
import { isClockWrong } from "./server-clock.js";
import { Composer } from "./composer.js";
import * as db from "./device-store.js";
import { byId, fill, h, icon } from "./dom.js";
import { loadLanguage, speak, t } from "./i18n.js";
import { follow } from "./live-updates.js";
import { Outbox } from "./outbox-view.js";
import { applyPrefs } from "./preferences.js";
import { enqueue, keyOf, unblock, UNDO } from "./send-queue.js";
import { isEnded, renderRequest, requestOf, tick } from "./render-request.js";
import { news, renderThread, standing } from "./render-thread.js";
import { here, openSession, recallWhere, takeFromAddress } from "./session.js";
import { end, onState, refresh, remember, rememberedAt, state } from "./thread-store.js";
import { ago } from "./time-format.js";

/** @typedef {import("./messages.js").Act} Act */

takeFromAddress();
applyPrefs();

/** @type {Composer} */
let composer;
/** @type {Outbox} */
let outbox;
let following = false;

/** @param {ThreadState} next @param {ThreadState} [before] */
function draw(next, before) {
  byId("closed", HTMLElement).hidden = true;
  byId("page", HTMLElement).hidden = false;
  document.title = next.envelope.intent.slice(0, 80);
  renderRequest(byId("request", HTMLElement), next);
  const rows = renderThread(byId("thread", HTMLElement), next);
  byId("so-far", HTMLElement).hidden = rows === 0;
  drawStanding(next);
  drawBar();
  tick();
  const told = before && news(next, before);
  if (told) announce(told);
  void composer.open(keyOf(here()), requestOf(next)).then(drawBar);
  if (before === undefined) outbox.open(here());
  document.documentElement.dataset["ready"] = "";
  later(
    () =>
      void import("./markdown.js").then(({ upgradeMarkdown }) => upgradeMarkdown()).catch(() => {}),
  );
}

/** @param {unknown} error */
async function showClosed(error) {
  const closed = await import("./unavailable-page.js");
  await closed.showClosed(error, () => void connect());
}

const LOADED_LATER = [
  "action-forms",
  "image-zoom",
  "location",
  "photo-resize",
  "recorder",
  "settings",
  "unavailable-page",
];

/** What may be wanted at any moment, also without network: loaded once the request can be read. */
const loadTheRest = () => {
  for (const name of LOADED_LATER) void import(`./${name}.js`).catch(() => {});
};

/** After the first view has been painted. @param {() => void} act */
const later = (act) => requestAnimationFrame(() => setTimeout(act, 0));

/** @param {ThreadState} next */
function drawStanding(next) {
  const stand = standing(next);
  const place = byId("standing", HTMLElement);
  const mark = { good: "check", warn: "warn", bad: "warn", calm: "clock" };
  fill(
    place,
    stand &&
      h(
        "p",
        { class: `banner ${stand.tone}` },
        icon(/** @type {any} */ (mark)[stand.tone]),
        h("span", { dir: "auto" }, stand.words),
      ),
  );
  place.hidden = stand === undefined;
  document.body.classList.toggle("ended", isEnded(next.envelope.status));
}

function drawBar() {
  const thread = state();
  if (!thread) return;
  const form = { hasAnswer: !isEmpty(composer.answer()), asksWords: composer.asksWords };
  renderBar(byId("bar", HTMLElement), thread, form, (act, values) => void perform(act, values));
}

/**
 * Keeps what is said on the device, and sends it: at once, or when it can no longer be taken back.
 * @param {Act} act
 * @param {Record<string, any>} values
 * @param {Answer} [other] an answer other than the one in the form
 */
async function perform(act, values, other) {
  const thread = state();
  if (!thread) return;
  const written = other ?? composer.answer();
  const noted = act === "followup" && typeof values["message"] === "string";
  const carries = !noted && CARRIES.includes(act) && !isEmpty(written);
  const fault = carries && !other ? composer.fault() : "";
  composer.complain(fault);
  if (fault !== "") return;
  const answer = carries ? written : { text: "", notes: "", files: [], values: {} };
  const said = noted ? { ...answer, text: String(values["message"]) } : answer;
  const blocks = blocksOf(act, thread.envelope.ref, values, said, composer.fields);
  const files = said.files;
  const isWorthUndoing = mayUndo(act);
  await enqueue(
    { where: here(), act, blocks, files, ...(isEmpty(said) ? {} : { answer: said }) },
    isWorthUndoing ? UNDO : 0,
  );
  if (carries && !other) composer.clear();
  outbox.pump();
  await outbox.draw();
  reveal(byId("outbox", HTMLElement), "center");
  if (!db.isLasting()) composer.complain(t("not_kept"));
}

/** @param {"live" | "waiting" | "offline"} hearing */
function showHearing(hearing) {
  const at = rememberedAt();
  const off = hearing === "offline" || !navigator.onLine;
  const place = byId("connection", HTMLElement);
  place.dataset["hearing"] = off ? "offline" : hearing;
  const words = off ? (at ? t("offline_since", { ago: ago(at) }) : t("offline")) : "";
  fill(
    place,
    words !== "" && h("p", { class: "banner warn" }, icon("cloud"), h("span", {}, words)),
  );
  place.hidden = words === "";
}

async function connect() {
  try {
    await openSession();
    await refresh();
    await unblock();
    dispatchEvent(new Event("mess:retry"));
    showHearing("live");
    if (isClockWrong()) composer.complain(t("clock_wrong"));
  } catch (error) {
    if (state() && error instanceof ApiError && error.passes) showHearing("offline");
    else if (error instanceof ApiError && error.passes && (await remember()))
      showHearing("offline");
    else if (error instanceof ApiError && error.ended !== undefined && (await end(error.ended)))
      return;
    else return await showClosed(error);
  }
  if (following) return;
  following = true;
  follow(here, () => state()?.cursor ?? 0, heard, showHearing);
}

async function heard() {
  try {
    await openSession();
    await refresh();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.ended !== undefined && (await end(error.ended))) return;
    if (error.isShut) await showClosed(error);
    throw error;
  }
}

async function start() {
  const words = loadLanguage();
  // At once, beside everything else: it is the longest way.
  const session = connectEarly();
  await words;
  speak();
  composer = new Composer(drawBar);
  outbox = new Outbox({
    putBack: (answer) => composer.putBack(answer),
    note: (answer) => void perform("followup", {}, answer),
    arrived: () => void heard().catch(() => {}),
  });
  onState(draw);
  byId("settings", HTMLButtonElement).addEventListener("click", async () => {
    const { openSettings } = await import("./settings.js");
    openSettings(async () => {
      await loadLanguage();
      speak();
      const thread = state();
      if (thread) draw(thread, thread);
    });
  });
  setInterval(tick, 1_000);
  await recallWhere();
  await remember();
  await session;
  await connect();
  later(loadTheRest);
  // So that the page opens without network.
  later(
    () =>
      void import("./register-worker.js")
        .then(({ registerWorker }) => registerWorker())
        .catch(() => {}),
  );
}

/** The session alone; what goes wrong with it is met again in `connect`. */
const connectEarly = () => openSession().catch(() => {});

void start();
