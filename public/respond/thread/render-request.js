/** Renders the request: intent, requestor, status, deadline, context and details. */
import { arrange, h, icon, memo } from "../ui/dom.js";
import { maybe, t } from "../ui/i18n.js";
import { isEnded } from "./messages.js";
import { isMap, renderEntries, renderLocation } from "./render-entries.js";
import { renderJson } from "./render-json.js";
import { getName } from "../send/thread-store.js";
import { ago, clock, countdown, formatMoney } from "../ui/time-format.js";

const SOON_MS = 3_600_000;

/** @param {ThreadState} state @returns {JsonMap} body of the request */
export function getRequest(state) {
  for (const { MESS } of state.messages)
    for (const block of MESS) if (isMap(block["request"])) return block["request"];
  return { intent: state.envelope.intent };
}

/** @param {string} status */
export const statusName = (status) => maybe(`status_${status}`) ?? status.replaceAll("_", " ");

/**
 * @param {HTMLElement} place
 * @param {ThreadState} state
 */
export function renderRequest(place, state) {
  const { envelope } = state;
  const request = getRequest(state);
  const files = state.attachments.map(({ name }) => name);
  const context = memo("context", [request["context"], files, state.earlier], () =>
    renderContext(request),
  );
  const { expires, priority, blocked_by } = envelope;
  const { capabilities = {} } = state;
  const terms = memo("terms", [request, expires, priority, blocked_by, capabilities], () => [
    renderTerms(request, envelope, capabilities),
  ]);
  const facts = memo("facts", request, () => renderFacts(request));
  arrange(place, [
    h(
      "p",
      { class: "asker" },
      h("span", { class: "avatar", "aria-hidden": "true" }, initial(getName(envelope.requestor))),
      h(
        "span",
        {},
        h("strong", { dir: "auto" }, getName(envelope.requestor)),
        " ",
        h(
          "span",
          { class: "faint" },
          h("time", { datetime: envelope.created }, ago(envelope.created)),
        ),
      ),
    ),
    h("p", { class: "chips" }, statusChip(envelope.status), ...urgency(state), deadline(envelope)),
    h(
      "h1",
      {
        class: envelope.intent.length > 120 ? "long" : "",
        id: "intent",
        dir: "auto",
        tabindex: "-1",
      },
      envelope.intent,
    ),
    ...renderApproval(request, state),
    ...facts,
    ...context,
    ...terms,
  ]);
}

/** @param {JsonMap} request @returns {HTMLElement[]} */
function renderContext(request) {
  const entries = renderEntries(request["context"]);
  if (entries.length === 0) return [];
  return [h("section", { class: "context", "aria-label": t("context") }, ...entries)];
}

/** @param {string} name */
const initial = (name) => (Array.from(name.trim())[0] ?? "?").toUpperCase();

/** @param {string} status */
function statusChip(status) {
  const tone =
    status === "completed" || status === "partial" ? "good" : isEnded(status) ? "bad" : "calm";
  return h("span", { class: `chip ${tone}`, id: "status", data: { status } }, statusName(status));
}

/** @param {ThreadState} state */
function urgency({ envelope }) {
  if (isEnded(envelope.status) || !["urgent", "elevated"].includes(envelope.priority)) return [];
  const tone = envelope.priority === "urgent" ? "bad" : "warn";
  return [h("span", { class: `chip ${tone}` }, maybe(`priority_${envelope.priority}`) ?? "")];
}

/** @param {Envelope} envelope */
function deadline({ expires, status }) {
  if (!expires || isEnded(status)) return undefined;
  return h(
    "span",
    { class: "chip", title: clock(expires), data: { until: expires } },
    icon("clock"),
    h("time", { datetime: expires, dir: "auto" }),
  );
}

/** Updates all countdowns on the page; called every second. */
export function tick() {
  for (const chip of document.querySelectorAll("[data-until]")) {
    if (!(chip instanceof HTMLElement)) continue;
    const { text, left } = countdown(chip.dataset["until"] ?? "");
    const time = chip.querySelector("time");
    const words = left > 0 ? t("left", { time: text }) : text;
    if (time && time.textContent !== words) time.textContent = words;
    chip.classList.toggle("bad", left <= 0);
    chip.classList.toggle("warn", left > 0 && left < SOON_MS);
  }
}

