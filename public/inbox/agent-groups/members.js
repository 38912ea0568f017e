/** The members of a group with their online state, and its open tasks. */
import { h } from "../../respond/ui/dom.js";
import { getName } from "./feed.js";
import { fillOnChange } from "./fill-on-change.js";
import { getTools, groupText } from "./texts.js";

const ROLE_TEXTS = /** @type {const} */ ({
  ops: "role_ops",
  agent: "role_agent",
  person: "role_person",
  robot: "role_robot",
});

/** @typedef {ViewedGroup["members"][number]} Member */

/** People and robots answer by their own channels, so they have no online state. @param {Member} member */
const hasOnlineState = ({ role }) => role === "ops" || role === "agent";

/**
 * A part that can be opened, of which only the changed contents are replaced.
 * @param {string} part @param {boolean} open
 */
function buildPart(part, open) {
  const summary = h("summary");
  const list = h("ul");
  const element = h(
    "details",
    { class: "ag-details", open, hidden: true, data: { part } },
    summary,
    list,
  );
  return { element, summary, list };
}

export function buildMembers() {
  const { element, summary, list } = buildPart("members", false);
  /** @param {ViewedGroup | undefined} group */
  const draw = (group) => {
    const active = (group?.members ?? []).filter(({ left }) => !left);
    const agents = active.filter(hasOnlineState);
    const online = agents.filter((member) => member.online).length;
    element.hidden = !group;
    summary.textContent = groupText("online_count", { n: online, all: agents.length });
    const rows = active.map((member) => ({ member, texts: listMemberTexts(member) }));
    fillOnChange(list, rows, () => rows.map(({ member, texts }) => buildMember(member, texts)));
  };
  return { element, draw };
}

/** The role, and when the member was online. @param {Member} member @returns {string[]} */
function listMemberTexts(member) {
  const { role, primary, online, last_seen: seen } = member;
  const roleText = groupText(primary ? "role_primary" : ROLE_TEXTS[role]);
  if (!hasOnlineState(member)) return [roleText];
  if (online) return [roleText, groupText("online")];
  return [
    roleText,
    seen === undefined
      ? groupText("offline")
      : groupText("last_seen", { ago: getTools().ago(seen) }),
  ];
}

/** @param {Member} member @param {readonly string[]} texts */
const buildMember = ({ name, online }, texts) =>
  h(
    "li",
    { class: online ? "ag-member ag-online" : "ag-member" },
    h("bdi", {}, name),
    ...texts.map((text) => h("span", { class: "faint" }, text)),
  );

export function buildTasks() {
  const { element, summary, list } = buildPart("tasks", true);
  /** @param {ViewedGroup | undefined} group */
  const draw = (group) => {
    const tasks = group?.tasks ?? [];
    element.hidden = tasks.length === 0;
    summary.textContent = groupText("tasks", { n: tasks.length });
    const rows = tasks.map((task) => ({
      ...task,
      of: group ? getName(group, task.agent) : task.agent,
    }));
    fillOnChange(list, rows, () => rows.map(buildTask));
  };
  return { element, draw };
}

/** @param {ViewedGroup["tasks"][number] & { of: string }} task */
const buildTask = ({ summary, of, at, status }) =>
  h(
    "li",
    {},
    h("p", { dir: "auto", class: "ag-summary" }, summary),
    h(
      "p",
      { class: "row-meta faint" },
      status === "returned" && h("span", { class: "chip warn" }, groupText("task_returned")),
      h("span", {}, groupText("task_of", { name: of })),
      h("span", {}, groupText("since", { time: getTools().clock(at) })),
    ),
  );
