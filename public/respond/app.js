/** Entry point of the respond page. Shows the stored thread first, then loads the current one. */
import { announce, reveal } from "./ui/accessibility.js";
import { renderBar } from "./thread/action-bar.js";
import {
  toBlocks,
  WITH_ANSWER,
  isEmpty,
  isEnded,
  canUndo,
  hasSteppedBack,
  mainActions,
} from "./thread/messages.js";
import { ApiError } from "./send/api.js";
import { isClockWrong } from "./ui/server-clock.js";
import { Composer } from "./answer/composer.js";
import * as db from "./device-store.js";
import { byId, fill, h, icon } from "./ui/dom.js";
import { loadLanguage, localize, t } from "./ui/i18n.js";
import { watch } from "./live-updates.js";
import { Outbox } from "./send/outbox-view.js";
import { applyPrefs } from "./ui/preferences.js";
import { enqueue, getKey, unblock, UNDO_MS } from "./send/send-queue.js";
import { renderRequest, tick } from "./thread/render-request.js";
import { getNews, renderThread, getStatus } from "./thread/render-thread.js";
import { here, openSession, restoreThread, takeFromAddress } from "./session.js";
import { end, onState, refresh, restore, getStoredAt, state } from "./send/thread-store.js";
import { ago } from "./ui/time-format.js";
import { keepRest, readShareFor } from "./share-target.js";
import { renderUnsentAnswers } from "./answer/unsent-answer.js";

/** @typedef {import("./thread/messages.js").Action} Act */

takeFromAddress();
applyPrefs();

/** @type {Composer} */
let composer;
/** @type {Outbox} */
let outbox;
let following = false;

/** @param {ThreadState} next @param {ThreadState} [before] */
async function draw(next, before) {
  // The form appears with what the person has written before, which typing meanwhile would replace.
  await composer.open(getKey(here()), next);
  byId("closed", HTMLElement).hidden = true;
  byId("page", HTMLElement).hidden = false;
  document.title = next.envelope.intent.slice(0, 80);
  renderRequest(byId("request", HTMLElement), next);
  const rows = renderThread(byId("thread", HTMLElement), next);
  byId("so-far", HTMLElement).hidden = rows === 0;
  drawStatus(next);
  drawBar();
  drawUnsentAnswer(next);
  // A stored thread may be another account's.
  if (getStoredAt() === undefined && !isEnded(next.envelope.status)) void addShare(next);
  tick();
  const update = before && getNews(next, before);
  if (update) announce(update);
  if (before === undefined) outbox.open(here());
  else void outbox.draw();
  document.documentElement.dataset["ready"] = "";
  afterPaint(
    () =>
      void import("./thread/markdown.js")
        .then(({ upgradeMarkdown }) => upgradeMarkdown())
        .catch(() => {}),
  );
  if (document.querySelector("[data-pdf]"))
    afterPaint(
      () =>
        void import("./thread/pdf-preview.js")
          .then(({ showReceivedPdfs }) => showReceivedPdfs())
          .catch(() => {}),
    );
}

/** @param {unknown} error */
async function showProblem(error) {
  const page = await import("./thread/unavailable-page.js");
  await page.showUnavailable(error, () => void connect());
}

/** Loads the modules that the person may need later, possibly offline. */
const loadExtras = () =>
  void Promise.allSettled([
    import("./thread/action-forms.js"),
    import("./thread/image-zoom.js"),
    import("./thread/pdf-preview.js"),
    import("./answer/edit-photo.js"),
    import("./answer/hold-to-record.js"),
    import("./answer/location.js"),
    import("./answer/photo-resize.js"),
    import("./answer/recorder.js"),
    import("./ui/settings.js"),
    import("./thread/unavailable-page.js"),
  ]);

/** Runs `act` after the first paint. @param {() => void} act */
const afterPaint = (act) => requestAnimationFrame(() => setTimeout(act, 0));

