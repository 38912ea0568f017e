/** One message: its text, why it was sorted so, and its drafts. A draft without a message is shown the same way. */
import { arrange, fill, h } from "../../respond/ui/dom.js";
import { change, get, getMessagePath } from "./api.js";
import { createDraftCard } from "./draft-card.js";
import { buildDraftEditor } from "./draft-editor.js";
import { buildBack, LIST_HASH } from "./hash.js";
import { loadMessage } from "./message-store.js";
import { buildFiles, buildHead, buildWhy } from "./message-parts.js";
import { buildMessageActions } from "./message-actions.js";
import { buildLinks, buildText } from "./plain-text.js";
import { drawStateBanner } from "./state-banner.js";
import { getTools, messageText } from "./texts.js";

/**
 * @param {HTMLElement} place
 * @param {import("./hash.js").MessagePlace} message
 * @param {() => readonly MessageHousehold[]} getHouseholds
 */
export function openMessage(place, message, getHouseholds) {
  const { session, source, id } = message;
  const isDraft = id.startsWith("d_");
  /** @type {{ message?: MessageResponse["message"], drafts: MessageResponse["drafts"], can_send: boolean, isStored: boolean } | undefined} */
  let loaded;
  /** @type {unknown} */
  let problem;
  let isClosed = false;
  let isWhole = false;
  let isReplying = false;
  /** One key for each text of a reply, so that a repeated attempt writes one draft. */
  let replyKey = crypto.randomUUID();
  let drawn = "";
  /** @type {Map<string, ReturnType<typeof createDraftCard>>} */
  const cards = new Map();

  const household = () => getHouseholds().find((one) => one.session === session);
  const state = h("div", { role: "status" });
  const body = h("div", { class: "ms-message" });
  const drafts = h("div", { class: "ms-drafts" });
  const reply = h("div");
  const actions = h("div");

  async function load() {
    if (!isDraft) return await loadMessage(message);
    const draft = await get(`/sources/${source}/drafts/${id}`, session);
    return { drafts: [draft], can_send: true, isStored: false };
  }

  async function reload() {
    try {
      loaded = await load();
      problem = undefined;
    } catch (error) {
      problem = error;
      if (/** @type {{ status?: number }} */ (error).status === 404) loaded = undefined;
    }
    if (isClosed) return;
    draw();
    if (loaded?.message?.seen === false && !loaded.isStored) {
      loaded.message.seen = true;
      await mark("seen").catch(() => {});
    }
  }

  /** @param {MessageMark} name */
  const mark = (name) => change("POST", `${getMessagePath(message)}/mark`, session, { mark: name });

  /** @param {MessageTier} tier */
  const correct = (tier) => change("POST", `${getMessagePath(message)}/correct`, session, { tier });

  function draw() {
    drawStateBanner(state, problem, loaded?.isStored, reload);
    const shown = loaded?.message;
    const sign = JSON.stringify([shown, isWhole, getTools().currentLanguage()]);
    if (sign !== drawn) {
      drawn = sign;
      fill(
        body,
        buildBack(LIST_HASH, messageText("back_to_list")),
        ...(shown ? buildMessage(shown) : [buildTitle()]),
      );
      fill(actions, shown && buildMessageActions(shown, { mark, remove, reload }));
    }
    drawDrafts();
    drawReply();
  }

  const buildTitle = () =>
    h("h2", { id: "messages-title" }, messageText(isDraft ? "draft_new" : "title"));

  /** @param {MessageResponse["message"]} shown */
  const buildMessage = (shown) => [
    ...buildHead(shown, household()?.sources.find((one) => one.source === source)?.title ?? source),
    buildText(shown.body, isWhole, () => {
      isWhole = true;
      draw();
      /** @type {HTMLElement | null} */ (body.querySelector(".ms-text"))?.focus();
    }),
    buildLinks(shown.body),
    buildFiles(shown, session),
    buildWhy(shown, { correct, reload }),
  ];

  function drawDrafts() {
    for (const draft of loaded?.drafts ?? []) {
      const card = cards.get(draft.id) ?? createDraftCard(session, household()?.me, reload);
      cards.set(draft.id, card);
      card.update(draft);
    }
    arrange(
      drafts,
      [...cards.values()].map(({ element }) => element),
    );
  }

  function drawReply() {
    if (isReplying) return;
    const shown = loaded?.message;
    const isOpen = loaded?.drafts.some(({ state: one }) => !["sent", "discarded"].includes(one));
    if (!shown || !loaded?.can_send || isOpen) return fill(reply);
    if (reply.firstElementChild?.getAttribute("lang") === getTools().currentLanguage()) return;
    fill(
      reply,
      h(
        "button",
        {
          type: "button",
          class: "secondary wide",
          lang: getTools().currentLanguage(),
          data: { act: "reply" },
          on: { click: startReply },
        },
        messageText("reply"),
      ),
    );
  }

  function startReply() {
    isReplying = true;
    const end = () => {
      isReplying = false;
      fill(reply);
      drawReply();
    };
    const editor = buildDraftEditor(
      {},
      {
        cancel: end,
        save: async (fields) => {
          const path = `/sources/${source}/drafts`;
          await change("POST", path, session, { message: id, ...fields }, replyKey);
          replyKey = crypto.randomUUID();
          end();
          await reload();
          getTools().announce(messageText("saved"));
          const approve = drafts.querySelector('[data-act="approve"]');
          /** @type {HTMLElement | null} */ (approve)?.focus();
        },
      },
    );
    editor.element.addEventListener("input", () => (replyKey = crypto.randomUUID()));
    fill(reply, editor.element);
    editor.focus();
  }

  async function remove() {
    await change("DELETE", getMessagePath(message), session);
    await getTools().db.remove("inbox", `message ${session}/${source}/${id}`);
    getTools().announce(messageText("removed"));
    location.hash = LIST_HASH;
  }

  fill(place, body, state, drafts, reply, actions);
  draw();
  void reload();
  return {
    redraw: draw,
    reload,
    close: () => {
      isClosed = true;
      for (const card of cards.values()) card.close();
    },
  };
}
