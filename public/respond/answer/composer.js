/** The answer form: text, notes, files, location and form values. Every change is saved as a draft on the device. */
import * as db from "../device-store.js";
import { byId, fill, h, icon } from "../ui/dom.js";
import { showError } from "./fields.js";
import { maybe, t } from "../ui/i18n.js";
import { hasSteppedBack, isEmpty, isEnded } from "../thread/messages.js";
import { prefs } from "../ui/preferences.js";
import { renderLocation } from "../thread/render-entries.js";
import { Tray } from "./attachment-tray.js";
import { getSpec, needsForm } from "./answer-fields.js";
import { AnswerForm } from "./answer-form.js";
import { isUnanswered, isUnchanged } from "./draft.js";
import { getRequest } from "../thread/render-request.js";
import { getName } from "../send/thread-store.js";

const SAVE_MS = 300;

export class Composer {
  /** @type {Place | undefined} */
  #place;
  #key = "";
  /** True once the person has written something, as opposed to the form's own defaults. */
  isTouched = false;
  /** True if the request asks for specific kinds of entries or values. */
  needsForm = false;
  /** The requestor's draft, while the person has not answered. @type {import("./draft.js").Draft | undefined} */
  #draft;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  #isRecording = false;
  /** Ends when the stored draft was read for `#key`. @type {Promise<void>} */
  #restored = Promise.resolve();
  #text = byId("answer-text", HTMLTextAreaElement);
  #notes = byId("answer-notes", HTMLTextAreaElement);

  /** @param {() => void} changed */
  constructor(changed) {
    this.onChange = changed;
    const moved = () => this.#changed();
    this.tray = new Tray(byId("tray", HTMLElement), moved, (words) => this.showError(words));
    this.form = new AnswerForm(byId("wanted-form", HTMLElement), {
      changed: moved,
      addPhotos: (spec, files) => void this.tray.add(files, spec),
      listPhotos: (key) =>
        this.tray.files.filter((one) => one.field === key).map(({ name }) => name),
    });
    for (const area of [this.#text, this.#notes])
      area.addEventListener("input", () => {
        grow(area);
        moved();
      });
    this.#buttons();
    this.#text.addEventListener("paste", ({ clipboardData }) => this.#takeDropped(clipboardData));
    document.addEventListener("dragover", (event) => event.preventDefault());
    document.addEventListener("drop", (event) => {
      event.preventDefault();
      this.#takeDropped(event.dataTransfer);
    });
    addEventListener("pagehide", () => void this.#save());
  }

  /** @param {DataTransfer | null} data */
  #takeDropped(data) {
    const files = [...(data?.files ?? [])];
    if (files.length > 0) void this.tray.add(files);
  }

  /** @param {string} words */
  showError(words) {
    showError(byId("answer-error", HTMLElement), words);
  }

  #buttons() {
    /** @param {string} id @param {(input: HTMLInputElement) => void} [before] */
    const picker = (id, before = () => {}) => {
      const input = byId(`pick-${id}`, HTMLInputElement);
      input.addEventListener("change", () => {
        const files = [...(input.files ?? [])];
        input.value = "";
        void this.tray.add(files);
      });
      byId(`add-${id}`, HTMLButtonElement).addEventListener("click", () => {
        before(input);
        input.click();
      });
    };
    picker("photos");
    picker("file");
    const touch = matchMedia("(pointer: coarse)").matches;
    // Phones open their camera app; on a desktop the page records.
    if (touch) picker("camera", (input) => input.setAttribute("capture", prefs.camera));
    else this.#recorder("camera", "photo");
    if (touch) picker("video", (input) => input.setAttribute("capture", prefs.camera));
    else this.#recorder("video", "video");
    this.#holdToRecord();
    byId("add-place", HTMLButtonElement).addEventListener("click", async () => {
      const { askLocation: askPlace } = await import("./location.js");
      askPlace((place) => {
        this.#place = place;
        this.#changed();
        this.#drawPlace();
      });
    });
  }

  /** @param {string} id @param {"video" | "photo"} what */
  #recorder(id, what) {
    byId(`add-${id}`, HTMLButtonElement).addEventListener("click", async () => {
      const { record } = await import("./recorder.js");
      record(what, (file) => void this.tray.add([file]));
    });
  }

