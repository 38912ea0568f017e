/** One task with its whole story: what was asked and said, who was asked, which notices were sent, and its files. */
import { fill, h } from "../../respond/ui/dom.js";
import { t } from "../../respond/ui/i18n.js";
import { clock, countdown } from "../../respond/ui/time-format.js";
import { api, household, isOwner, send } from "../household.js";
import { loadExecutors, nameMember } from "../names.js";
import {
  buildButton,
  buildFacts,
  buildHead,
  buildItem,
  buildProblem,
  buildRows,
  buildSection,
  buildStatus,
  confirmAct,
} from "../parts.js";
import { findText, text } from "../texts.js";
import { buildRoute } from "./route.js";
import { buildStory } from "./story.js";

const ENDED = ["completed", "partial", "failed", "declined", "expired", "cancelled", "superseded"];

/** @param {any} envelope */
const buildSummary = (envelope) =>
  buildFacts([
    [t("asked"), `${nameMember(envelope.requestor)}, ${clock(envelope.created)}`],
    [text("done_by_whom"), envelope.executor === null ? undefined : nameMember(envelope.executor)],
    [t("priority"), findText(`priority_${envelope.priority}`, envelope.priority)],
    [t("until"), envelope.expires && countdown(envelope.expires).text],
    [t("reference"), envelope.ref],
  ]);

/** @param {any} delivery */
const buildDelivery = ({ executor, channel, state, at, error }) =>
  buildItem(nameMember(executor), [
    h(
      "span",
      { class: `chip ${{ delivered: "good", dead: "bad" }[String(state)] ?? ""}` },
      findText(`delivery_${state}`, state),
    ),
    channel,
    at && clock(at),
    error && h("span", { dir: "auto" }, error),
  ]);

/** @param {HTMLElement} place @param {string} ref @returns {ConsoleView} */
export function showTask(place, ref) {
  const path = `/mess/${encodeURIComponent(ref)}`;

  /** Reads a part that only the requestor and owners may see; undefined for others. @param {string} name */
  const readMore = async (name) => {
    try {
      return await api(`${path}/${name}`);
    } catch {
      return undefined;
    }
  };

  const cancel = () =>
    confirmAct(text("cancel_question"), text("cancel_task"), async () => {
      await send({ cancel: { re: ref } });
      await reload();
    });

  const erase = () =>
    confirmAct(text("delete_task_question"), text("delete_task"), async () => {
      await api(path, { method: "DELETE" });
      location.hash = "#tasks";
    });

  async function reload() {
    try {
      const [thread, route, deliveries] = await Promise.all([
        api(path),
        readMore("route"),
        readMore("deliveries"),
        loadExecutors(),
      ]);
      const { envelope } = thread;
      const isOpen = !ENDED.includes(envelope.status);
      const mayCancel = isOpen && (isOwner() || envelope.requestor === household().actor);
      fill(
        place,
        buildHead(envelope.intent, "#tasks"),
        h("div", { class: "chips" }, buildStatus(envelope.status)),
        buildSummary(envelope),
        isOpen &&
          h(
            "a",
            { class: "primary", href: `/respond?ref=${encodeURIComponent(envelope.ref)}` },
            text("open_task"),
          ),
        buildSection(text("story"), buildStory(thread, path)),
        route && buildSection(text("who_was_asked"), buildRoute(route)),
        deliveries?.deliveries.length > 0 &&
          buildSection(text("notices"), buildRows(deliveries.deliveries.map(buildDelivery), "")),
        h(
          "div",
          { class: "row" },
          mayCancel && buildButton(text("cancel_task"), cancel),
          isOwner() && buildButton(text("delete_task"), erase),
        ),
      );
    } catch (error) {
      fill(place, buildHead(text("task"), "#tasks"), buildProblem(error));
    }
  }
  return { reload };
}
