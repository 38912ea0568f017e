/** The other sections of the console. */
import { fill, h } from "../../respond/ui/dom.js";
import { isOwner } from "../household.js";
import { buildHead, buildRow } from "../parts.js";
import { text } from "../texts.js";

/** @param {HTMLElement} place @returns {ConsoleView} */
export function showMore(place) {
  fill(
    place,
    buildHead(text("more")),
    h(
      "ul",
      { class: "rows" },
      isOwner() && buildRow("#rules", text("rules"), text("rules_about")),
      isOwner() && buildRow("#capabilities", text("catalog"), text("catalog_about")),
      isOwner() && buildRow("#access", text("access"), text("access_about")),
      buildRow("#schedules", text("schedules"), text("schedules_about")),
      buildRow("/inbox#agents", text("groups"), text("groups_about")),
      isOwner() && buildRow("/inbox#messages", text("sources"), text("sources_about")),
      isOwner() && buildRow("#settings", text("settings"), text("settings_about")),
      isOwner() && buildRow("#audit", text("audit"), text("audit_about")),
      isOwner() && buildRow("#export", text("export"), text("export_about")),
    ),
  );
  return {};
}
