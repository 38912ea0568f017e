/** One group: its members, open tasks and messages, kept up to date, and the field with which owners write to all. */
import { arrange, fill, h, icon } from "../../respond/ui/dom.js";
import { buildComposer } from "./composer.js";
import { buildFeedItems, getName } from "./feed.js";
import { buildBack, LIST_HASH } from "./hash.js";
import { watchGroup } from "./live.js";
import { buildMembers, buildTasks } from "./members.js";
import { fillOnChange } from "./fill-on-change.js";
import { getTools, groupText } from "./texts.js";

/** Online states change without a message. */
const STATUS_INTERVAL_MS = 60_000;
/** Several messages that arrive together cause one reload of members and tasks. */
const RELOAD_DELAY_MS = 700;
/** Closer to the end of the page than this, the person follows new messages. */
const FOLLOW_PX = 160;

/** @param {HTMLElement} place @param {string} session @param {string} group_id */
export function openGroup(place, session, group_id) {
  const path = `/inbox/groups/${group_id}`;
  const query = `session=${session}`;
  /** @type {Map<number, GroupMessage>} */
  const messages = new Map();
  /** @type {ViewedGroup | undefined} */
  let group;
  let hasOlder = false;
  let isClosed = false;
  /** @type {unknown} */
  let problem;
  /** When the messages were loaded or arrived last, in milliseconds since 1970. */
  let loadedAt = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;

  const head = h("div", { class: "ag-head" });
  const state = h("div", { class: "ag-state", role: "status" });
  const members = buildMembers();
  const tasks = buildTasks();
  const older = h("button", {
    type: "button",
    class: "secondary wide",
    hidden: true,
    on: { click: () => void loadOlder() },
  });
  const feed = h("ol", { class: "ag-feed" });
  const newer = h("button", {
    type: "button",
    class: "primary ag-newer",
    hidden: true,
    on: { click: () => scrollToEnd() },
  });
  const composer = buildComposer(path, query, async () => {
    await reload();
    scrollToEnd();
  });

  const isNearEnd = () => document.documentElement.scrollHeight - innerHeight - scrollY < FOLLOW_PX;
  const scrollToEnd = () => {
    newer.hidden = true;
    scrollTo(0, document.documentElement.scrollHeight);
  };
  const onScroll = () => {
    if (isNearEnd()) newer.hidden = true;
  };

  function draw() {
    if (isClosed) return;
    const { topic = groupText("title"), description } = group ?? {};
    fillOnChange(head, [topic, description], () => [
      buildBack(LIST_HASH),
      h("h2", { id: "agents-title", dir: "auto" }, topic),
      description !== undefined && h("p", { class: "faint", dir: "auto" }, description),
    ]);
    drawState();
    members.draw(group);
    tasks.draw(group);
    older.textContent = groupText("older");
    older.hidden = !hasOlder;
    newer.textContent = groupText("newer");
    feed.setAttribute("aria-label", groupText("messages"));
    const shown = [...messages.values()].toSorted((a, b) => a.seq - b.seq);
    arrange(feed, group ? listItems(shown, group) : []);
    composer.element.hidden = !group?.may_announce;
    composer.redraw();
  }

  /** @param {readonly GroupMessage[]} shown @param {ViewedGroup} of */
  const listItems = (shown, of) =>
    shown.length === 0
      ? [h("li", { class: "nothing" }, groupText("empty"))]
      : buildFeedItems(shown, of, feed);

  function drawState() {
    const status = /** @type {{ status?: number } | undefined} */ (problem)?.status;
    const text =
      problem === undefined
        ? group?.status === "closed" && groupText("closed_note")
        : status === 0 && group
          ? groupText("offline_note", { time: getTools().clock(loadedAt) })
          : groupText(status === 404 ? "gone" : "failed");
    const isRetryable = problem !== undefined && status !== 404;
    fillOnChange(state, [text, isRetryable], () => [
      text &&
        h(
          "p",
          { class: problem === undefined ? "banner" : "banner warn" },
          icon(problem === undefined ? "note" : "cloud"),
          h("span", {}, text),
          isRetryable &&
            h(
              "button",
              { type: "button", class: "quiet", on: { click: () => void reload() } },
              groupText("again"),
            ),
        ),
    ]);
  }

  /** @param {string} [more] @returns {Promise<GroupResponse>} */
  const fetchPage = async (more = "") =>
    await (await getTools().call(`${path}?${query}${more}`)).json();

  /** Loads the newest messages. Where they do not join those that are shown, they replace them. */
  async function reload() {
    try {
      const response = await fetchPage();
      const isFirst = group === undefined;
      const follows = isFirst || isNearEnd();
      const newest = Math.max(0, ...messages.keys());
      const isGap = response.more && (response.messages.at(-1)?.seq ?? 0) > newest;
      if (isGap) messages.clear();
      if (isGap || isFirst) hasOlder = response.more;
      const added = response.messages.filter(({ seq }) => seq > newest);
      for (const message of response.messages) messages.set(message.seq, message);
      group = response.group;
      problem = undefined;
      loadedAt = Date.now();
      draw();
      if (!isFirst) tell(added, follows);
      else if (messages.size > 0) scrollToEnd();
    } catch (error) {
      if (isClosed) return;
      problem = error;
      // The inbox shows where to sign in.
      if (/** @type {{ status?: number }} */ (error).status === 401) {
        location.hash = "";
        document.getElementById("refresh")?.click();
      } else draw();
    }
  }

  async function loadOlder() {
    const height = document.documentElement.scrollHeight;
    older.disabled = true;
    try {
      const response = await fetchPage(`&before=${Math.min(...messages.keys())}`);
      for (const message of response.messages) messages.set(message.seq, message);
      hasOlder = response.more;
      problem = undefined;
      draw();
      // Keeps the person's place in the feed.
      scrollBy(0, document.documentElement.scrollHeight - height);
      if (!hasOlder) feed.querySelector("li")?.focus();
    } catch (error) {
      problem = error;
      drawState();
    } finally {
      older.disabled = false;
    }
  }

  /** @param {readonly GroupMessage[]} added @param {boolean} follows */
  function tell(added, follows) {
    const last = added.toSorted((a, b) => a.seq - b.seq).at(-1);
    if (!last || !group) return;
    getTools().announce(groupText("new_message", { name: getName(group, last.from) }));
    if (follows) scrollToEnd();
    else newer.hidden = false;
  }

  /** @param {GroupMessage} message */
  function onMessage(message) {
    if (!group || messages.has(message.seq)) return;
    const follows = isNearEnd();
    messages.set(message.seq, message);
    loadedAt = Date.now();
    draw();
    tell([message], follows);
    reloadSoon();
  }

  const reloadSoon = () => {
    clearTimeout(timer);
    timer = setTimeout(() => void reload(), RELOAD_DELAY_MS);
  };

  const stopWatching = watchGroup(`${path}/events?${query}`, { onMessage, onConnect: reloadSoon });
  const interval = setInterval(() => {
    if (document.visibilityState === "visible") void reload();
  }, STATUS_INTERVAL_MS);
  const goOffline = () => {
    problem = { status: 0 };
    drawState();
  };
  addEventListener("scroll", onScroll, { passive: true });
  addEventListener("offline", goOffline);
  fill(place, head, state, members.element, tasks.element, older, feed, newer, composer.element);
  draw();
  void reload();
  return {
    redraw: draw,
    close: () => {
      isClosed = true;
      stopWatching();
      clearInterval(interval);
      clearTimeout(timer);
      removeEventListener("scroll", onScroll);
      removeEventListener("offline", goOffline);
    },
  };
}