/** @param {ThreadState} next */
function drawStatus(next) {
  const status = getStatus(next);
  const place = byId("status-banner", HTMLElement);
  const mark = {
    good: "check",
    warn: "warn",
    bad: "warn",
    calm: isEnded(next.envelope.status) ? "ban" : "clock",
  };
  fill(
    place,
    status &&
      h(
        "p",
        { class: `banner ${status.tone}` },
        icon(/** @type {any} */ (mark)[status.tone]),
        h("span", {}, status.words, status.note && [h("br"), h("bdi", {}, status.note)]),
      ),
  );
  place.hidden = status === undefined;
  const isNote = mainActions(next, true, false).primary === "followup";
  if (!document.body.classList.contains("adding"))
    nameAnswer(
      isNote ? "act_followup" : "your_answer",
      isNote
        ? "text_placeholder"
        : composer.hasQuestions
          ? "more_placeholder"
          : "answer_placeholder",
    );
  document.body.classList.toggle("ended", isEnded(next.envelope.status));
  document.body.classList.toggle("stepped-back", hasSteppedBack(next));
}

/** @param {import("./ui/i18n.js").Word} title @param {import("./ui/i18n.js").Word} placeholder */
function nameAnswer(title, placeholder) {
  byId("answer-title", HTMLElement).textContent = t(title);
  byId("answer-text", HTMLTextAreaElement).placeholder = t(placeholder);
}

let isAddingShare = false;
/** Time of the share that is in the form already. @type {number | undefined} */
let addedShareAt;

/**
 * Adds what the person shared into the app for this request. The share is forgotten once the draft is stored, except
 * for files that did not fit or could not be read.
 * @param {ThreadState} thread
 */
async function addShare({ me }) {
  if (isAddingShare) return;
  isAddingShare = true;
  try {
    const shared = await readShareFor(here(), me.executor);
    if (!shared || shared.at === addedShareAt) return;
    const left = await composer.tray.add(shared.files);
    const { text } = shared;
    if (text !== "") composer.putBack({ text, notes: "", files: [], values: {} });
    addedShareAt = shared.at;
    if (await composer.save()) await keepRest(left);
    reveal(byId("answer", HTMLElement), "start");
  } finally {
    isAddingShare = false;
  }
}

/** Shows the stored thread as such, while the network is away. */
function showOffline() {
  showConnection("offline");
  const thread = state();
  if (thread) void addShare(thread);
}

/** An answer that was being typed when the request ended, if it cannot be sent any more. @param {ThreadState} next */
function drawUnsentAnswer(next) {
  const canSend = mainActions(next, true, false).primary !== undefined;
  const isKept = composer.isTouched && !canSend;
  const unsent = isKept ? renderUnsentAnswers([composer.answer()]) : undefined;
  const place = byId("kept", HTMLElement);
  fill(place, unsent);
  place.hidden = unsent === undefined;
}

/** Opens the form again after the end, for what was forgotten. */
function addToAnswer() {
  document.body.classList.add("adding");
  nameAnswer("your_addition", "text_placeholder");
  drawBar();
  reveal(byId("answer", HTMLElement), "start");
  byId("answer-text", HTMLElement).focus({ preventScroll: true });
}

function drawBar() {
  const thread = state();
  if (!thread) return;
  const answer = composer.answer();
  const form = {
    hasAnswer: !isEmpty(answer),
    needsForm: composer.needsForm,
    text: answer.text,
    isAdding: document.body.classList.contains("adding"),
    draft: composer.draftState,
  };
  renderBar(byId("bar", HTMLElement), thread, form, {
    perform: (act, values) => void perform(act, values),
    add: addToAnswer,
  });
}

/**
 * Stores an action in the queue of this device and sends it, after the undo delay if the action has one.
 * @param {Act} act
 * @param {Record<string, any>} values
 * @param {Answer} [other] an answer other than the one in the form
 */
