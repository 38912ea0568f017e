/** Shows an answer that can no longer be sent, so that its text and files can be copied. */
import { h } from "../ui/dom.js";
import { t } from "../ui/i18n.js";
import { isEmpty } from "../thread/messages.js";

/** @param {{ [key: string]: Json }} values */
const describeValues = (values) =>
  Object.entries(values).map(([key, value]) => `${key}: ${String(value)}`);

/**
 * @param {readonly (Answer | undefined)[]} answers
 * @returns {HTMLElement | undefined} undefined if there is nothing to keep
 */
export function renderUnsentAnswers(answers) {
  const kept = answers.filter((answer) => answer !== undefined && !isEmpty(answer));
  if (kept.length === 0) return undefined;
  const text = kept
    .flatMap((answer) => [answer?.text, ...describeValues(answer?.values ?? {}), answer?.notes])
    .filter(Boolean)
    .join("\n\n");
  const files = kept.flatMap((answer) => answer?.files ?? []);
  return h(
    "section",
    { class: "card kept" },
    h("h2", {}, t("your_words")),
    h("p", { class: "faint" }, t("kept_text")),
    text !== "" && h("p", { class: "prose", dir: "auto" }, text),
    ...files.map(({ name, blob }) =>
      h("a", { class: "filelink", href: URL.createObjectURL(blob), download: name }, name),
    ),
    text !== "" &&
      h(
        "button",
        {
          type: "button",
          class: "quiet",
          on: { click: () => void navigator.clipboard?.writeText(text) },
        },
        t("copy"),
      ),
  );
}
