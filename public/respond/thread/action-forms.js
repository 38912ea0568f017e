/** The forms of the actions that need input, such as a reason or an estimate. */
import { h } from "../ui/dom.js";
import {
  showError,
  choiceControl,
  percentControl,
  questionsControl,
  textControl,
  yesNoControl,
} from "../answer/fields.js";
import { t } from "../ui/i18n.js";
import { openSheet } from "../ui/sheet.js";

/** @typedef {import("./messages.js").Action} Act */
/** @typedef {import("../answer/fields.js").Control} Control */

const MINUTE_CHOICES = [15, 30, 60, 120, 240, 1_440];

/** @param {string} label */
const buildEstimateControl = (label) =>
  choiceControl(
    label,
    [
      ["", t("no_estimate")],
      ...MINUTE_CHOICES.map(
        (minutes) => /** @type {const} */ ([isoDuration(minutes), formatMinutes(minutes)]),
      ),
    ],
    { value: "" },
  );

/** @param {number} minutes */
const formatMinutes = (minutes) =>
  minutes < 60
    ? t("minutes", { n: minutes })
    : minutes < 1_440
      ? t("hours", { n: minutes / 60 })
      : t("a_day");

/** @param {Act} action @param {ThreadState} state @param {string} text @returns {Record<string, Control>} */
function buildControls(action, state, text) {
  const reason = () => textControl(t("reason"), { rows: 3 });
  switch (action) {
    case "claim":
      return { estimate: buildEstimateControl(t("how_long")) };
    case "in_progress":
      return {
        progress_pct: percentControl(t("progress")),
        message: textControl(t("message_optional"), { rows: 2 }),
        estimate: buildEstimateControl(t("how_long_still")),
      };
    case "decline":
    case "reject":
    case "held":
      return { reason: reason() };
    case "needs_input":
      return { questions: questionsControl() };
    case "needs_confirmation":
      return {
        // The typed answer often says it, and it is also kept for after the approval.
        action: textControl(t("confirm_action"), { rows: 2, value: text }),
        consequences: textControl(t("confirm_consequences"), { rows: 2 }),
        reversible: yesNoControl(t("confirm_reversible")),
      };
    case "waiting":
      return {
        type: choiceControl(
          t("waiting_for"),
          [
            ["condition", t("waiting_condition")],
            ["dependency", t("waiting_dependency")],
            ["resource", t("waiting_resource")],
            ["access", t("waiting_access")],
            ["schedule", t("waiting_schedule")],
          ],
          { value: "condition" },
        ),
        what: textControl(t("waiting_what"), { rows: 2 }),
        available_at: textControl(t("waiting_when"), { type: "datetime-local" }),
      };
    case "partial":
      return {
        completed: textControl(t("part_done"), { rows: 3, hint: t("one_a_line") }),
        remaining: textControl(t("part_left"), { rows: 3, hint: t("one_a_line") }),
        reason: textControl(t("reason"), { rows: 2 }),
      };
    case "failed":
      return { reason: reason(), recoverable: yesNoControl(t("recoverable"), { value: true }) };
    case "delegate":
      return { to: buildMemberControl(state, t("delegate_to")), reason: reason() };
    case "suggest":
      return {
        type: choiceControl(
          t("suggest_type"),
          [
            ["alternative", t("suggest_alternative")],
            ["defer", t("suggest_defer")],
            ...(listOthers(state).length > 0
              ? [/** @type {const} */ (["delegate", t("suggest_delegate")])]
              : []),
            ["split", t("suggest_split")],
            ["merge", t("suggest_merge")],
          ],
          { value: "alternative" },
        ),
        what: textControl(t("suggest_what"), { rows: 3 }),
        to: buildMemberControl(state, t("delegate_to")),
        available_at: textControl(t("waiting_when"), { type: "datetime-local" }),
        reason: textControl(t("reason"), { rows: 2 }),
      };
    case "followup":
      return { message: textControl(t("note"), { rows: 4 }) };
    default:
      return {};
  }
}

/** @type {readonly Act[]} */
const BAD_ACTIONS = ["decline", "failed", "reject"];

/** Actions whose name is a status, and says nothing about what a button does. @type {readonly Act[]} */
const SENT_STATUSES = ["in_progress", "waiting", "partial"];

