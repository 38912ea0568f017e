/** The members of a group with their online state, and its open tasks. */
import { fill, h } from "../../respond/ui/dom.js";
import { getName } from "./feed.js";
import { getTools, groupText } from "./texts.js";

const ROLE_TEXTS = /** @type {const} */ ({
  ops: "role_ops",
  agent: "role_agent",
  person: "role_person",
  robot: "role_robot",
});

/** People and robots answer by their own channels, so they have no online state. @param {ViewedGroup["members"][number]} member */
const hasOnlineState = ({ role }) => role === "ops" || role === "agent";

/** @param {HTMLElement} place @param {ViewedGroup} group */
export function fillMembers(place, { members }) {
  const active = members.filter(({ left }) => !left);
  const agents = active.filter(hasOnlineState);
  const online = agents.filter((member) => member.online).length;
  fill(
    place,
    h("summary", {}, groupText("online_count", { n: online, all: agents.length })),
    h("ul", {}, ...active.map(buildMember)),
  );
}

/** @param {ViewedGroup["members"][number]} member */
function buildMember(member) {
  const { name, role, primary, online, last_seen: seen } = member;
  return h(
    "li",
    { class: online ? "ag-member ag-online" : "ag-member" },
    h("bdi", {}, name),
    h("span", { class: "faint" }, groupText(primary ? "role_primary" : ROLE_TEXTS[role])),
    hasOnlineState(member) &&
      h(
        "span",
        { class: "faint" },
        online || seen === undefined
          ? groupText(online ? "online" : "offline")
          : groupText("last_seen", { ago: getTools().ago(seen) }),
      ),
  );
}

/** @param {HTMLElement} place @param {ViewedGroup} group */
export function fillTasks(place, group) {
  const { tasks } = group;
  place.hidden = tasks.length === 0;
  fill(
    place,
    h("summary", {}, groupText("tasks", { n: tasks.length })),
    h(
      "ul",
      {},
      ...tasks.map(({ summary, agent, at, status }) =>
        h(
          "li",
          { class: "ag-task" },
          h("p", { dir: "auto", class: "ag-summary" }, summary),
          h(
            "p",
            { class: "row-meta faint" },
            status === "returned" && h("span", { class: "chip warn" }, groupText("task_returned")),
            h("span", {}, groupText("task_of", { name: getName(group, agent) })),
            h("span", {}, groupText("since", { time: getTools().clock(at) })),
          ),
        ),
      ),
    ),
  );
}
