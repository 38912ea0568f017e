/** A new request, with a preview of who would get it. */
import { choiceControl, textControl } from "../../respond/answer/fields.js";
import { fill, h } from "../../respond/ui/dom.js";
import { t } from "../../respond/ui/i18n.js";
import { api, send } from "../household.js";
import { listCapabilities, loadExecutors } from "../names.js";
import { buildForm, buildHead, buildProblem, buildSection } from "../parts.js";
import { text } from "../texts.js";
import { buildRoute } from "./route.js";

const PREVIEW_DELAY_MS = 400;

/** @param {HTMLElement} place @returns {ConsoleView} */
export function showAsk(place) {
  const preview = h("div", { "aria-live": "polite" });
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const previewSoon = () => {
    clearTimeout(timer);
    timer = setTimeout(() => void showPreview(), PREVIEW_DELAY_MS);
  };
  const intent = textControl(text("what_to_do"), { rows: 3, required: true, changed: previewSoon });
  const priority = choiceControl(
    t("priority"),
    [
      ["background", t("priority_background")],
      ["normal", t("priority_normal")],
      ["elevated", t("priority_elevated")],
      ["urgent", t("priority_urgent")],
    ],
    { value: "normal", changed: previewSoon },
  );
  const context = textControl(text("more_to_know"), { rows: 2 });
  /** @type {import("../../respond/answer/fields.js").Control | undefined} */
  let requires;
  const skills = h("div", {});

  const readRequest = () => {
    const needed = requires?.value() ?? [];
    const more = context.value().trim();
    return {
      intent: intent.value().trim(),
      priority: priority.value(),
      ...(needed.length > 0 ? { requires: needed } : {}),
      ...(more === "" ? {} : { context: [more] }),
    };
  };

  async function showPreview() {
    const request = readRequest();
    if (request.intent === "") return fill(preview);
    try {
      const route = await api("/mess/route", { method: "POST", json: { MESS: [{ request }] } });
      fill(preview, buildSection(text("who_gets_it"), buildRoute(route)));
    } catch (error) {
      fill(preview, buildProblem(error));
    }
  }

  const form = buildForm(
    {
      children: [intent.element, skills, priority.element, context.element, preview],
      label: text("send_request"),
    },
    async () => {
      const { ref } = await send({ request: readRequest() });
      location.hash = `#task/${encodeURIComponent(ref)}`;
    },
  );
  fill(place, buildHead(text("ask")), form);
  void loadExecutors().then(
    (executors) => {
      const ids = [...new Set(executors.flatMap(listCapabilities))].toSorted();
      if (ids.length === 0) return;
      requires = choiceControl(
        text("needs"),
        ids.map((id) => [id, id.replaceAll("-", " ")]),
        { many: true, hint: text("needs_how"), changed: previewSoon },
      );
      fill(skills, requires.element);
    },
    () => {},
  );
  return { close: () => clearTimeout(timer) };
}
