/** When a person wants to be contacted: away, snoozed, quiet hours. Each household has its own settings. */
import { fill, h, icon } from "../respond/ui/dom.js";
import { call } from "../respond/send/api.js";
import { showError, textControl } from "../respond/answer/fields.js";
import { clock } from "../respond/ui/time-format.js";
import { inboxText } from "./inbox-i18n.js";

const DEFAULT_HOURS = ["22:00", "07:00"];
const MORNING_HOUR = 8;

/** @param {number} days @param {number} hour @returns {string} ISO 8601 */
function getLocalTimeIso(days, hour) {
  const date = new Date();
  date.setDate(date.getDate() + days);
  date.setHours(hour, 0, 0, 0);
  return date.toISOString();
}

/**
 * Stores a change at the household; `household` has the new settings afterwards.
 * @param {InboxHousehold} household
 * @param {Partial<InboxAvailability>} change
 */
async function store(household, change) {
  const path = `/inbox/availability?session=${household.session}`;
  const response = await call(path, { method: "PUT", json: change });
  household.availability = (await response.json()).availability;
}

/** @param {InboxAvailability} availability */
function describe({ state, until }) {
  if (state === "here") return inboxText("is_here");
  if (state === "snoozed") return inboxText("is_snoozed", { time: clock(until ?? "") });
  return until === undefined
    ? inboxText("is_away")
    : inboxText("is_away_until", { time: clock(until) });
}

/**
 * A banner for each household in which the person is away or snoozed.
 * @param {HTMLElement} place @param {readonly InboxHousehold[]} households @param {() => void} changed
 */
export function renderBanners(place, households, changed) {
  const absent = households.filter(
    ({ availability }) => availability !== undefined && availability.state !== "here",
  );
  fill(
    place,
    ...absent.map((household) => {
      const { availability, name } = household;
      const errorBox = h("div");
      const returnToAvailable = async () => {
        try {
          await store(household, { state: "here" });
          changed();
        } catch {
          showError(errorBox, inboxText("action_failed"));
        }
      };
      return h(
        "div",
        { class: "banner warn", data: { availability: availability?.state ?? "" } },
        icon("clock"),
        h(
          "span",
          {},
          households.length > 1 && h("strong", { dir: "auto" }, `${name}: `),
          describe(/** @type {InboxAvailability} */ (availability)),
          errorBox,
        ),
        h(
          "button",
          { type: "button", class: "quiet", on: { click: returnToAvailable } },
          inboxText("be_here"),
        ),
      );
    }),
  );
  place.hidden = absent.length === 0;
}

/**
 * Sections of the settings sheet.
 * @param {readonly InboxHousehold[]} households @param {() => void} changed @returns {HTMLElement[]}
 */
export const buildAvailabilitySections = (households, changed) =>
  households
    .filter(({ availability }) => availability !== undefined)
    .map((household) => {
      const place = h("section", { class: "field", data: { section: "availability" } });
      drawSection(place, household, households.length > 1, changed);
      return place;
    });

/**
 * @param {HTMLElement} place @param {InboxHousehold} household @param {boolean} isNamed
 * @param {() => void} changed @param {string} [focused] the action whose button gets the focus again
 */
function drawSection(place, household, isNamed, changed, focused = "") {
  const availability = /** @type {InboxAvailability} */ (household.availability);
  const errorBox = h("div");
  const save = async (
    /** @type {string} */ action,
    /** @type {Partial<InboxAvailability>} */ change,
  ) => {
    try {
      await store(household, change);
      changed();
      drawSection(place, household, isNamed, changed, action);
    } catch {
      showError(errorBox, inboxText("action_failed"));
    }
  };
  const button = (
    /** @type {string} */ action,
    /** @type {string} */ label,
    /** @type {() => Partial<InboxAvailability>} */ change,
    kind = "secondary",
  ) =>
    h(
      "button",
      {
        type: "button",
        class: kind,
        data: { action },
        on: { click: () => void save(action, change()) },
      },
      label,
    );
  const isHere = availability.state === "here";
  const returnDate = textControl(inboxText("away_until"), { type: "date" });
  const hasHours = typeof availability.quiet_hours === "string";
  const [from = "", to = ""] = hasHours
    ? String(availability.quiet_hours).split("-")
    : DEFAULT_HOURS;
  const start = textControl(inboxText("quiet_from"), { type: "time", value: from });
  const end = textControl(inboxText("quiet_to"), { type: "time", value: to });
  fill(
    place,
    h("h2", {}, inboxText("availability")),
    isNamed && h("p", {}, inboxText("push_for", { name: household.name })),
    h("p", { role: "status" }, icon(isHere ? "check" : "clock"), " ", describe(availability)),
    isHere
      ? h(
          "div",
          { class: "stack" },
          h("p", { class: "faint" }, inboxText("snooze_how")),
          h(
            "div",
            { class: "row", role: "group", "aria-label": inboxText("snooze_how") },
            button("snooze", inboxText("snooze_hour"), () => ({ state: "snoozed", until: "1h" })),
            button("snooze-day", inboxText("snooze_day"), () => ({
              state: "snoozed",
              until: getLocalTimeIso(1, MORNING_HOUR),
            })),
          ),
          h("p", { class: "faint" }, inboxText("away_how")),
          returnDate.element,
          button("away", inboxText("be_away"), () => ({
            state: "away",
            ...(returnDate.value() === ""
              ? {}
              : { until: new Date(`${returnDate.value()}T00:00`).toISOString() }),
          })),
        )
      : button("here", inboxText("be_here"), () => ({ state: "here" }), "primary"),
    availability.quiet_hours !== undefined &&
      h(
        "div",
        { class: "stack" },
        h("h2", {}, inboxText("quiet")),
        h("p", { class: "faint" }, inboxText("quiet_how")),
        h("div", { class: "row hours" }, start.element, end.element),
        h(
          "div",
          { class: "row" },
          button("quiet", inboxText(hasHours ? "quiet_change" : "quiet_on"), () => ({
            quiet_hours: `${start.value()}-${end.value()}`,
          })),
          hasHours &&
            button("quiet-off", inboxText("quiet_off"), () => ({ quiet_hours: null }), "quiet"),
        ),
      ),
    errorBox,
  );
  if (focused !== "") {
    const again =
      place.querySelector(`[data-action="${focused}"]`) ?? place.querySelector("button");
    if (again instanceof HTMLElement) again.focus();
  }
}
