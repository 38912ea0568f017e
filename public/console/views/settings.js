/** Settings of the household: name, time zone, how long messages are kept, and the limits with their use. */
import { textControl } from "../../respond/answer/fields.js";
import { announce } from "../../respond/ui/accessibility.js";
import { fill, h, newId } from "../../respond/ui/dom.js";
import { api } from "../household.js";
import {
  buildForm,
  buildHead,
  buildItem,
  buildProblem,
  buildRows,
  buildSection,
} from "../parts.js";
import { text } from "../texts.js";

/** The zones that the browser knows, as suggestions. @param {import("../../respond/answer/fields.js").Control} control */
function suggestZones(control) {
  const id = newId();
  control.element.querySelector("input")?.setAttribute("list", id);
  const zones = Intl.supportedValuesOf("timeZone");
  control.element.append(
    h("datalist", { id }, ...zones.map((zone) => h("option", { value: zone }))),
  );
}

/** @param {string} words @returns {number | null} null keeps everything */
const toDays = (words) => (words.trim() === "" ? null : Number(words));

/** @param {any} limit */
const buildLimit = ({ unit, limit, used, used_by = {} }) => {
  const most = Math.max(used ?? 0, ...Object.values(used_by).map(Number));
  return buildItem(String(unit), [text("used_of", { used: most, limit })]);
};

/** @param {HTMLElement} place @returns {ConsoleView} */
export function showSettings(place) {
  /** @param {any} settings */
  const buildEditor = (settings) => {
    const name = textControl(text("household_name"), { value: settings.name ?? "" });
    const zone = textControl(text("time_zone"), {
      value: settings.time_zone ?? "UTC",
      required: true,
    });
    suggestZones(zone);
    const hint = text("days_how");
    const groups = textControl(text("keep_group_messages"), {
      type: "number",
      hint,
      value: String(settings.group_retention_days ?? ""),
    });
    const messages = textControl(text("keep_source_messages"), {
      type: "number",
      hint,
      value: String(settings.message_retention_days ?? ""),
    });
    return buildForm(
      {
        children: [name.element, zone.element, groups.element, messages.element],
        label: text("save"),
      },
      async () => {
        const words = name.value().trim();
        const changed = {
          ...(words === "" ? {} : { name: words }),
          time_zone: zone.value().trim(),
          group_retention_days: toDays(groups.value()),
          message_retention_days: toDays(messages.value()),
        };
        await api("/api/v1/config", { method: "POST", json: { settings: changed } });
        announce(text("saved"));
        await reload();
      },
    );
  };

  async function reload() {
    try {
      const [{ config }, { limits }] = await Promise.all([
        api("/api/v1/config"),
        api("/api/v1/limits"),
      ]);
      fill(
        place,
        buildHead(text("settings"), "#more"),
        buildEditor(config.settings ?? {}),
        buildSection(
          text("limits"),
          buildRows(
            limits
              .filter((/** @type {any} */ { used, used_by }) => used !== undefined || used_by)
              .map(buildLimit),
            "",
          ),
        ),
      );
    } catch (error) {
      fill(place, buildHead(text("settings"), "#more"), buildProblem(error));
    }
  }
  return { reload };
}
