/** The bar with the main actions, and the sheet that lists all actions and why some are unavailable. */
import { ACTIONS, ONE_TAP, WITH_ANSWER, mainActions, getAllowed } from "./messages.js";
import { reveal } from "./accessibility.js";
import { byId, fill, h, icon } from "./dom.js";
import { maybe, t } from "./i18n.js";
import { openSheet } from "./sheet.js";

/** @typedef {import("./messages.js").Action} Act */
/** @typedef {(act: Act, values: Record<string, any>) => void} Doing */

/** @param {Act} act @param {boolean} hasAnswer */
function label(act, hasAnswer) {
  if (act === "completed") return t(hasAnswer ? "send_answer" : "act_completed");
  if (act === "followup" && hasAnswer) return t("send_note");
  return maybe(`act_${act}`) ?? act;
}

/**
 * @param {HTMLElement} bar
 * @param {ThreadState} state
 * @param {{ hasAnswer: boolean, asksWords: boolean }} form
 * @param {Doing} on
 */
export function renderBar(bar, state, { hasAnswer, asksWords }, on) {
  const { primary, secondary } = mainActions(state, hasAnswer, asksWords);
  const more = h(
    "button",
    {
      class: "more",
      type: "button",
      id: "more",
      "aria-label": t("more"),
      "aria-haspopup": "dialog",
      on: { click: () => openMenu(state, hasAnswer, on) },
    },
    icon("more"),
    h("span", {}, t("more")),
  );
  const button = (/** @type {Act} */ act, /** @type {string} */ kind) =>
    h(
      "button",
      {
        class: kind,
        type: "button",
        data: { act },
        on: { click: () => start(act, state, hasAnswer, on) },
      },
      kind === "primary" && ["completed", "claim"].includes(act) && icon("check"),
      h("span", {}, label(act, hasAnswer)),
    );
  const focused =
    document.activeElement instanceof HTMLElement && bar.contains(document.activeElement);
  const was = focused ? document.activeElement : undefined;
  fill(
    bar,
    more,
    secondary && button(secondary, "secondary"),
    primary === "answer" ? answerButton() : primary && button(primary, "primary"),
  );
  bar.hidden = state.may.length === 0;
  bar.classList.toggle("three", secondary !== undefined && primary !== undefined);
  // Drawing removed the focused button; focus its replacement.
  if (was instanceof HTMLElement) {
    const { act } = was.dataset;
    const again = act ? bar.querySelector(`[data-act="${act}"]`) : bar.querySelector("#more");
    if (again instanceof HTMLElement) again.focus();
    else bar.querySelector("button")?.focus();
  }
}

/** Loads the forms on demand, to keep the first view small. @param {Parameters<typeof import("./action-forms.js").openActionForm>} form */
const openForm = async (...form) => (await import("./action-forms.js")).openActionForm(...form);

/** Scrolls to the answer form, or focuses its text field if it is already in view. */
const answerButton = () =>
  h(
    "button",
    { class: "primary", type: "button", data: { act: "answer" }, on: { click: focusAnswer } },
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
 * @param {Act} act @param {ThreadState} state @param {boolean} hasAnswer @param {Doing} on
 */
function start(act, state, hasAnswer, on) {
  if (act === "claim" || ONE_TAP.includes(act) || (hasAnswer && act === "followup"))
    void on(act, {});
  else void openForm(act, state, label(act, hasAnswer), (values) => on(act, values));
}

/** @param {ThreadState} state @param {boolean} hasAnswer @param {Doing} on */
function openMenu(state, hasAnswer, on) {
  const may = getAllowed(state);
  const options = ACTIONS.filter((act) => may.has(act) && (hasAnswer || act !== "respond"));
  const allowed = options.filter((act) => may.get(act)?.allowed);
  const barred = options.filter((act) => !may.get(act)?.allowed);
  const sheet = openSheet(t("what_now"), [
    h(
      "div",
      { class: "acts" },
      ...allowed.map((act) =>
        h(
          "button",
          {
            type: "button",
            class: ["decline", "failed"].includes(act) ? "act bad" : "act",
            data: { act },
            on: {
              click: () => {
                sheet.close();
                if (act === "claim" || !ONE_TAP.includes(act)) {
                  if (act === "followup" && hasAnswer) void on(act, {});
                  else
                    void openForm(act, state, label(act, hasAnswer), (values) => on(act, values));
                } else on(act, {});
              },
            },
          },
          h("strong", {}, label(act, hasAnswer)),
          h("span", { class: "faint" }, maybe(`about_${act}`) ?? ""),
          hasAnswer && WITH_ANSWER.includes(act) && h("span", { class: "faint" }, t("with_answer")),
        ),
      ),
    ),
    barred.length > 0 &&
      h(
        "details",
        { class: "barred", open: allowed.length === 0 },
        h("summary", {}, t("not_now")),
        h(
          "ul",
          { class: "plain" },
          ...barred.map((act) =>
            h("li", {}, h("strong", {}, label(act, hasAnswer)), " – ", getReason(may.get(act))),
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
