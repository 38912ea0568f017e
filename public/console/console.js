/** Entry point of the console, where a household's people look after it: chooses the household and the view in the address. */
import { watch } from "../inbox/live-updates.js";
import { ApiError } from "../respond/send/api.js";
import { byId, fill, h, icon } from "../respond/ui/dom.js";
import { localize, t } from "../respond/ui/i18n.js";
import { applyPrefs } from "../respond/ui/preferences.js";
import { openSettings } from "../respond/ui/settings.js";
import {
  chooseHousehold,
  household,
  isOwner,
  listHouseholds,
  loadHouseholds,
  mayAsk,
} from "./household.js";
import { buildButton, buildProblem } from "./parts.js";
import { findText, loadTexts, text } from "./texts.js";
import { showAccess } from "./views/access.js";
import { showAsk } from "./views/ask.js";
import { showAudit } from "./views/audit.js";
import { showCapabilities } from "./views/capabilities.js";
import { showExport } from "./views/export.js";
import { showMember } from "./views/member.js";
import { showMembers } from "./views/members.js";
import { showMore } from "./views/more.js";
import { showRules } from "./views/rules.js";
import { showSchedules } from "./views/schedules.js";
import { showSettings } from "./views/settings.js";
import { loadSteps, showStart } from "./views/start.js";
import { showTask } from "./views/task.js";
import { showTasks } from "./views/tasks.js";

applyPrefs();

/** Views by the first part of the hash; the second part is theirs. @type {Record<string, (place: HTMLElement, id: string) => ConsoleView>} */
const VIEWS = {
  tasks: (place, state) => showTasks(place, state === "" ? undefined : state),
  task: showTask,
  ask: showAsk,
  members: showMembers,
  member: showMember,
  more: showMore,
  rules: showRules,
  capabilities: showCapabilities,
  access: showAccess,
  schedules: showSchedules,
  settings: showSettings,
  audit: showAudit,
  export: showExport,
  start: showStart,
};

/** The sections of the bar, with the views that belong to each. */
const TABS = /** @type {const} */ ([
  ["start", "idea", ["start"]],
  ["tasks", "note", ["tasks", "task"]],
  ["ask", "send", ["ask"]],
  ["members", "hand", ["members", "member"]],
  [
    "more",
    "more",
    ["more", "rules", "capabilities", "access", "schedules", "settings", "audit", "export"],
  ],
]);

const view = byId("view", HTMLElement);
const nav = byId("nav", HTMLElement);
/** @type {ConsoleView} */
let current = {};
let showsStart = false;

function readHash() {
  const [name = "", id = ""] = location.hash.slice(1).split("/");
  if (!Object.hasOwn(VIEWS, name)) return { name: showsStart ? "start" : "tasks", id: "" };
  try {
    return { name, id: decodeURIComponent(id) };
  } catch {
    return { name, id: "" };
  }
}

function drawNav() {
  const { name } = readHash();
  const shown = TABS.filter(
    ([tab]) => (tab !== "start" || showsStart) && (tab !== "ask" || mayAsk()),
  );
  fill(
    nav,
    ...shown.map(([tab, mark, views]) =>
      h(
        "a",
        {
          href: `#${tab}`,
          "aria-current": /** @type {readonly string[]} */ (views).includes(name)
            ? "page"
            : undefined,
        },
        icon(mark),
        text(tab),
      ),
    ),
  );
  nav.hidden = false;
}

function drawHouseholds() {
  const all = listHouseholds();
  const { id, name } = household();
  const select = h(
    "select",
    {
      "aria-label": text("household"),
      on: {
        change: () => {
          chooseHousehold(select.value);
          location.hash = "";
          location.reload();
        },
      },
    },
    ...all.map((one) =>
      h("option", { value: one.id, selected: one.id === id }, one.name || one.id),
    ),
  );
  fill(
    byId("households", HTMLElement),
    all.length > 1 ? h("p", { class: "field" }, select) : h("p", { class: "faint" }, name || id),
  );
}

function openView() {
  current.close?.();
  const { name, id } = readHash();
  fill(view, h("p", { class: "skeleton tall" }), h("p", { class: "skeleton tall" }));
  current = VIEWS[name]?.(view, id) ?? {};
  drawNav();
  document.title = `${findText(name, text("tasks"))} · ${household().name || household().id}`;
  view.setAttribute("aria-busy", "true");
  const isLoaded = current.reload?.() ?? Promise.resolve();
  void isLoaded.finally(() => {
    view.removeAttribute("aria-busy");
    document.documentElement.dataset["ready"] = "";
  });
}

/** A person opens another view: the page begins at its top, and a screen reader reads its heading. */
function onHashChange() {
  openView();
  scrollTo(0, 0);
  view.querySelector("h1")?.focus({ preventScroll: true });
}

/** @param {unknown} error */
function showClosed(error) {
  const isSignedOut = error instanceof ApiError && error.status === 401;
  fill(
    view,
    h(
      "div",
      { class: "closed" },
      isSignedOut ? h("h1", {}, text("closed")) : buildProblem(error),
      isSignedOut && h("p", {}, text("closed_how")),
      isSignedOut
        ? h("a", { class: "primary", href: "/sign-in" }, text("sign_in"))
        : buildButton(t("try_again"), () => location.reload(), "primary"),
    ),
  );
  view.removeAttribute("aria-busy");
}

const reload = async () => await current.reload?.();

const localizeConsole = () => localize((word) => findText(word, t(word)));

async function start() {
  await loadTexts();
  localizeConsole();
  byId("preferences", HTMLElement).addEventListener("click", () =>
    openSettings(async () => {
      await loadTexts();
      localizeConsole();
      openView();
    }),
  );
  try {
    await loadHouseholds();
    if (isOwner()) showsStart = (await loadSteps()).some(({ isDone }) => !isDone);
  } catch (error) {
    return showClosed(error);
  }
  drawHouseholds();
  openView();
  addEventListener("hashchange", onHashChange);
  document.addEventListener("console-change", () => void reload());
  watch(
    () => [{ ...household(), me: household().actor }],
    async () => {
      // A form that is being filled in stays as it is.
      if (!view.contains(document.activeElement) || !document.activeElement?.closest("form"))
        await reload();
    },
    () => false,
  );
}

void start();
