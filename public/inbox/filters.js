/** Filters of the inbox: group, household, and only new threads. */
import { choiceControl } from "../respond/answer/fields.js";
import { fill, h } from "../respond/ui/dom.js";
import { formatNumber } from "../respond/ui/i18n.js";
import { GROUPS, countNew, inbox } from "./inbox-store.js";
import { tabName } from "./list.js";
import { inboxText } from "./inbox-i18n.js";

/** The group in the address, which the shortcuts of the installed app name. */
const linked = GROUPS.find((group) => group === new URLSearchParams(location.search).get("group"));

/** @type {InboxFilter} */
export const filter = {
  group: linked ?? "all",
  session: "",
  newOnly: false,
  sort: "urgent",
  q: "",
};

let drawn = "";

/** @param {HTMLElement} place @param {() => void} changed */
export function renderFilters(place, changed) {
  const threads = inbox()?.threads ?? [];
  const households = inbox()?.households ?? [];
  const sign = JSON.stringify([
    document.documentElement.lang,
    households,
    threads.map((thread) => [thread.group, countNew([thread])]),
  ]);
  if (sign === drawn) return;
  drawn = sign;
  const focused = place.contains(document.activeElement)
    ? [...place.querySelectorAll("input")].findIndex((input) => input === document.activeElement)
    : -1;
  const group = choiceControl(
    inboxText("show"),
    [
      ["all", inboxText("show_all")],
      ...GROUPS.map(
        (one) => /** @type {const} */ ([one, `${tabName(one)}${countThreads(threads, one)}`]),
      ),
    ],
    {
      value: filter.group,
      changed: () => {
        filter.group = group.value() ?? "all";
        changed();
      },
    },
  );
  const newOnly = h("input", {
    type: "checkbox",
    on: {
      change: () => {
        filter.newOnly = newOnly.checked;
        changed();
      },
    },
  });
  newOnly.checked = filter.newOnly;
  const toggle = h("label", { class: "option" }, newOnly, h("span", {}, inboxText("new_only")));
  const which =
    households.length > 1 &&
    choiceControl(
      inboxText("every_household"),
      [
        ["", inboxText("every_household")],
        ...households.map(({ session, name }) => /** @type {const} */ ([session, name])),
      ],
      {
        value: filter.session,
        changed: () => {
          filter.session = (which && which.value()) ?? "";
          changed();
        },
      },
    );
  const sort = choiceControl(
    inboxText("sort"),
    [
      ["urgent", inboxText("sort_urgent")],
      ["due", inboxText("sort_due")],
    ],
    {
      value: filter.sort,
      changed: () => {
        filter.sort = sort.value() ?? "urgent";
        changed();
      },
    },
  );
  sort.element.querySelector(".options")?.append(toggle);
  fill(place, group.element, sort.element, which && which.element);
  for (const legend of place.querySelectorAll("legend")) legend.className = "unseen";
  if (focused >= 0) place.querySelectorAll("input")[focused]?.focus();
}

/** @param {readonly InboxThread[]} threads @param {InboxGroup} group */
function countThreads(threads, group) {
  const n = threads.filter((thread) => thread.group === group).length;
  return n === 0 || group === "done" ? "" : ` ${formatNumber(n)}`;
}

/** @param {readonly InboxThread[]} threads */
export const applyFilter = (threads) =>
  threads.filter(
    (thread) =>
      (filter.session === "" || thread.session === filter.session) &&
      (!filter.newOnly || countNew([thread]) > 0),
  );
