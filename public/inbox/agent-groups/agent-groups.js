/**
 * Entry of the agent groups: a row in the inbox leads to the list of groups, and a row there to one group. The hash of
 * the address says which of them is shown, so that the browser's back button works.
 */
import { byId, fill, h } from "../../respond/ui/dom.js";
import { loadStyles, onLanguage } from "../view-texts.js";
import { openGroup } from "./group-view.js";
import { buildBack, getGroupHash, LIST_HASH, readHash } from "./hash.js";
import { getTools, groupText, loadGroupTexts, setTools } from "./texts.js";

const STYLES = "/inbox/agent-groups/agent-groups.css";

const at = (/** @type {string} */ id) => byId(id, HTMLElement);

/** @type {readonly ListedGroup[]} */
let groups = [];
/** The shown group. @type {{ close: () => void, redraw: () => void } | undefined} */
let shown;

/**
 * @param {import("../inbox-tools.js").InboxTools} tools
 * @param {{ groups: readonly ListedGroup[] }} found
 */
export async function start(tools, { groups: found }) {
  setTools(tools);
  groups = found;
  await Promise.all([loadGroupTexts(), loadStyles(STYLES)]);
  addEventListener("hashchange", route);
  document.addEventListener("mess-refresh", () => void reload());
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") void reload();
  });
  onLanguage(loadGroupTexts, redraw);
  drawEntry();
  route();
}

async function reload() {
  try {
    ({ groups } = await (await getTools().call("/inbox/groups")).json());
  } catch (error) {
    // After a sign-out, the next person must not see these groups.
    if (/** @type {{ status?: number }} */ (error).status !== 401) return;
    groups = [];
    if (readHash()) location.hash = "";
  }
  drawEntry();
  if (!shown) drawList();
}

function redraw() {
  drawEntry();
  if (shown) shown.redraw();
  else drawList();
}

/** The row in the inbox. */
function drawEntry() {
  const open = groups.filter(({ status }) => status === "open").length;
  fill(
    at("agent-groups"),
    h(
      "a",
      { class: "row-card ag-entry", href: LIST_HASH },
      h("strong", {}, groupText("title")),
      h("span", { class: "chip" }, groupText("open_groups", { n: open })),
    ),
  );
  at("agent-groups").hidden = groups.length === 0;
}

/** Shows what the hash names: the inbox, the list, or a group. */
function route() {
  const hash = readHash();
  const wasShown = document.body.classList.contains("in-agents");
  shown?.close();
  shown = undefined;
  document.body.classList.toggle("in-agents", hash !== undefined);
  at("agents").hidden = hash === undefined;
  if (!hash) {
    fill(at("agents"));
    if (wasShown) at("agent-groups").querySelector("a")?.focus();
    return;
  }
  if (hash.group_id === undefined) drawList();
  else shown = openGroup(at("agents"), hash.session, hash.group_id);
  scrollTo(0, 0);
  at("agents").focus({ preventScroll: true });
}

function drawList() {
  if (readHash() === undefined) return;
  const households = new Set(groups.map(({ session }) => session)).size;
  fill(
    at("agents"),
    buildBack("#"),
    h("h2", { id: "agents-title" }, groupText("title")),
    groups.length === 0 && h("p", { class: "faint" }, groupText("none")),
    h(
      "ul",
      { class: "rows" },
      ...groups.map((group) => h("li", {}, buildRow(group, households > 1))),
    ),
  );
}

/** @param {ListedGroup} group @param {boolean} isNamed whether the household is shown */
const buildRow = ({ session, group_id, topic, status, members, created, household }, isNamed) =>
  h(
    "div",
    { class: "row-card", data: { group: group_id } },
    h(
      "div",
      { class: "row-text" },
      h("a", { class: "row-link", dir: "auto", href: getGroupHash(session, group_id) }, topic),
      h(
        "p",
        { class: "row-meta faint" },
        status === "closed" && h("span", { class: "chip" }, groupText("closed")),
        h("span", {}, groupText("members", { n: members })),
        h("time", { datetime: created }, groupText("since", { time: getTools().clock(created) })),
        isNamed && h("span", { dir: "auto" }, household),
      ),
    ),
  );
