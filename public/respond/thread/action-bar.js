/** The bar with the main actions, and the sheet that lists all actions and why some are unavailable. */
import { ACTIONS, ONE_TAP, WITH_ANSWER, mainActions, getAllowed, isEnded } from "./messages.js";
import { reveal } from "../ui/accessibility.js";
import { byId, fill, h, icon, newId } from "../ui/dom.js";
import { maybe, t } from "../ui/i18n.js";
import { openSheet } from "../ui/sheet.js";

/** @typedef {import("./messages.js").Action} Act */
/**
 * @typedef {{
 *   perform: (act: Act, values: Record<string, any>) => void,
 *   add: () => void,
 * }} BarHandlers
 * @typedef {{
 *   hasAnswer: boolean,
 *   needsForm: boolean,
 *   text: string,
 *   isAdding: boolean,
 *   draft?: "unchanged" | "edited" | undefined,
 * }} FormState
 */

/** The words for what only an owner decides: an answer beside it decides nothing. @param {Act} act @param {ThreadState["decision"]} decision */
function getDecisionLabel(act, decision) {
  if (act === "completed" && decision)
    return t(decision === "send" ? "act_send_draft" : "act_read");
  return act === "decline" && decision === "send" ? t("act_dont_send") : undefined;
}

/** @param {Act} act @param {boolean} hasAnswer @param {FormState["draft"]} [draft] @param {ThreadState["decision"]} [decision] */
function label(act, hasAnswer, draft, decision) {
  const decided = hasAnswer ? undefined : getDecisionLabel(act, decision);
  if (decided) return decided;
  if (act === "completed" && hasAnswer && draft)
    return t(draft === "edited" ? "act_approve_edited" : "act_approve");
  if (act === "completed") return t(hasAnswer ? "send_answer" : "act_completed");
  if (act === "followup" && hasAnswer) return t("send_note");
  return maybe(`act_${act}`) ?? act;
}

/**
 * @param {HTMLElement} bar
 * @param {ThreadState} state
 * @param {FormState} form
 * @param {BarHandlers} on
 */
export function renderBar(bar, state, form, on) {
  const { hasAnswer, needsForm, isAdding } = form;
  const ended = isEnded(state.envelope.status);
  const { primary, secondary = mayReject(state, form) ? "reject" : undefined } = mainActions(
    state,
    hasAnswer,
    needsForm,
  );
  const button = (
    /** @type {Act} */ act,
    /** @type {string} */ kind,
    text = label(act, hasAnswer, form.draft, state.decision),
  ) =>
    h(
      "button",
      {
        class: kind,
        type: "button",
        data: { action: act },
        on: { click: () => start(act, state, form, on) },
      },
      kind === "primary" && ["completed", "claim"].includes(act) && icon("check"),
      h("span", {}, text),
    );
  const buttons =
    ended && !isAdding
      ? [primary && primary !== "answer" && addButton(on)]
      : ended
        ? [primary && primary !== "answer" && button(primary, "primary", t("send_addition"))]
        : [
            moreButton(state, form, on),
            secondary && button(secondary, "secondary"),
            primary === "answer" ? answerButton() : primary && button(primary, "primary"),
          ];
  const focused =
    document.activeElement instanceof HTMLElement && bar.contains(document.activeElement);
  const was = focused ? document.activeElement : undefined;
  fill(bar, ...buttons.map((one) => one ?? false));
  bar.hidden = bar.childElementCount === 0 || state.may.length === 0;
  bar.classList.toggle("three", bar.childElementCount === 3);
  // Drawing removed the focused button; focus its replacement.
  if (was instanceof HTMLElement) {
    const { action } = was.dataset;
    const again = action
      ? bar.querySelector(`[data-action="${action}"]`)
      : bar.querySelector("#more");
    if (again instanceof HTMLElement) again.focus();
    else bar.querySelector("button")?.focus();
  }
}

/** A draft can be rejected whenever it could be sent. @param {ThreadState} state @param {FormState} form */
const mayReject = (state, { draft }) =>
  draft !== undefined && getAllowed(state).get("completed")?.allowed === true;

/** @param {ThreadState} state @param {FormState} form @param {BarHandlers} on */
const moreButton = (state, form, on) =>
  h(
    "button",
    {
      class: "more",
      type: "button",
      id: "more",
      "aria-label": t("more"),
      "aria-haspopup": "dialog",
      on: { click: () => openMenu(state, form, on) },
    },
    icon("more"),
    h("span", {}, t("more")),
  );

/** @param {BarHandlers} on */
const addButton = (on) =>
  h(
    "button",
    { class: "secondary wide", type: "button", data: { action: "add" }, on: { click: on.add } },
    h("span", {}, t("forgot")),
  );

