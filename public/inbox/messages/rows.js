/** Rows of the list. Texts of strangers are shown as text, never as markup. */
import { h, icon } from "../../respond/ui/dom.js";
import { getHash } from "./hash.js";
import { getKey } from "./message-store.js";
import { getAutomaticName, getTierName, getTools, messageText } from "./texts.js";

const TIER_CLASSES = { NOTIFY: "bad", DEFER: "", DECLINE: "", IGNORE: "" };

/** @param {Pick<Partial<MessageFields>, "tier" | "provisional">} message */
export const buildTierChips = ({ tier, provisional }) => [
  h("span", { class: `chip ${tier ? TIER_CLASSES[tier] : ""}` }, getTierName(tier)),
  provisional && h("span", { class: "chip warn" }, messageText("provisional")),
];

/** @param {ListedMessage} message @param {string | undefined} sourceName shown if there are several */
export function buildMessageRow(message, sourceName) {
  const { sender, sender_name: name, subject, excerpt, received, seen = true, reason } = message;
  const { flagged, provisional, attachments = 0, status, draft, automatic } = message;
  return h(
    "li",
    { class: seen ? "row-card" : "row-card new", data: { key: getKey(message) } },
    h(
      "div",
      { class: "row-text" },
      h(
        "p",
        { class: "ms-sender" },
        !seen && h("span", { class: "unseen" }, `${messageText("new")}: `),
        h("bdi", {}, name ?? sender),
        h("time", { class: "faint", datetime: received }, getTools().clock(received)),
      ),
      h(
        "a",
        { class: "row-link", dir: "auto", href: getHash(message, message.id) },
        subject ?? messageText("no_subject"),
      ),
      excerpt !== "" && h("p", { class: "preview", dir: "auto" }, excerpt),
      h(
        "p",
        { class: "row-meta faint" },
        ...buildTierChips(message),
        flagged && h("span", { class: "chip warn" }, messageText("flagged")),
        status === "sent" && h("span", { class: "chip good" }, messageText("answered")),
        status === "archived" && h("span", { class: "chip" }, messageText("archived")),
        draft !== undefined &&
          status === "drafted" &&
          h("span", { class: "chip" }, messageText("has_draft")),
        automatic && h("span", { class: "chip" }, getAutomaticName(automatic)),
        attachments > 0 &&
          h(
            "span",
            { class: "chip" },
            icon("file"),
            messageText("files", { n: getTools().formatNumber(attachments) }),
          ),
        sourceName !== undefined && h("bdi", {}, sourceName),
      ),
      reason !== undefined &&
        !provisional &&
        h("p", { class: "faint ms-reason", dir: "auto" }, reason),
    ),
  );
}

/** @param {MessageDraft} draft */
export function buildDraftRow(draft) {
  const { source, session, id, message, to, subject, body, updated } = draft;
  return h(
    "li",
    { class: "row-card", data: { key: `${session}/${source}/${id}` } },
    h(
      "div",
      { class: "row-text" },
      h(
        "p",
        { class: "ms-sender" },
        h("span", {}, `${messageText("to")}: `, h("bdi", {}, to.join(", "))),
        h("time", { class: "faint", datetime: updated }, getTools().clock(updated)),
      ),
      h(
        "a",
        { class: "row-link", dir: "auto", href: getHash(draft, message ?? id) },
        subject ?? messageText("no_subject"),
      ),
      h("p", { class: "preview", dir: "auto" }, body),
      h("p", { class: "row-meta faint" }, buildStateChip(draft)),
    ),
  );
}

/** @param {import("../../../src/contracts/sources.ts").DraftView} draft */
export function buildStateChip({ state, send_at: at = "", sent_at: sent = "", author }) {
  const { clock } = getTools();
  if (state === "approval_requested")
    return h("span", { class: "chip warn" }, messageText("asked"));
  if (state === "approved")
    return h("span", { class: "chip" }, messageText("scheduled", { time: clock(at) }));
  if (state === "sent")
    return h("span", { class: "chip good" }, messageText("sent", { time: clock(sent) }));
  if (state === "failed") return h("span", { class: "chip bad" }, messageText("not_sent"));
  return h("span", { class: "chip" }, getAuthorName(author, undefined));
}

/** @param {string} author @param {string | undefined} me */
export const getAuthorName = (author, me) =>
  author === "watcher"
    ? messageText("draft_watcher")
    : author === me
      ? messageText("draft_mine")
      : messageText("draft_by", { name: author });
