/** Flag, archive, mark as unread, and delete with a confirmation. */
import { fill, h } from "../../respond/ui/dom.js";
import { getFailureText, getTools, messageText } from "./texts.js";

/**
 * @param {MessageResponse["message"]} message
 * @param {{ mark: (name: MessageMark) => Promise<unknown>, remove: () => Promise<void>, reload: () => Promise<void> }} on
 */
export function buildMessageActions({ flagged, status }, { mark, remove, reload }) {
  const problem = h("div", { role: "alert" });

  /** @param {() => Promise<unknown>} work */
  const run = async (work) => {
    fill(problem);
    try {
      await work();
    } catch (error) {
      fill(problem, h("p", { class: "field-error" }, getFailureText(error)));
    }
  };
  /** @param {MessageMark} name @param {string} label */
  const markButton = (name, label) =>
    h(
      "button",
      {
        type: "button",
        class: "secondary",
        data: { act: name.replace(/^un/, "") },
        on: {
          click: () =>
            run(async () => {
              await mark(name);
              getTools().announce(messageText("done"));
              if (name === "unseen" || name === "archive") return history.back();
              await reload();
            }),
        },
      },
      label,
    );
  const isArchived = status === "archived";
  return h(
    "div",
    { class: "ms-bar" },
    problem,
    h(
      "div",
      { class: "ms-actions" },
      flagged
        ? markButton("unflag", messageText("unflag"))
        : markButton("flag", messageText("flag")),
      isArchived
        ? markButton("unarchive", messageText("unarchive"))
        : markButton("archive", messageText("archive")),
      markButton("unseen", messageText("mark_unseen")),
      h(
        "button",
        {
          type: "button",
          class: "quiet",
          data: { act: "remove" },
          on: { click: () => confirmRemoval(() => run(remove)) },
        },
        messageText("remove"),
      ),
    ),
  );
}

/** @param {() => Promise<void>} remove */
function confirmRemoval(remove) {
  const sheet = getTools().openSheet(messageText("remove_sure"), [
    h("p", {}, messageText("remove_how")),
    h(
      "div",
      { class: "ms-actions" },
      h(
        "button",
        {
          type: "button",
          class: "primary bad",
          data: { act: "remove_yes" },
          on: {
            click: () => {
              sheet.close();
              void remove();
            },
          },
        },
        messageText("remove_yes"),
      ),
      h(
        "button",
        { type: "button", class: "secondary", on: { click: () => sheet.close() } },
        messageText("cancel"),
      ),
    ),
  ]);
}
