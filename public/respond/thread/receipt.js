/** Shows what was sent: the choices, text, location and pictures, in the tone of what happened. */
import { actLabel } from "./action-bar.js";
import { getSpec } from "../answer/answer-fields.js";
import { getVerdict, toAction, isFinal } from "./messages.js";
import { h, icon } from "../ui/dom.js";
import { t } from "../ui/i18n.js";
import { now } from "../ui/server-clock.js";
import { prose, renderLocation } from "./render-entries.js";
import { toText } from "./render-json.js";
import { getRequest } from "./render-request.js";
import { nameField, renderBlock } from "./render-thread.js";
import { getName, state } from "../send/thread-store.js";
import { clock } from "../ui/time-format.js";

/** @param {QueueItem} item */
export function actionName({ act, answer, blocks }) {
  const verdict = getVerdict(blocks);
  if (verdict) return t(`act_${verdict}`);
  const named = toAction(act);
  return named ? actLabel(named, answer !== undefined) : act;
}

/** Object URLs of pictures, by file id: the outbox is drawn often. @type {Map<string, string>} */
const pictures = new Map();

/** @param {LocalFile} file */
function getPictureUrl({ id, blob }) {
  const url = pictures.get(id) ?? URL.createObjectURL(blob);
  pictures.set(id, url);
  return url;
}

/** @param {{ [key: string]: Json }} values */
function renderValues(values) {
  const thread = state();
  const fields = thread ? getSpec(getRequest(thread)).fields : [];
  const rows = Object.entries(values).flatMap(([key, value]) => [
    h("dt", { dir: "auto" }, nameField(fields, key)),
    h("dd", { dir: "auto" }, [value].flat().map(toText).join(", ")),
  ]);
  return rows.length > 0 && h("dl", { class: "sent-values" }, ...rows);
}

/** The values that the person entered for the action, such as an estimate, or a question with its options. @param {QueueItem} item */
const renderDetails = ({ blocks }) =>
  blocks
    .filter((block) => "status" in block || "suggestion" in block)
    .flatMap((block) => renderBlock(block))
    .filter((part) => !part.classList.contains("event"));

/** @param {QueueItem} item */
export function renderSummary(item) {
  const { answer } = item;
  const details = renderDetails(item);
  if (!answer) return details.length > 0 && h("div", { class: "stack summary brief" }, ...details);
  const shown = answer.files.filter(({ kind, blob }) => kind === "image" && blob.size > 0);
  const named = answer.files.filter((file) => !shown.includes(file)).map(({ name }) => name);
  return h(
    "div",
    { class: "stack summary" },
    ...details,
    renderValues(answer.values),
    answer.text !== "" && prose(answer.text),
    answer.notes !== "" && prose(answer.notes),
    answer.place && renderLocation({ ...answer.place }),
    shown.length > 0 &&
      h(
        "div",
        { class: "thumbnails" },
        ...shown.map((file) => h("img", { src: getPictureUrl(file), alt: file.name })),
      ),
    named.length > 0 && h("p", { class: "faint" }, named.join(", ")),
  );
}

/** Headline of the receipt of an action that ends the task for this person. @param {QueueItem} item @param {string} name */
function getHeadline({ act, blocks }, name) {
  if (act === "completed") return t("all_done", { name });
  if (act === "reject") return t("sent_rejected");
  if (act === "decline") return t("sent_declined");
  if (act === "failed") return t("sent_failed");
  const status = blocks.map((block) => block["status"]).find(Boolean);
  const to = /** @type {JsonMap | undefined} */ (status)?.["delegated_to"];
  return t("sent_delegated", { name: getName(String(to ?? "")) });
}

/** Times of messages are in seconds, and small differences of the clocks are ignored. */
const CLOCK_TOLERANCE_MS = 3_000;

/**
 * The messages from this one on, without those of the exchange; empty while the thread shown does not list it yet.
 * @param {QueueItem} item
 */
function getMessagesSince({ created }) {
  const thread = state();
  const earliest = created + now() - Date.now() - CLOCK_TOLERANCE_MS;
  const said = (thread?.messages ?? []).filter(
    ({ from, MESS }) => from !== "exchange" && MESS.some((block) => !("ack" in block)),
  );
  const index = said.findLastIndex(
    ({ from, received }) => from === thread?.me.executor && Date.parse(received) >= earliest,
  );
  return index === -1 ? [] : said.slice(index);
}

/** True if someone else has written since. @param {QueueItem} item */
const isAnswered = (item) => getMessagesSince(item).length > 1;

/** The receipt of a sent item; undefined once someone else has written since. @param {QueueItem} item */
export function renderReceipt(item) {
  if (isAnswered(item)) return undefined;
  // The messages above show the contents already.
  const isListed = getMessagesSince(item).length > 0;
  const name = getName(state()?.envelope.requestor ?? "");
  const at = clock(item.sent_at ?? item.created);
  const row = (/** @type {string} */ kind, /** @type {(Node | string | false)[]} */ children) =>
    h("div", { class: `send ${kind}`, data: { item: item.id, state: "sent" } }, ...children);
  if (!isFinal(item.act))
    return row("good", [
      h("p", {}, icon("check"), h("strong", {}, t("arrived", { at, name }))),
      !isListed &&
        !["respond", "followup"].includes(item.act) &&
        h("p", { class: "faint" }, actionName(item)),
      !isListed && renderSummary(item),
    ]);
  const done = item.act === "completed";
  const mark = done ? "check" : item.act === "delegate" ? "forward" : "ban";
  return row(done ? "good hero" : "calm hero", [
    h("span", { class: done ? "big-check" : "big-mark" }, icon(mark)),
    h("p", { class: "title" }, getHeadline(item, name)),
    h("p", { class: "faint" }, t("arrived_at", { at })),
    !isListed && renderSummary(item),
  ]);
}
