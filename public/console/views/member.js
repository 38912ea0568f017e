/** One member: what it can do, when and how it is reached, its sign-in link or key; owners change them here. */
import { textControl } from "../../respond/answer/fields.js";
import { announce } from "../../respond/ui/accessibility.js";
import { fill, h } from "../../respond/ui/dom.js";
import { lines } from "../../respond/thread/messages.js";
import { api, isOwner } from "../household.js";
import { listCapabilities, loadExecutors } from "../names.js";
import {
  buildAct,
  buildButton,
  buildFacts,
  buildForm,
  buildHead,
  buildProblem,
  buildSection,
  confirmAct,
  showOnce,
} from "../parts.js";
import { findText, text } from "../texts.js";

/** Where notices go, without the addresses, which the exchange keeps secret. @param {ConsoleExecutor} executor */
const describeChannels = ({ notify }) =>
  notify ? Object.keys(notify).join(", ") : text("no_channels");

/** Capabilities with settings keep them if their id stays. @param {ConsoleExecutor} executor @param {string[]} ids */
const mergeCapabilities = ({ capabilities = [] }, ids) =>
  ids.map(
    (id) => capabilities.find((one) => typeof one !== "string" && Object.hasOwn(one, id)) ?? id,
  );

/** @param {HTMLElement} place @param {string} id @returns {ConsoleView} */
export function showMember(place, id) {
  const invite = async () => {
    const { url } = await api("/api/v1/sign-in-links", {
      method: "POST",
      json: { actor: id, role: "executor" },
    });
    showOnce(text("sign_in_link"), text("sign_in_link_how"), url);
  };
  const makeKey = async () => {
    const { key } = await api("/api/v1/keys", {
      method: "POST",
      json: { actor: id, role: "executor" },
    });
    showOnce(text("new_key"), text("new_key_how"), key);
    await reload();
  };
  const remove = (/** @type {string} */ name) =>
    confirmAct(text("remove_member_question", { name }), text("remove_member"), async () => {
      await api("/api/v1/config", { method: "POST", json: { executors: { [id]: null } } });
      location.hash = "#members";
    });

  /** @param {ConsoleExecutor} executor */
  const buildEditor = (executor) => {
    const name = textControl(text("name"), { value: executor.name ?? id });
    const capabilities = textControl(text("capabilities"), {
      rows: 4,
      hint: text("one_per_line"),
      value: listCapabilities(executor).join("\n"),
    });
    const places = textControl(text("places"), {
      rows: 2,
      hint: text("places_how"),
      value: (executor.access ?? []).join("\n"),
    });
    const quiet = textControl(text("quiet_hours"), {
      hint: text("quiet_hours_how"),
      value: executor.quiet_hours ?? "",
    });
    return buildForm(
      {
        children: [name.element, capabilities.element, places.element, quiet.element],
        label: text("save"),
      },
      async () => {
        const { quiet_hours: _before, ...rest } = executor;
        const hours = quiet.value().trim();
        const changed = {
          ...rest,
          name: name.value().trim(),
          capabilities: mergeCapabilities(executor, lines(capabilities.value())),
          access: lines(places.value()),
          ...(hours === "" ? {} : { quiet_hours: hours }),
        };
        const json = { executors: { [id]: { ...changed, id: undefined } } };
        await api("/api/v1/config", { method: "POST", json });
        announce(text("saved"));
        await reload();
      },
    );
  };

  /** @param {"here" | "away"} state */
  const setPresence = async (state) => {
    await api("/api/v1/presence", { method: "PUT", json: { actor: id, state } });
    announce(text("saved"));
  };

  async function reload() {
    try {
      const executor = (await loadExecutors()).find((one) => one.id === id);
      if (!executor)
        return fill(place, buildHead(id, "#members"), h("p", {}, text("no_such_member")));
      const { name = id, kind = "person" } = executor;
      fill(
        place,
        buildHead(name, "#members"),
        buildFacts([
          [text("kind"), findText(`kind_of_${kind}`, kind)],
          [text("id"), id],
          [text("channels"), describeChannels(executor)],
        ]),
        isOwner() &&
          buildSection(
            text("access"),
            h("p", { class: "faint" }, text(kind === "person" ? "sign_in_link_why" : "key_why")),
            h(
              "div",
              { class: "row" },
              buildAct(text("sign_in_link"), invite),
              buildAct(text("new_key"), makeKey),
            ),
          ),
        isOwner() &&
          buildSection(
            text("availability"),
            h(
              "div",
              { class: "row" },
              buildAct(text("is_here"), () => setPresence("here")),
              buildAct(text("is_away"), () => setPresence("away")),
            ),
          ),
        isOwner() && buildSection(text("change"), buildEditor(executor)),
        isOwner() && buildButton(text("remove_member"), () => remove(name)),
      );
    } catch (error) {
      fill(place, buildHead(id, "#members"), buildProblem(error));
    }
  }
  return { reload };
}
