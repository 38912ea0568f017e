/** The routing rules as sentences, in the order in which they are read, and a try: who would get this? */
import { textControl } from "../../respond/answer/fields.js";
import { fill, h } from "../../respond/ui/dom.js";
import { lines } from "../../respond/thread/messages.js";
import { openSheet } from "../../respond/ui/sheet.js";
import { api, isOwner } from "../household.js";
import { loadExecutors, nameMember } from "../names.js";
import {
  buildAct,
  buildButton,
  buildForm,
  buildHead,
  buildItem,
  buildProblem,
  buildRows,
  buildSection,
} from "../parts.js";
import { findText, text } from "../texts.js";
import { buildRoute } from "./route.js";

/** @typedef {{ match?: { capability?: string, urgency?: string, precision?: string }, prefer: string[] | string }} Rule */

/** @param {Rule} rule */
function describeRule({ match = {}, prefer }) {
  const { capability, urgency, precision } = match;
  const when = [
    capability && text("rule_capability", { name: capability.replaceAll("-", " ") }),
    urgency && text("rule_urgency", { name: findText(`priority_${urgency}`, urgency) }),
    precision && text("rule_precision", { name: findText(`precision_${precision}`, precision) }),
  ].filter(Boolean);
  const who =
    typeof prefer === "string"
      ? findText(`strategy_${prefer}`, prefer)
      : prefer.map(nameMember).join(", ");
  return when.length === 0
    ? text("rule_always", { who })
    : text("rule", { when: when.join(", "), who });
}

/** A try of the rules, with what a request would need. */
function buildTry() {
  const result = h("div", { "aria-live": "polite" });
  const requires = textControl(text("capabilities"), { rows: 2, hint: text("one_per_line") });
  const form = buildForm(
    { children: [requires.element, result], label: text("show_route"), look: "secondary" },
    async () => {
      const request = { intent: text("try_intent"), requires: lines(requires.value()) };
      const json = { MESS: [{ request }] };
      fill(result, buildRoute(await api("/mess/route", { method: "POST", json })));
    },
  );
  return buildSection(text("who_would_get"), form);
}

/** @param {HTMLElement} place @returns {ConsoleView} */
export function showRules(place) {
  /** @param {Rule[]} rules */
  const save = async (rules) => {
    await api("/api/v1/config", { method: "POST", json: { routing: { rules } } });
    await reload();
  };

  /** @param {Rule[]} rules @param {number} index */
  const buildActs = (rules, index) => {
    const rule = /** @type {Rule} */ (rules[index]);
    const others = rules.filter((one) => one !== rule);
    const up = buildAct(text("move_up"), () => save(others.toSpliced(index - 1, 0, rule)));
    return [...(index > 0 ? [up] : []), buildAct(text("remove"), () => save(others))];
  };

  /** @param {Rule[]} rules */
  const addRule = (rules) => {
    const capability = textControl(text("when_needed"), { required: true });
    const prefer = textControl(text("ask_first"), {
      rows: 2,
      hint: text("ask_first_how"),
      required: true,
    });
    const form = buildForm(
      { children: [capability.element, prefer.element], label: text("add") },
      async () => {
        const rule = {
          match: { capability: capability.value().trim() },
          prefer: lines(prefer.value()),
        };
        await save([...rules, rule]);
        sheet.close();
      },
    );
    const sheet = openSheet(text("add_rule"), [form]);
  };

  async function reload() {
    try {
      const [{ config }] = await Promise.all([api("/api/v1/config"), loadExecutors()]);
      const rules = /** @type {Rule[]} */ (config.routing?.rules ?? []);
      const fallback = [config.routing?.default ?? []].flat();
      const rows = rules.map((rule, index) =>
        buildItem(describeRule(rule), [], isOwner() ? buildActs(rules, index) : []),
      );
      fill(
        place,
        buildHead(text("rules"), "#more"),
        h("p", { class: "faint" }, text("rules_how")),
        buildRows(rows, text("no_rules")),
        fallback.length > 0 &&
          h("p", {}, text("rule_default", { who: fallback.map(nameMember).join(", ") })),
        isOwner() && buildButton(text("add_rule"), () => addRule(rules)),
        buildTry(),
      );
    } catch (error) {
      fill(place, buildHead(text("rules"), "#more"), buildProblem(error));
    }
  }
  return { reload };
}