/** Reasons that are sent with one tap. @type {Partial<Record<Act, import("../ui/i18n.js").Word[]>>} */
const QUICK_REASONS = {
  decline: ["reason_time", "reason_place", "reason_ability", "reason_other_person"],
  reject: ["reason_facts", "reason_tone", "reason_not_send"],
};

/** Fields that are shown only for some values of `type`. @type {Partial<Record<Act, Record<string, (type: string) => boolean>>>} */
const SHOWN_FOR = {
  waiting: { available_at: (type) => type === "schedule" },
  suggest: {
    available_at: (type) => type === "defer",
    to: (type) => type === "delegate",
    what: (type) => type !== "delegate",
  },
};

/** @param {ThreadState} state */
const listOthers = ({ members, me, envelope }) =>
  members.filter(({ id }) => id !== me.executor && id !== envelope.requestor);

/** @param {ThreadState} state @param {string} label */
const buildMemberControl = (state, label) =>
  choiceControl(
    label,
    listOthers(state).map(({ id, name }) => /** @type {const} */ ([id, name ?? id])),
  );

/** The error text for a missing required value; empty if all are there. @param {Act} action @param {Record<string, any>} values */
function checkValues(action, values) {
  const empty = (/** @type {string} */ key) => String(values[key] ?? "").trim() === "";
  switch (action) {
    case "decline":
    case "failed":
      return empty("reason") ? t("reason_missing") : "";
    case "needs_input":
      return values["questions"].length === 0 ? t("question_missing") : "";
    case "needs_confirmation":
      return empty("action") ? t("action_missing") : "";
    case "waiting":
      return empty("what") && empty("available_at") ? t("what_missing") : "";
    case "partial":
      return empty("completed") && empty("remaining") ? t("part_missing") : "";
    case "delegate":
      return empty("to") ? t("delegate_missing") : "";
    case "suggest":
      if (values["type"] === "delegate") return empty("to") ? t("delegate_missing") : "";
      return empty(values["type"] === "defer" ? "available_at" : "what") ? t("what_missing") : "";
    case "followup":
      return empty("message") ? t("note_missing") : "";
    default:
      return "";
  }
}

/**
 * @param {Act} action
 * @param {ThreadState} state
 * @param {string} title
 * @param {string} text the typed answer
 * @param {(values: Record<string, any>) => void} done
 */
export function openActionForm(action, state, title, text, done) {
  const controls = buildControls(action, state, text);
  const errorBox = h("div");
  const quick = (QUICK_REASONS[action] ?? []).map((word) =>
    h(
      "button",
      {
        type: "button",
        class: "option-button",
        data: { reason: word },
        on: {
          click: () => {
            sheet.close();
            done({ reason: t(word) });
          },
        },
      },
      t(word),
    ),
  );
  const form = h(
    "form",
    { class: "stack", novalidate: true },
    ...Object.values(controls).map(({ element }) => element),
    errorBox,
    h(
      "button",
      {
        class: BAD_ACTIONS.includes(action) ? "primary bad" : "primary",
        type: "submit",
      },
      SENT_STATUSES.includes(action) ? t("send_addition") : title,
    ),
  );
  // One tap on a reason, or words of one's own below.
  if (quick.length > 0)
    controls["reason"]?.element
      .querySelector("label")
      ?.after(h("div", { class: "quick" }, ...quick));
  const type = controls["type"];
  if (type) {
    const show = () => {
      for (const [key, isShown] of Object.entries(SHOWN_FOR[action] ?? {})) {
        const control = controls[key];
        if (control) control.element.hidden = !isShown(type.value());
      }
    };
    form.addEventListener("change", show);
    show();
  }
  const sheet = openSheet(title, [form]);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const values = Object.fromEntries(
      Object.entries(controls).map(([key, { value }]) => [key, value()]),
    );
    const wrong = checkValues(action, values);
    showError(errorBox, wrong);
    if (wrong !== "") return;
    // The input holds local time without an offset.
    if (values["available_at"])
      values["available_at"] = new Date(values["available_at"]).toISOString();
    sheet.close();
    done(values);
  });
}

/**
 * @param {number} minutes
 * @returns {string} an ISO 8601 duration
 */
function isoDuration(minutes) {
  if (minutes % 1_440 === 0) return `P${minutes / 1_440}D`;
  return minutes % 60 === 0 ? `PT${minutes / 60}H` : `PT${minutes}M`;
}