async function perform(act, values, other) {
  const thread = state();
  if (!thread) return;
  const written = other ?? composer.answer();
  const noted = act === "followup" && typeof values["message"] === "string";
  const carries = !noted && WITH_ANSWER.includes(act) && !isEmpty(written);
  const problem = carries && !other ? composer.problem() : "";
  composer.showError(problem);
  if (problem !== "") return;
  const answer = carries ? written : { text: "", notes: "", files: [], values: {} };
  const sent = noted ? { ...answer, text: String(values["message"]) } : answer;
  const approval = act === "completed" && carries && !other ? composer.draftState : undefined;
  const all = approval ? { ...values, approval } : values;
  const blocks = toBlocks(act, thread.envelope.ref, all, sent, composer.fields);
  const files = sent.files;
  const isWorthUndoing = canUndo(act);
  await enqueue(
    { where: here(), act, blocks, files, ...(isEmpty(sent) ? {} : { answer: sent }) },
    isWorthUndoing ? UNDO_MS : 0,
  );
  if ((carries || act === "reject") && !other) composer.clear();
  document.body.classList.remove("adding");
  outbox.sync();
  await outbox.draw();
  reveal(byId("outbox", HTMLElement), "center");
  if (!db.isDurable()) composer.showError(t("not_kept"));
}

/** Tells the styles how much of the screen the bar covers, so that it never hides a focused field. */
function watchBarHeight() {
  const bar = byId("bar", HTMLElement);
  const root = document.documentElement;
  new ResizeObserver(() => {
    root.style.setProperty("--bar-height", `${bar.offsetHeight}px`);
  }).observe(bar);
}

/** @param {"live" | "waiting" | "offline"} mode */
function showConnection(mode) {
  const at = getStoredAt();
  const off = mode === "offline" || !navigator.onLine;
  const place = byId("connection", HTMLElement);
  place.dataset["hearing"] = off ? "offline" : mode;
  const note = off ? (at ? t("offline_since", { ago: ago(at) }) : t("offline")) : "";
  fill(place, note !== "" && h("p", { class: "banner warn" }, icon("cloud"), h("span", {}, note)));
  place.hidden = note === "";
}

async function connect() {
  try {
    await openSession();
    await refresh();
    await unblock();
    dispatchEvent(new Event("mess:retry"));
    showConnection("live");
    if (isClockWrong()) composer.showError(t("clock_wrong"));
  } catch (error) {
    if (error instanceof ApiError && error.transient && (await restore())) showOffline();
    else if (
      error instanceof ApiError &&
      error.ended !== undefined &&
      (await end(error.ended, error.note))
    )
      return;
    else return await showProblem(error);
  }
  if (following) return;
  following = true;
  watch(here, () => state()?.cursor ?? 0, reload, showConnection);
}

async function reload() {
  try {
    await openSession();
    await refresh();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.ended !== undefined && (await end(error.ended, error.note))) return;
    if (error.isDenied) await showProblem(error);
    throw error;
  }
}

/** @param {Promise<void>} texts the loading of the texts */
async function showSettings(texts) {
  const [{ openSettings }] = await Promise.all([import("./ui/settings.js"), texts]);
  openSettings(async () => {
    await loadLanguage();
    localize();
    const thread = state();
    if (thread) await draw(thread, thread);
  });
}

async function start() {
  const texts = loadLanguage();
  // Starts first, since it takes a network round trip.
  const session = connectEarly();
  // Before anything is awaited, so that no tap is lost.
  byId("settings", HTMLButtonElement).addEventListener("click", () => void showSettings(texts));
  await texts;
  localize();
  composer = new Composer(drawBar);
  outbox = new Outbox({
    putBack: (answer) => composer.putBack(answer),
    note: (answer) => void perform("followup", {}, answer),
    arrived: () => void reload().catch(() => {}),
  });
  onState((next, before) => void draw(next, before).catch(showProblem));
  setInterval(tick, 1_000);
  watchBarHeight();
  await restoreThread();
  await restore();
  await session;
  await connect();
  afterPaint(loadExtras);
  // The service worker lets the page open offline.
  afterPaint(
    () =>
      void import("./register-worker.js")
        .then(({ registerWorker }) => registerWorker())
        .catch(() => {}),
  );
}

/** Opens the session only; `connect` meets and shows any error again. */
const connectEarly = () => openSession().catch(() => {});

void start();
