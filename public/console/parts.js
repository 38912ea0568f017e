/** The parts of which the views are made: headings, rows, forms, and the state of a call. */
import { announce } from "../respond/ui/accessibility.js";
import { fill, h, icon } from "../respond/ui/dom.js";
import { t } from "../respond/ui/i18n.js";
import { openSheet } from "../respond/ui/sheet.js";
import { findText, text } from "./texts.js";

/** @typedef {import("../respond/ui/dom.js").Child} Child */

/** The heading of a view, with the way back where the view is inside another one. @param {string} title @param {string} [back] hash */
export const buildHead = (title, back) =>
  h(
    "div",
    { class: "head" },
    back !== undefined &&
      h(
        "a",
        { class: "brand", href: back },
        h("span", { class: "chevron", "aria-hidden": "true" }),
        text("back"),
      ),
    h("h1", { tabindex: "-1", dir: "auto" }, title),
  );

/** @param {string} title @param {...(Child | Child[])} children */
export const buildSection = (title, ...children) =>
  h("section", { class: "stack" }, h("h2", {}, title), ...children);

/** Texts side by side; each in an element of its own, since texts next to each other would run together. @param {(Child | Child[])[]} meta */
const buildMeta = (meta) =>
  h(
    "div",
    { class: "row-meta faint" },
    ...meta.flat().map((one) => (typeof one === "string" ? h("span", { dir: "auto" }, one) : one)),
  );

/**
 * A row that opens another view.
 * @param {string} href
 * @param {string} title
 * @param {...(Child | Child[])} meta
 */
export const buildRow = (href, title, ...meta) =>
  h(
    "li",
    { class: "row-card" },
    h(
      "div",
      { class: "row-text" },
      h("a", { class: "row-link", href, dir: "auto" }, title),
      buildMeta(meta),
    ),
  );

/** A row with buttons. @param {string} title @param {(Child | Child[])[]} meta @param {HTMLElement[]} acts */
export const buildItem = (title, meta, acts = []) =>
  h(
    "li",
    { class: "row-card" },
    h(
      "div",
      { class: "row-text" },
      h("span", { class: "row-intent", dir: "auto" }, title),
      buildMeta(meta),
    ),
    acts.length > 0 && h("div", { class: "row-acts" }, ...acts),
  );

/** @param {HTMLElement[]} rows @param {string} empty what is shown without any row */
export const buildRows = (rows, empty) =>
  rows.length > 0 ? h("ul", { class: "rows" }, ...rows) : h("p", { class: "faint" }, empty);

/** @type {Record<string, string>} */
const STATUS_CLASSES = {
  completed: "good",
  partial: "good",
  failed: "bad",
  declined: "bad",
  expired: "bad",
  needs_input: "warn",
  needs_confirmation: "warn",
  retrying: "warn",
  claimed: "calm",
  in_progress: "calm",
};

/** @param {string} status */
export const nameStatus = (status) => findText(`status_${status}`, status.replaceAll("_", " "));

/** @param {string} status */
export const buildStatus = (status) =>
  h("span", { class: `chip ${STATUS_CLASSES[status] ?? ""}` }, nameStatus(status));

/** @param {string} label @param {() => unknown} click @param {string} [look] */
export const buildButton = (label, click, look = "secondary") =>
  h("button", { type: "button", class: look, on: { click } }, label);

/** A button whose call may fail; the refusal is shown below it. @param {string} label @param {() => Promise<unknown>} act */
export function buildAct(label, act) {
  const place = h("span", { class: "act-place" });
  const button = buildButton(label, async () => {
    button.disabled = true;
    fill(place, button);
    try {
      await act();
    } catch (error) {
      fill(place, button, buildProblem(error));
    } finally {
      button.disabled = false;
    }
  });
  fill(place, button);
  return place;
}

/** Names and values in two columns. @param {(readonly [name: string, value: Child])[]} facts */
export const buildFacts = (facts) =>
  h(
    "dl",
    { class: "facts" },
    ...facts
      .filter(([, value]) => value !== undefined && value !== "" && value !== false)
      .flatMap(([name, value]) => [h("dt", {}, name), h("dd", { dir: "auto" }, value)]),
  );

/** Describes an error, and how to correct it. @param {unknown} error */
export const describeError = (error) => {
  const { status, message, hint } =
    /** @type {{ status?: number, message?: string, hint?: string }} */ (error);
  if (status === 0) return t("no_network");
  return [message ?? t("broken"), hint].filter(Boolean).join(". ");
};

/** @param {unknown} error */
export const buildProblem = (error) =>
  h(
    "p",
    { class: "banner bad", role: "alert" },
    icon("warn"),
    h("span", { dir: "auto" }, describeError(error)),
  );

/**
 * A form that shows its own errors, and sends once at a time.
 * @param {{ children: (Child | Child[])[], label: string, look?: string }} parts
 * @param {() => Promise<unknown>} submit
 */
export function buildForm({ children, label, look = "primary" }, submit) {
  const problem = h("div", {});
  const button = h("button", { type: "submit", class: look }, label);
  return h(
    "form",
    {
      class: "stack",
      on: {
        submit: async (/** @type {SubmitEvent} */ event) => {
          event.preventDefault();
          fill(problem);
          button.disabled = true;
          try {
            await submit();
          } catch (error) {
            fill(problem, buildProblem(error));
          } finally {
            button.disabled = false;
          }
        },
      },
    },
    ...children,
    problem,
    button,
  );
}

/**
 * Asks before something that cannot be undone.
 * @param {string} question
 * @param {string} label of the button that does it
 * @param {() => Promise<unknown>} act
 */
export function confirmAct(question, label, act) {
  const form = buildForm({ children: [], label, look: "primary bad" }, async () => {
    await act();
    sheet.close();
  });
  const sheet = openSheet(question, [form]);
}

/** Shows a secret once, with a button that copies it. @param {string} title @param {string} how @param {string} secret */
export function showOnce(title, how, secret) {
  openSheet(title, [
    h("p", {}, how),
    h("p", { class: "secret", dir: "ltr" }, h("code", {}, secret)),
    buildButton(t("copy"), async () => {
      await navigator.clipboard.writeText(secret);
      announce(text("copied"));
    }),
  ]);
}