/** Loads the forms on demand, to keep the first view small. @param {Parameters<typeof import("./action-forms.js").openActionForm>} form */
const openForm = async (...form) => (await import("./action-forms.js")).openActionForm(...form);

/** Scrolls to the answer form, or focuses its text field if it is already in view. */
const answerButton = () =>
  h(
    "button",
    { class: "primary", type: "button", data: { action: "answer" }, on: { click: focusAnswer } },
    h("span", {}, t("answer")),
  );

function focusAnswer() {
  const section = byId("answer", HTMLElement);
  const { top } = section.getBoundingClientRect();
  if (top > innerHeight / 2) {
    reveal(section, "start");
    byId("answer-title", HTMLElement).focus({ preventScroll: true });
  } else byId("answer-text", HTMLElement).focus();
}

/**
 * Performs a one-tap action, or opens the form of an action that needs one. A claim from the bar asks no estimate.
 * @param {Act} act @param {ThreadState} state @param {FormState} form @param {BarHandlers} on
 */
function start(act, state, form, on) {
  if (act === "claim" || ONE_TAP.includes(act) || (form.hasAnswer && act === "followup"))
    on.perform(act, {});
  else openFormOf(act, state, form, on);
}

/** @param {Act} act @param {ThreadState} state @param {FormState} form @param {BarHandlers} on */
const openFormOf = (act, state, { hasAnswer, text, draft }, on) =>
  void openForm(act, state, label(act, hasAnswer, draft, state.decision), text, (values) =>
    on.perform(act, values),
  );

/** Groups of the sheet, with the icon of each action. @type {readonly (readonly [import("../ui/i18n.js").Word, Partial<Record<Act, import("../ui/dom.js").Icon>>])[]} */
const GROUPS = [
  ["group_finish", { completed: "check", partial: "half", failed: "warn" }],
  [
    "group_work",
    {
      claim: "hand",
      respond: "send",
      in_progress: "play",
      resume: "play",
      waiting: "clock",
      held: "pause",
    },
  ],
  [
    "group_ask",
    { needs_input: "question", needs_confirmation: "approve", suggest: "idea", followup: "note" },
  ],
  ["group_leave", { delegate: "forward", decline: "close" }],
];

/** @param {ThreadState} state @param {FormState} form @param {BarHandlers} on */
function openMenu(state, form, on) {
  const { hasAnswer } = form;
  const may = getAllowed(state);
  const options = ACTIONS.filter((act) => may.has(act) && (hasAnswer || act !== "respond"));
  const isAllowed = (/** @type {Act} */ act) => options.includes(act) && may.get(act)?.allowed;
  const barred = options.filter((act) => !may.get(act)?.allowed);
  const actButton = (/** @type {Act} */ act, /** @type {import("../ui/dom.js").Icon} */ name) =>
    h(
      "button",
      {
        type: "button",
        class: ["decline", "failed"].includes(act) ? "act bad" : "act",
        data: { action: act },
        on: {
          click: () => {
            sheet.close();
            // Unlike the bar, the sheet asks for an estimate.
            if (act === "claim") openFormOf(act, state, form, on);
            else start(act, state, form, on);
          },
        },
      },
      icon(name),
      h(
        "span",
        {},
        h("strong", {}, label(act, hasAnswer, form.draft, state.decision)),
        h("span", { class: "faint" }, maybe(`about_${act}`) ?? ""),
        hasAnswer && WITH_ANSWER.includes(act) && h("span", { class: "faint" }, t("with_answer")),
      ),
    );
  const groups = GROUPS.flatMap(([word, acts]) => {
    const entries = Object.entries(acts).filter(([act]) => isAllowed(/** @type {Act} */ (act)));
    const id = newId();
    return entries.length === 0
      ? []
      : [
          h(
            "section",
            { class: "acts", "aria-labelledby": id },
            h("h3", { id }, t(word)),
            ...entries.map(([act, name]) => actButton(/** @type {Act} */ (act), name)),
          ),
        ];
  });
  const sheet = openSheet(t("what_now"), [
    ...groups,
    barred.length > 0 &&
      h(
        "details",
        { class: "barred", open: groups.length === 0 },
        h("summary", {}, t("not_now")),
        h(
          "ul",
          { class: "plain" },
          ...barred.map((act) =>
            h(
              "li",
              {},
              h("strong", {}, label(act, hasAnswer, undefined, state.decision)),
              " – ",
              getReason(may.get(act)),
            ),
          ),
        ),
      ),
  ]);
}

/**
 * The reason in the person's language if its code is known, otherwise the server's message.
 * @param {{ reason?: string | undefined, message?: string | undefined } | undefined} may
 */
const getReason = (may) => maybe(`why_${may?.reason ?? ""}`) ?? may?.message ?? t("why_state");

export { label as actLabel };
