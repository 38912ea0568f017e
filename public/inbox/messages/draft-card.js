/**
 * One draft: its recipients and text exactly as they would be sent, and what an owner may do with it. An approval names
 * the digest of the shown revision, so that nothing else can be sent by it.
 */
import { fill, h, icon, newId } from "../../respond/ui/dom.js";
import { change, getApprovalPath, getDraftPath, hasCode } from "./api.js";
import { buildDraftEditor } from "./draft-editor.js";
import { buildStateChip, getAuthorName } from "./rows.js";
import { getFailureText, getTools, messageText } from "./texts.js";
import { buildUndoBar, MAX_COUNTDOWN_MS } from "./undo-bar.js";

/** @typedef {import("../../../src/contracts/sources.ts").DraftView} Draft */

/** A text that has just changed under the finger cannot be approved for this long. */
const READ_MS = 1_500;

/**
 * @param {string} session @param {string | undefined} me id of the owner
 * @param {() => Promise<void>} reload loads the message with its drafts again, and calls `update`
 */
export function createDraftCard(session, me, reload) {
  /** @type {Draft | undefined} */
  let draft;
  /** @type {"read" | "edit" | "later"} */
  let mode = "read";
  let isChanged = false;
  let changedAt = 0;
  let isBusy = false;
  /** @type {string | undefined} */
  let problem;
  /** @type {ReturnType<typeof buildUndoBar> | undefined} */
  let bar;
  let drawn = "";
  const element = h("section", { class: "ms-draft" });

  /** @param {Draft} next */
  function update(next) {
    const before = draft;
    draft = next;
    const isOther = before !== undefined && before.digest !== next.digest;
    if (isOther && !isBusy) {
      isChanged = true;
      changedAt = Date.now();
    }
    if (before?.state === "approved" && next.state === "sent")
      getTools().announce(messageText("sent_now"));
    if (before?.state === "approved" && next.state === "failed")
      getTools().announce(`${messageText("not_sent")}. ${next.note ?? ""}`);
    // The owner's unsaved text stays; when it is saved, the server reports the change.
    if (mode === "edit" && before !== undefined) return;
    draw();
  }

  /** @param {() => Promise<Draft | void>} work */
  async function run(work) {
    if (isBusy || !draft) return;
    isBusy = true;
    problem = undefined;
    try {
      const next = await work();
      if (next) {
        isChanged = false;
        update(next);
      }
    } catch (error) {
      if (hasCode(error, "draft_changed") || hasCode(error, "draft_finished")) {
        isBusy = false;
        await reload();
      } else problem = getFailureText(error);
    } finally {
      isBusy = false;
      draw();
    }
  }

  /** @param {string} [sendAt] */
  const approve = async (sendAt) => {
    if (Date.now() - changedAt < READ_MS) return;
    await run(async () => {
      const { digest } = /** @type {Draft} */ (draft);
      mode = "read";
      return await change("POST", `${approvalPath()}/approve`, session, {
        digest,
        ...(sendAt ? { send_at: sendAt } : {}),
      });
    });
    if (!bar) return;
    bar.focus();
    const n = getTools().formatNumber(bar.getSeconds());
    getTools().announce(messageText("undo_hint", { n }));
  };

  const undo = async () => {
    await run(async () => await change("POST", `${approvalPath()}/undo`, session, {}));
    if (draft?.state !== "draft") return getTools().announce(messageText("undo_late"));
    getTools().announce(messageText("undone"));
    focusAct("approve");
  };

  const discard = async () => {
    await run(async () => await change("DELETE", path(), session));
    if (draft?.state !== "discarded") return;
    getTools().announce(messageText("discarded"));
    await reload();
  };

  /** A failed draft gets a new revision with the same text, which the owner approves like any other. */
  const prepareAgain = () =>
    run(async () => {
      const { revision, body } = /** @type {Draft} */ (draft);
      return await change("PATCH", path(), session, { body, revision });
    });

  const path = () => getDraftPath(/** @type {Draft} */ (draft));
  const approvalPath = () => getApprovalPath(/** @type {Draft} */ (draft));

  /** @param {"read" | "edit" | "later"} next */
  function setMode(next) {
    mode = next;
    problem = undefined;
    draw();
  }

  const focusAct = (/** @type {string} */ act) =>
    /** @type {HTMLElement | null} */ (element.querySelector(`[data-act="${act}"]`))?.focus();

  function draw() {
    if (!draft) return;
    const sign = JSON.stringify([draft, mode, isChanged, problem, getTools().currentLanguage()]);
    if (sign === drawn) return;
    drawn = sign;
    const hadFocus = element.contains(document.activeElement);
    const act = /** @type {HTMLElement | null} */ (document.activeElement)?.dataset["act"];
    bar?.close();
    bar = undefined;
    const id = newId();
    element.setAttribute("aria-labelledby", id);
    element.dataset["state"] = draft.state;
    element.hidden = draft.state === "discarded";
    fill(
      element,
      h(
        "div",
        { class: "ms-draft-head" },
        h("h3", { id }, getAuthorName(draft.author, me)),
        draft.state !== "draft" && buildStateChip(draft),
      ),
      h(
        "div",
        { role: "alert" },
        isChanged && h("p", { class: "banner warn" }, messageText("changed")),
        problem && h("p", { class: "field-error" }, problem),
      ),
      draft.note && h("p", { class: "banner warn", dir: "auto" }, draft.note),
      mode === "edit" ? buildEditor(draft) : buildContent(draft),
    );
    if (mode !== "edit") element.append(...buildActions(draft));
    if (hadFocus && act) focusAct(act);
  }

  /** @param {Draft} shown */
  function buildEditor(shown) {
    const { revision, to, subject = "", body } = shown;
    const editor = buildDraftEditor(
      { to, subject, body },
      {
        cancel: () => {
          setMode("read");
          focusAct("edit");
        },
        save: async (fields) => {
          const next = await change("PATCH", path(), session, { ...fields, revision });
          mode = "read";
          isChanged = false;
          changedAt = 0;
          draft = undefined;
          update(next);
          getTools().announce(messageText("saved"));
          focusAct("approve");
        },
        onOutcome: (error) => {
          if (!hasCode(error, "draft_changed") && !hasCode(error, "draft_finished")) return false;
          mode = "read";
          void reload();
          return true;
        },
      },
    );
    queueMicrotask(editor.focus);
    return editor.element;
  }

  /** @param {Draft} shown @returns {HTMLElement[]} */
  function buildActions({ state, send_at: at = "" }) {
    if (state === "approved") {
      if (Date.parse(at) - getTools().now() < MAX_COUNTDOWN_MS) {
        bar = buildUndoBar(at, { undo: () => void undo(), poll: reload });
        return [bar.element];
      }
      return [actions(button("secondary", "undo", messageText("dont_send"), undo))];
    }
    if (state === "failed")
      return [
        actions(
          button("primary", "retry", messageText("retry"), prepareAgain),
          button("secondary", "edit", messageText("edit"), () => setMode("edit")),
          button("quiet", "discard", messageText("discard"), discard),
        ),
      ];
    if (state !== "draft" && state !== "approval_requested") return [];
    if (mode === "later") return [buildLater()];
    return [
      actions(
        button("primary", "approve", messageText("approve"), () => approve(), icon("send")),
        button("secondary", "edit", messageText("edit"), () => setMode("edit")),
        button("secondary", "later", messageText("later"), () => {
          setMode("later");
          element.querySelector("input")?.focus();
        }),
        button("quiet", "discard", messageText("discard"), discard),
      ),
    ];
  }

  function buildLater() {
    const id = newId();
    const wrong = h("div", { role: "alert" });
    const input = h("input", {
      id,
      type: "datetime-local",
      value: toLocal(Date.now() + 3_600_000),
    });
    const submit = () => {
      const instant = new Date(input.value);
      if (!(instant.getTime() > getTools().now())) {
        fill(wrong, h("p", { class: "field-error" }, messageText("past")));
        return input.focus();
      }
      void approve(instant.toISOString());
    };
    return h(
      "form",
      {
        class: "stack",
        on: {
          submit: (/** @type {SubmitEvent} */ event) => {
            event.preventDefault();
            submit();
          },
        },
      },
      h("div", { class: "field" }, h("label", { for: id }, messageText("send_at")), input, wrong),
      actions(
        h("button", { type: "submit", class: "primary" }, messageText("schedule")),
        button("secondary", "cancel", messageText("cancel"), () => {
          setMode("read");
          focusAct("later");
        }),
      ),
    );
  }

  return { element, update, draw, close: () => bar?.close() };
}