  /** A tap or a key opens the recorder's sheet; holding the button records until it is released. */
  #holdToRecord() {
    const button = byId("add-voice", HTMLButtonElement);
    const load = () => import("./hold-to-record.js");
    button.addEventListener("pointerdown", async (press) => {
      const { watchPress } = await load();
      watchPress(button, press, {
        done: (file) => void this.tray.add([file]),
        reportError: (words) => this.showError(words),
        recording: (isRecording) => (this.#isRecording = isRecording),
      });
    });
    button.addEventListener("click", async () => {
      const [{ takeClick }, { record }] = await Promise.all([load(), import("./recorder.js")]);
      if (!takeClick()) record("audio", (file) => void this.tray.add([file]));
    });
  }

  #drawPlace() {
    const element = byId("answer-place", HTMLElement);
    const drop = () => {
      this.#place = undefined;
      this.#changed();
      this.#drawPlace();
    };
    element.hidden = this.#place === undefined;
    fill(
      element,
      this.#place && renderLocation({ ...this.#place }),
      this.#place &&
        h(
          "button",
          { type: "button", class: "round small", "aria-label": t("remove"), on: { click: drop } },
          icon("close"),
        ),
    );
  }

  /** Shows what the request asks for; resolves when the draft is restored. @param {string} key storage key of the thread @param {ThreadState} state */
  async open(key, state) {
    const spec = getSpec(getRequest(state));
    this.needsForm = needsForm(spec);
    this.#draft = isOpenFor(state) ? spec.draft : undefined;
    this.form.draw(spec.fields);
    this.#hideRepeatedQuestion(state);
    const kindNames = spec.kinds.map(({ kind, label }) => label || (maybe(`kind_${kind}`) ?? kind));
    const line = byId("wanted", HTMLElement);
    line.hidden = kindNames.length === 0;
    line.textContent = kindNames.length === 0 ? "" : t("wanted", { what: kindNames.join(" · ") });
    for (const [kind, ids] of Object.entries(BUTTONS)) {
      const isAsked = spec.kinds.some((one) => one.kind === kind);
      for (const id of ids) byId(`add-${id}`, HTMLButtonElement).classList.toggle("asked", isAsked);
    }
    this.#drawDraftNote(getName(state.envelope.requestor));
    if (this.#key !== key) {
      this.#key = key;
      this.#restored = this.#restoreAnswer(key);
    }
    await this.#restored;
  }

  /** A bare confirmation repeats the heading, which is still on screen if nothing is between the two. @param {ThreadState} state */
  #hideRepeatedQuestion(state) {
    const isNear = getRequest(state)["context"] === undefined;
    for (const legend of this.form.place.querySelectorAll("legend"))
      legend.classList.toggle("unseen", isNear && legend.textContent === state.envelope.intent);
  }

  /** @param {string} key */
  async #restoreAnswer(key) {
    /** @type {Answer | undefined} */
    const own = await db.get("drafts", key);
    if (this.isTouched) return;
    if (own) this.set(own);
    else this.#restoreDraft();
  }

  /** Fills in the requestor's draft. It is not the person's own text until they change it. */
  #restoreDraft() {
    if (!this.#draft) return;
    this.set({ ...this.#draft, notes: "", files: [] });
    clearTimeout(this.#timer);
    this.isTouched = false;
  }

  /** @param {string} name the requestor */
  #drawDraftNote(name) {
    const note = byId("drafted", HTMLElement);
    note.hidden = this.#draft === undefined;
    const restore = () => {
      this.#restoreDraft();
      void db.remove("drafts", this.#key);
      this.onChange();
    };
    fill(
      note,
      icon("approve"),
      h("span", {}, t("draft_by", { name })),
      this.draftState === "edited" &&
        h("button", { type: "button", class: "quiet", on: { click: restore } }, t("draft_restore")),
    );
    this.#redrawNote = () => this.#drawDraftNote(name);
  }

  #redrawNote = () => {};

  /** Whether the answer is still the requestor's draft; undefined if there is none. @returns {"unchanged" | "edited" | undefined} */
  get draftState() {
    if (!this.#draft) return undefined;
    return isUnchanged(this.#draft, this.answer()) ? "unchanged" : "edited";
  }

  /** @returns {Answer} */
  answer() {
    return {
      text: this.#text.value,
      notes: this.#notes.value,
      files: [...this.tray.files],
      ...(this.#place ? { place: this.#place } : {}),
      values: this.form.values(),
    };
  }

  get fields() {
    return this.form.fields;
  }

  /** True if the form asks for values, so that the free text is only an addition. */
  get hasQuestions() {
    return this.fields.length > 0 && this.#draft === undefined;
  }

  /** Why the answer cannot be sent; empty if it can. @returns {string} */
  problem() {
    if (this.#isRecording) return t("still_recording");
    if (this.tray.isBusy) return t("still_preparing");
    // A free text may also say why the form cannot be filled in; an addition needs no form again.
    const { text, values } = this.answer();
    const isAddition = document.body.classList.contains("adding");
    if ((isAddition || text.trim() !== "") && Object.keys(values).length === 0) return "";
    const field = this.form.check();
    return field === undefined ? "" : t("field_wrong", { field });
  }

  /** @param {Answer} answer */
  set({ text, notes, files, place, values }) {
    this.#text.value = text;
    this.#notes.value = notes;
    if (notes !== "") byId("notes-box", HTMLDetailsElement).open = true;
    this.tray.set([...files]);
    this.#place = place;
    this.form.set(values);
    grow(this.#text);
    grow(this.#notes);
    this.#drawPlace();
    this.#changed();
  }

  clear() {
    this.set({ text: "", notes: "", files: [], values: {} });
    this.showError("");
    byId("notes-box", HTMLDetailsElement).open = false;
    clearTimeout(this.#timer);
    void this.#save();
    this.isTouched = false;
  }

  /** Puts an unsent answer back into the form, before what was written since. @param {Answer} answer */
  putBack(answer) {
    const now = this.answer();
    const joined = (/** @type {string} */ a, /** @type {string} */ b) =>
      [b, a].filter(Boolean).join("\n\n");
    this.set({
      text: joined(now.text, answer.text),
      notes: joined(now.notes, answer.notes),
      files: [...answer.files, ...now.files],
      ...((now.place ?? answer.place) ? { place: now.place ?? answer.place } : {}),
      values: { ...answer.values, ...now.values },
    });
  }

  #changed() {
    this.isTouched = true;
    this.onChange();
    if (this.#draft) this.#redrawNote();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#save(), SAVE_MS);
  }

  /** Stores the draft at once. @returns {Promise<boolean>} false if the device could not store it */
  async save() {
    clearTimeout(this.#timer);
    return await this.#save();
  }

  async #save() {
    if (this.#key === "" || !this.isTouched) return true;
    const answer = this.answer();
    if (isEmpty(answer)) await db.remove("drafts", this.#key);
    else if (!(await db.put("drafts", this.#key, answer))) {
      this.showError(t("not_kept"));
      return false;
    }
    return true;
  }
}

/** @param {ThreadState} state */
const isOpenFor = (state) =>
  !isEnded(state.envelope.status) && !hasSteppedBack(state) && isUnanswered(state);

/** The buttons that add each kind of entry. @type {Record<string, string[]>} */
const BUTTONS = {
  image: ["camera", "photos"],
  audio: ["voice"],
  video: ["video"],
  file: ["file"],
  location: ["place"],
};

/** Fits the height to the text, in browsers without `field-sizing`. @param {HTMLTextAreaElement} area */
function grow(area) {
  if (CSS.supports("field-sizing", "content")) return;
  area.style.height = "auto";
  area.style.height = `${area.scrollHeight + 2}px`;
}