/** @param {Json | undefined} value @returns {string[]} */
const names = (value) =>
  (Array.isArray(value) ? value : value === undefined || value === null ? [] : [value]).map((one) =>
    isMap(one) ? Object.keys(one).join(", ") : String(one),
  );

/** The facts by which a person decides whether to take the request: place, earliest start, conditions, payment. @param {JsonMap} request @returns {HTMLElement[]} */
function renderFacts(request) {
  const constraints = isMap(request["constraints"]) ? request["constraints"] : {};
  const timing = isMap(constraints["timing"]) ? constraints["timing"] : {};
  /** @type {[string, HTMLElement | string | undefined | false | null][]} */
  const rows = [
    [t("place"), constraints["location"] ? renderLocation(constraints["location"]) : undefined],
    [t("not_before"), typeof timing["not_before"] === "string" && clock(timing["not_before"])],
    [t("environment"), names(constraints["environment"]).join(", ")],
    [t("compensation"), request["compensation"] ? renderPayment(request["compensation"]) : null],
  ];
  const visible = rows.filter(([, value]) => value);
  return visible.length === 0 ? [] : [h("dl", { class: "facts" }, ...toTerms(visible))];
}

/** @param {[string, HTMLElement | string | undefined | false | null][]} rows */
const toTerms = (rows) =>
  rows.flatMap(([name, value]) => [
    h("dt", {}, name),
    // An element has the direction of the page, and directions of its own inside.
    h("dd", typeof value === "string" ? { dir: "auto" } : {}, value || ""),
  ]);

/** An amount of money with its other terms; any other form as it is. @param {Json} payment */
function renderPayment(payment) {
  if (!isMap(payment)) return renderJson(payment);
  const { amount, currency, ...rest } = payment;
  if (typeof amount !== "number" || typeof currency !== "string") return renderJson(payment);
  const more = Object.values(rest).filter((one) => typeof one === "string");
  return [formatMoney(amount, currency), ...more].join(", ");
}

/** Reminds of the approval until the work may go ahead. @param {JsonMap} request @param {ThreadState} state */
function renderApproval(request, { envelope, may }) {
  const isOpen = !isEnded(envelope.status) && envelope.status !== "needs_confirmation";
  const isMissing = may.some(
    ({ action, reason }) => action === "completed" && reason === "confirmation_required",
  );
  if (request["confirm_before"] !== true || !isOpen || !isMissing) return [];
  const words = t("approval_first", { name: getName(envelope.requestor) });
  return [
    h(
      "p",
      { class: "banner warn", id: "approval" },
      icon("approve"),
      h("span", { dir: "auto" }, words),
    ),
  ];
}

/**
 * The details list: constraints, capabilities, precision, priority.
 * @param {JsonMap} request @param {Envelope} envelope
 * @param {Record<string, string>} capabilities descriptions by id
 */
function renderTerms(request, envelope, capabilities) {
  const describe = (/** @type {string} */ id) =>
    (Object.hasOwn(capabilities, id) && capabilities[id]) || id;
  const constraints = isMap(request["constraints"]) ? request["constraints"] : {};
  /** @type {[string, HTMLElement | string | undefined | false | null][]} */
  const rows = [
    [t("until"), envelope.expires && clock(envelope.expires)],
    [t("requires"), tags(names(request["requires"]).map(describe))],
    [t("precision"), maybe(`precision_${String(request["precision"])}`)],
    [
      t("priority"),
      envelope.priority !== "normal" && (maybe(`priority_${envelope.priority}`) ?? ""),
    ],
    [t("depends_on"), names(constraints["depends_on"]).join(", ")],
    [t("blocked_by"), (envelope.blocked_by ?? []).join(", ")],
    [t("asked"), clock(envelope.created)],
    [t("reference"), h("code", {}, envelope.ref)],
  ];
  const visible = rows.filter(([, value]) => value);
  return h(
    "details",
    { class: "terms" },
    h("summary", {}, t("details")),
    h("dl", {}, ...toTerms(visible)),
  );
}

/** @param {string[]} list */
export const tags = (list) =>
  list.length > 0
    ? h(
        "span",
        { class: "tags" },
        ...list.map((one) => h("span", { class: "chip", dir: "auto" }, one)),
      )
    : undefined;
