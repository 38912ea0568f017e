/** A route in words: who is asked, in which order, and why others are not. */
import { h } from "../../respond/ui/dom.js";
import { nameMember } from "../names.js";
import { text } from "../texts.js";

/** @param {ConsoleRoute} route */
export function buildRoute({ candidates, passed_over, warnings, rung_seconds = 0 }) {
  const steps = [...new Set(candidates.map(({ rung }) => rung))].toSorted((a, b) => a - b);
  const minutes = Math.round(rung_seconds / 60);
  return h(
    "div",
    { class: "stack" },
    candidates.length === 0 && h("p", { class: "banner warn" }, text("nobody_can")),
    h(
      "ol",
      { class: "steps" },
      ...steps.map((step, index) =>
        h(
          "li",
          {},
          index > 0 && h("p", { class: "faint" }, text("after_minutes", { n: index * minutes })),
          ...candidates
            .filter(({ rung }) => rung === step)
            .map(({ id, reasons = [], later }) =>
              h(
                "p",
                { dir: "auto" },
                h("strong", {}, nameMember(id)),
                " ",
                h("span", { class: "faint" }, [later, ...reasons].filter(Boolean).join("; ")),
              ),
            ),
        ),
      ),
    ),
    passed_over.length > 0 &&
      h(
        "details",
        {},
        h("summary", {}, text("not_asked", { n: passed_over.length })),
        h(
          "ul",
          { class: "barred" },
          ...passed_over.map(({ id, reason }) =>
            h("li", { dir: "auto" }, h("strong", {}, nameMember(id)), " ", reason),
          ),
        ),
      ),
    ...warnings.map((warning) => h("p", { class: "banner warn", dir: "auto" }, warning)),
  );
}
