/** The people, robots and services of the household: what each can do, and how they are reached. */
import { choiceControl, textControl } from "../../respond/answer/fields.js";
import { fill, h } from "../../respond/ui/dom.js";
import { lines } from "../../respond/thread/messages.js";
import { openSheet } from "../../respond/ui/sheet.js";
import { api, isOwner } from "../household.js";
import { listCapabilities, loadExecutors } from "../names.js";
import { buildButton, buildForm, buildHead, buildProblem, buildRow, buildRows } from "../parts.js";
import { findText, text } from "../texts.js";

const KINDS = ["person", "machine", "service"];

/** A member id from a name: `Ann’s phone` becomes `ann-s-phone`. @param {string} name */
export const toMemberId = (name) =>
  name
    .normalize("NFKD")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "")
    .join("-")
    .slice(0, 40);

/** @param {ConsoleExecutor} executor */
const buildMember = (executor) => {
  const { id, name = id, kind = "person" } = executor;
  const capabilities = listCapabilities(executor);
  return buildRow(
    `#member/${encodeURIComponent(id)}`,
    name,
    h("span", {}, findText(`kind_of_${kind}`, kind)),
    capabilities.length === 0
      ? text("no_capabilities")
      : h("span", { dir: "auto" }, capabilities.map((one) => one.replaceAll("-", " ")).join(", ")),
  );
};

function addMember() {
  const name = textControl(text("name"), { required: true });
  const kind = choiceControl(
    text("kind"),
    KINDS.map((one) => [one, findText(`kind_of_${one}`, one)]),
    { value: "person" },
  );
  const capabilities = textControl(text("capabilities"), { rows: 3, hint: text("one_per_line") });
  const form = buildForm(
    { children: [name.element, kind.element, capabilities.element], label: text("add") },
    async () => {
      const id = toMemberId(name.value()) || `member-${crypto.randomUUID().slice(0, 8)}`;
      const executor = {
        name: name.value().trim(),
        kind: kind.value(),
        capabilities: lines(capabilities.value()),
      };
      await api("/api/v1/config", { method: "POST", json: { executors: { [id]: executor } } });
      sheet.close();
      location.hash = `#member/${encodeURIComponent(id)}`;
    },
  );
  const sheet = openSheet(text("add_member"), [form]);
}

/** @param {HTMLElement} place @returns {ConsoleView} */
export function showMembers(place) {
  async function reload() {
    try {
      const executors = await loadExecutors();
      fill(
        place,
        buildHead(text("members")),
        buildRows(executors.map(buildMember), text("no_members")),
        isOwner() && buildButton(text("add_member"), addMember, "primary"),
      );
    } catch (error) {
      fill(place, buildHead(text("members")), buildProblem(error));
    }
  }
  return { reload };
}
