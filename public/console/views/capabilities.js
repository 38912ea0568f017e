/** The capability catalog: what can be asked for in this household, and who can do it. */
import { textControl } from "../../respond/answer/fields.js";
import { fill, h } from "../../respond/ui/dom.js";
import { openSheet } from "../../respond/ui/sheet.js";
import { api, isOwner } from "../household.js";
import { listCapabilities, loadExecutors, nameMember } from "../names.js";
import { buildButton, buildForm, buildHead, buildItem, buildProblem, buildRows } from "../parts.js";
import { text } from "../texts.js";

/** @param {string} id @param {string} description */
function describeCapability(id, description) {
  const words = textControl(text("description"), { rows: 2, value: description, required: true });
  const form = buildForm({ children: [words.element], label: text("save") }, async () => {
    const capabilities = [{ id, description: words.value().trim() }];
    await api("/api/v1/config", { method: "POST", json: { capabilities } });
    sheet.close();
    document.dispatchEvent(new Event("console-change"));
  });
  const sheet = openSheet(id.replaceAll("-", " "), [form]);
}

/** @param {HTMLElement} place @returns {ConsoleView} */
export function showCapabilities(place) {
  async function reload() {
    try {
      const [executors, { config }] = await Promise.all([loadExecutors(), api("/api/v1/config")]);
      /** @type {{ id: string, description?: string }[]} */
      const catalog = config.capabilities ?? [];
      const described = new Map(catalog.map(({ id, description }) => [id, description ?? ""]));
      const ids = [
        ...new Set([...described.keys(), ...executors.flatMap(listCapabilities)]),
      ].toSorted();
      const rows = ids.map((id) => {
        const who = executors.filter((one) => listCapabilities(one).includes(id));
        const names = who.map((one) => nameMember(one.id)).join(", ");
        const description = described.get(id) ?? "";
        return buildItem(
          id.replaceAll("-", " "),
          [
            description !== "" && h("span", { dir: "auto" }, description),
            who.length === 0
              ? h("span", { class: "chip warn" }, text("nobody"))
              : h("span", { dir: "auto" }, names),
          ],
          isOwner()
            ? [buildButton(text("describe"), () => describeCapability(id, description))]
            : [],
        );
      });
      fill(place, buildHead(text("catalog"), "#more"), buildRows(rows, text("no_capabilities")));
    } catch (error) {
      fill(place, buildHead(text("catalog"), "#more"), buildProblem(error));
    }
  }
  return { reload };
}
