/** The audit trail: who changed access, secrets and settings. */
import { fill, h } from "../../respond/ui/dom.js";
import { toText } from "../../respond/thread/render-json.js";
import { clock } from "../../respond/ui/time-format.js";
import { api } from "../household.js";
import { loadExecutors, nameMember } from "../names.js";
import { buildButton, buildHead, buildItem, buildProblem, buildRows } from "../parts.js";
import { findText, text } from "../texts.js";

/** @param {any} entry */
const buildEntry = ({ at, action, actor, credential, target, detail = {} }) =>
  buildItem(findText(`audit_${action}`, action.replaceAll("_", " ")), [
    h("span", { dir: "auto" }, nameMember(actor)),
    clock(at),
    h("span", {}, findText(`credential_${credential}`, credential)),
    target && h("span", { dir: "auto" }, nameMember(target)),
    ...Object.entries(detail).map(([name, value]) =>
      h("span", { dir: "auto" }, `${name}: ${[value].flat().map(toText).join(", ")}`),
    ),
  ]);

/** @param {HTMLElement} place @returns {ConsoleView} */
export function showAudit(place) {
  /** @type {any[]} */
  let entries = [];
  /** @type {string | number | undefined} */
  let next;
  const draw = () =>
    fill(
      place,
      buildHead(text("audit"), "#more"),
      buildRows(entries.map(buildEntry), text("no_entries")),
      next !== undefined && buildButton(text("more_entries"), () => void load(next)),
    );
  /** @param {string | number} [cursor] */
  async function load(cursor) {
    try {
      const [page] = await Promise.all([
        api(`/api/v1/audit${cursor === undefined ? "" : `?cursor=${cursor}`}`),
        loadExecutors(),
      ]);
      entries = cursor === undefined ? page.entries : [...entries, ...page.entries];
      next = page.next;
      draw();
    } catch (error) {
      fill(place, buildHead(text("audit"), "#more"), buildProblem(error));
    }
  }
  return { reload: () => load() };
}
