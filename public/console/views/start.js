/** The set-up guide: from a new household to the first answered question, in four steps that show what is done. */
import { fill, h } from "../../respond/ui/dom.js";
import { api } from "../household.js";
import { listCapabilities, loadExecutors } from "../names.js";
import { buildHead, buildProblem } from "../parts.js";
import { text } from "../texts.js";

/** @typedef {{ title: string, how: string, href: string, isDone: boolean }} Step */

/** The steps, with what the household has already. @returns {Promise<Step[]>} */
export async function loadSteps() {
  const [executors, { people }, { grants }, { keys }, { threads, by_status }] = await Promise.all([
    loadExecutors(),
    api("/api/v1/people"),
    api("/api/v1/grants"),
    api("/api/v1/keys"),
    api("/api/v1/statistics"),
  ]);
  const able = executors.filter((one) => listCapabilities(one).length > 0);
  const reached = able.filter(
    ({ id, notify }) => notify || people.some((/** @type {any} */ { actor }) => actor === id),
  );
  return [
    {
      title: text("step_member"),
      how: text("step_member_how"),
      href: "#members",
      isDone: able.length > 0,
    },
    {
      title: text("step_reach"),
      how: text("step_reach_how"),
      href: able[0] ? `#member/${encodeURIComponent(able[0].id)}` : "#members",
      isDone: reached.length > 0,
    },
    {
      title: text("step_agent"),
      how: text("step_agent_how"),
      href: "#access",
      isDone: grants.length > 0 || keys.some((/** @type {any} */ { role }) => role === "agent"),
    },
    {
      title: text("step_ask"),
      how: text("step_ask_how"),
      href: "#ask",
      isDone: threads > 0 && by_status.completed + by_status.partial > 0,
    },
  ];
}

/** @param {HTMLElement} place @returns {ConsoleView} */
export function showStart(place) {
  async function reload() {
    try {
      const steps = await loadSteps();
      fill(
        place,
        buildHead(text("start")),
        h("p", {}, text("start_how")),
        h(
          "ol",
          { class: "rows" },
          ...steps.map(({ title, how, href, isDone }) =>
            h(
              "li",
              { class: "row-card" },
              h(
                "div",
                { class: "row-text" },
                h("a", { class: "row-link", href }, title),
                h("span", { class: "faint" }, how),
                h(
                  "span",
                  { class: "row-meta" },
                  h(
                    "span",
                    { class: `chip ${isDone ? "good" : ""}` },
                    text(isDone ? "done" : "to_do"),
                  ),
                ),
              ),
            ),
          ),
        ),
        steps.every(({ isDone }) => isDone) && h("p", { class: "banner" }, text("all_set")),
      );
    } catch (error) {
      fill(place, buildHead(text("start")), buildProblem(error));
    }
  }
  return { reload };
}