/** @param {...HTMLElement} buttons */
const actions = (...buttons) => h("div", { class: "ms-actions" }, ...buttons);

/** @param {string} kind @param {string} act @param {string} label @param {() => unknown} click @param {SVGElement} [mark] */
const button = (kind, act, label, click, mark) =>
  h(
    "button",
    { type: "button", class: kind, data: { act }, on: { click: () => void click() } },
    mark,
    h("span", {}, label),
  );

/** The value of a `datetime-local` input. @param {number} instant */
const toLocal = (instant) => {
  const date = new Date(instant);
  return new Date(instant - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
};

/** Everything that is sent, uncut. @param {Draft} draft */
const buildContent = ({ to, subject, body, attachments }) =>
  h(
    "div",
    { class: "ms-content" },
    h(
      "dl",
      { class: "ms-fields" },
      h("dt", {}, messageText("to")),
      h("dd", {}, ...to.map((one) => h("bdi", { class: "ms-address" }, one))),
      subject !== undefined && [
        h("dt", {}, messageText("subject")),
        h("dd", { dir: "auto" }, subject),
      ],
    ),
    h("p", { class: "ms-text", dir: "auto" }, body),
    attachments.length > 0 &&
      h(
        "ul",
        { class: "ms-files" },
        ...attachments.map(({ name, size }) =>
          h(
            "li",
            {},
            h("bdi", {}, name),
            " ",
            h("span", { class: "faint" }, getTools().size(size)),
          ),
        ),
      ),
  );
