/** The tasks of the household by state, with counts, and a search. */
import { arrange, fill, h } from "../../respond/ui/dom.js";
import { t } from "../../respond/ui/i18n.js";
import { ago } from "../../respond/ui/time-format.js";
import { api, isOwner } from "../household.js";
import { loadExecutors, nameMember } from "../names.js";
import { buildButton, buildHead, buildProblem, buildRow, buildStatus } from "../parts.js";
import { text } from "../texts.js";

/** The states of protocol §3, with the statuses that belong to each. */
const STATES = /** @type {const} */ ({
  received: ["pending", "held", "retrying"],
  executing: ["claimed", "in_progress", "waiting", "needs_input", "needs_confirmation"],
  finished: ["completed", "partial"],
  canceled: ["failed", "declined", "expired", "cancelled", "superseded", "delegated"],
});
const PAGE_SIZE = 30;
const TYPING_DELAY_MS = 250;

/** @param {ListedTask} task */
const buildTask = ({ ref, intent, status, requestor, executor, updated, priority }) =>
  buildRow(
    `#task/${encodeURIComponent(ref)}`,
    intent,
    buildStatus(status),
    ["urgent", "elevated"].includes(priority) &&
      h(
        "span",
        { class: "chip warn" },
        t(priority === "urgent" ? "priority_urgent" : "priority_elevated"),
      ),
    h(
      "span",
      { dir: "auto" },
      executor === null
        ? text("asked_by", { name: nameMember(requestor) })
        : text("asked_and_held", { name: nameMember(requestor), who: nameMember(executor) }),
    ),
    h("span", {}, ago(updated)),
  );

/** @param {HTMLElement} place @param {string} [state] one of the states; all tasks without it @returns {ConsoleView} */
export function showTasks(place, state) {
  const counts = h("nav", { class: "counts", "aria-label": text("states") });
  const search = h("input", {
    type: "search",
    maxlength: 200,
    enterkeyhint: "search",
    "aria-label": text("search"),
    placeholder: text("search"),
  });
  const list = h("ul", { class: "rows" });
  const note = h("div", {});
  const more = buildButton(text("more_tasks"), () => void loadMore());
  more.hidden = true;
  /** @type {ListedTask[]} */
  let tasks = [];
  /** @type {string | undefined} */
  let cursor;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let typing;

  const read = (/** @type {string | undefined} */ after) => {
    const query = new URLSearchParams({ limit: String(PAGE_SIZE) });
    if (state !== undefined) query.set("state", state);
    if (search.value.trim() !== "") query.set("q", search.value.trim());
    if (after !== undefined) query.set("cursor", after);
    return api(`/mess?${query}`);
  };

  const draw = () => {
    arrange(list, tasks.map(buildTask));
    const isSearch = search.value.trim() !== "";
    fill(
      note,
      tasks.length === 0 &&
        h("p", { class: "faint" }, text(isSearch ? "nothing_found" : "no_tasks")),
    );
    more.hidden = cursor === undefined;
  };

  const drawCounts = (/** @type {Record<string, number>} */ byStatus) => {
    const sum = (/** @type {readonly string[]} */ statuses) =>
      statuses.reduce((all, status) => all + (byStatus[status] ?? 0), 0);
    fill(
      counts,
      ...Object.entries(STATES).map(([name, statuses]) =>
        h(
          "a",
          {
            class: "count",
            href: name === state ? "#tasks" : `#tasks/${name}`,
            "aria-current": name === state ? "true" : undefined,
          },
          h("strong", {}, sum(statuses)),
          h("span", {}, text(/** @type {keyof typeof STATES} */ (name))),
        ),
      ),
    );
  };

  async function reload() {
    const asked = search.value;
    try {
      const [page, statistics] = await Promise.all([
        read(undefined),
        isOwner() ? api("/api/v1/statistics") : undefined,
        loadExecutors(),
      ]);
      if (asked !== search.value) return;
      tasks = page.threads;
      cursor = page.next_cursor;
      draw();
      if (statistics) drawCounts(statistics.by_status);
    } catch (error) {
      fill(note, buildProblem(error));
    }
  }

  async function loadMore() {
    try {
      const page = await read(cursor);
      tasks = [...tasks, ...page.threads];
      cursor = page.next_cursor;
      draw();
    } catch (error) {
      fill(note, buildProblem(error));
    }
  }

  search.addEventListener("input", () => {
    clearTimeout(typing);
    typing = setTimeout(() => void reload(), TYPING_DELAY_MS);
  });
  fill(
    place,
    buildHead(text("tasks")),
    counts,
    h("div", { class: "search", role: "search" }, search),
    list,
    note,
    more,
  );
  return { reload, close: () => clearTimeout(typing) };
}
