/** The list of files to send with the answer: preview, order, remove. */
import { announce } from "../ui/accessibility.js";
import { fill, h, icon, newId } from "../ui/dom.js";
import { t } from "../ui/i18n.js";
import { prefs } from "../ui/preferences.js";
import { size } from "../ui/time-format.js";
import { MAX_BYTES, MAX_FILES } from "./upload.js";

const MAX_LABEL_CHARS = 60;

export class Tray {
  /** @type {LocalFile[]} */
  files = [];
  /** @type {Map<string, string>} */
  #previews = new Map();
  /** The photos as they were chosen, with the last edit. @type {Map<string, { blob: Blob, edit?: PhotoEdit | undefined }>} */
  #originals = new Map();
  #busy = 0;

  /**
   * @param {HTMLElement} place
   * @param {() => void} changed
   * @param {(words: string) => void} reportError
   */
  constructor(place, changed, reportError) {
    this.place = place;
    this.changed = changed;
    this.reportError = reportError;
  }

  /** @param {LocalFile[]} files */
  set(files) {
    this.files = files;
    this.#draw();
  }

  /** True while photos are being resized. */
  get isBusy() {
    return this.#busy > 0;
  }

  /**
   * @param {readonly File[]} added
   * @param {FieldSpec} [field] the form field that asked for them
   * @returns {Promise<File[]>} the files that were not added
   */
  async add(added, field) {
    this.reportError("");
    /** @type {File[]} */
    const left = [];
    for (const [index, file] of added.entries()) {
      if (this.files.length + this.#busy >= MAX_FILES) {
        this.reportError(t("too_many_files", { n: MAX_FILES }));
        return [...left, ...added.slice(index)];
      }
      const isTaken = await this.#check(file, field);
      if (!isTaken) left.push(file);
    }
    return left;
  }

  /** @param {File} file @param {FieldSpec} [field] @returns {Promise<boolean>} whether it was added */
  async #check(file, field) {
    if (file.size > 0 && file.size <= MAX_BYTES) return await this.#take(file, field);
    this.reportError(
      file.size === 0
        ? t("file_empty", { name: file.name })
        : t("file_too_large", { name: file.name, size: size(MAX_BYTES) }),
    );
    return false;
  }

  /** @param {File} file @param {FieldSpec} [field] @returns {Promise<boolean>} whether it was added */
  async #take(file, field) {
    this.#busy++;
    this.#draw();
    try {
      const { getMediaKind: kindOf, renameFile: renamed } = await import("./photo-resize.js");
      const kind = kindOf(file.type);
      const photo = kind === "image" || /\.(heic|heif)$/i.test(file.name);
      const { blob, redrawn } = await copyBytes(file, photo);
      const mime = blob.type || "application/octet-stream";
      const id = newId();
      if (photo) this.#originals.set(id, { blob: file });
      this.files.push({
        id,
        kind: photo ? "image" : kind,
        name: nameFor(field, redrawn ? renamed(file.name, mime) : file.name || t("file")),
        ...(field ? { field: field.key } : {}),
        mime,
        size: blob.size,
        blob,
      });
      announce(t("file_added", { name: file.name }));
      if (photo && !redrawn && !prefs.keepLocation)
        this.reportError(t("photo_as_is", { name: file.name }));
      return true;
    } catch {
      this.reportError(t("file_unreadable", { name: file.name }));
      return false;
    } finally {
      this.#busy--;
      this.#draw();
      this.changed();
    }
  }

  /** @param {number} from @param {number} to */
  #move(from, to) {
    const [file] = this.files.splice(from, 1);
    if (!file) return;
    this.files.splice(to, 0, file);
    this.#draw();
    this.changed();
    announce(t("file_moved", { name: file.name, n: to + 1 }));
    const buttons = this.place.children[to]?.querySelectorAll("button");
    const again = [...(buttons ?? [])].find((button) => !button.disabled);
    again?.focus();
  }

  /** @param {LocalFile} file */
  #drop(file) {
    this.files = this.files.filter((one) => one !== file);
    this.#draw();
    this.changed();
    announce(t("file_removed", { name: file.name }));
  }

  /** Opens the chosen photo, or the smaller copy if the browser can no longer read it. @param {LocalFile} file */
  async #edit(file) {
    const { openPhotoEditor } = await import("./edit-photo.js");
    const copy = { blob: file.blob, edit: undefined };
    for (const { blob, edit } of [this.#originals.get(file.id) ?? copy, copy])
      try {
        return await openPhotoEditor(blob, edit, (next) => this.#replace(file, blob, next));
      } catch {
        // The smaller copy may still be readable.
      }
    this.reportError(t("file_unreadable", { name: file.name }));
  }

  /** @param {LocalFile} file @param {Blob} original @param {PhotoEdit} edit */
  async #replace(file, original, edit) {
    const { renameFile } = await import("./photo-resize.js");
    const { blob, redrawn } = await copyBytes(original, true, edit);
    const { kind, field } = file;
    // A new id, since the bytes of the old one may have been uploaded already.
    /** @type {LocalFile} */
    const edited = {
      id: newId(),
      kind,
      name: redrawn ? renameFile(file.name, blob.type) : file.name,
      ...(field === undefined ? {} : { field }),
      mime: blob.type,
      size: blob.size,
      blob,
    };
    this.#originals.set(edited.id, { blob: original, edit });
    this.files = this.files.map((one) => (one.id === file.id ? edited : one));
    this.#draw();
    this.changed();
    announce(t("photo_changed", { name: edited.name }));
    return this.place.children[this.files.indexOf(edited)]?.querySelector("button");
  }

  /** @param {LocalFile} file */
  #preview(file) {
    const known = this.#previews.get(file.id) ?? URL.createObjectURL(file.blob);
    this.#previews.set(file.id, known);
    return known;
  }

  #draw() {
    for (const [id, url] of this.#previews)
      if (!this.files.some((file) => file.id === id)) {
        URL.revokeObjectURL(url);
        this.#previews.delete(id);
        this.#originals.delete(id);
      }
    const rows = this.files.map((file, index) => this.#row(file, index));
    const busy = this.#busy > 0 && h("li", { class: "tile busy" }, h("span", {}, t("preparing")));
    fill(this.place, ...rows, busy);
    this.place.hidden = rows.length === 0 && !busy;
  }

  /** @param {LocalFile} file @param {number} index */
  #row(file, index) {
    const button = (
      /** @type {import("../ui/dom.js").Icon} */ name,
      /** @type {string} */ label,
      /** @type {() => void} */ act,
      disabled = false,
    ) =>
      h(
        "button",
        {
          type: "button",
          class: "round small",
          "aria-label": `${label}: ${file.name}`,
          disabled,
          on: { click: act },
        },
        icon(name),
      );
    const several = this.files.length > 1;
    return h(
      "li",
      { class: `tile ${file.kind}` },
      this.#view(file),
      h(
        "p",
        { class: "faint", dir: "auto" },
        h("span", { class: "filename" }, file.name),
        " ",
        size(file.size),
      ),
      h(
        "div",
        { class: "tile-acts" },
        several && button("up", t("earlier_file"), () => this.#move(index, index - 1), index === 0),
        several &&
          button(
            "down",
            t("later_file"),
            () => this.#move(index, index + 1),
            index === this.files.length - 1,
          ),
        button("close", t("remove"), () => this.#drop(file)),
      ),
    );
  }

  /** @param {LocalFile} file */
  #view(file) {
    const src = this.#preview(file);
    if (file.kind === "image") {
      const image = h("img", { src, alt: file.name });
      // An animation would lose its movement.
      const shown =
        file.mime === "image/gif"
          ? image
          : h(
              "button",
              {
                type: "button",
                class: "edit-photo",
                "aria-label": `${t("edit_photo")}: ${file.name}`,
                on: { click: () => void this.#edit(file) },
              },
              image,
              icon("crop"),
            );
      image.addEventListener("error", () => shown.replaceWith(icon("images")), { once: true });
      return shown;
    }
    if (file.kind === "audio" || file.kind === "video")
      return h(file.kind, {
        src,
        controls: true,
        preload: "metadata",
        playsinline: true,
        "aria-label": file.name,
      });
    // Only PDFs: a page in the file would open with the origin of this one.
    if (file.blob.type !== "application/pdf") return icon("file");
    const label = t("enlarge", { name: file.name });
    const link = h(
      "a",
      { class: "open-file", href: src, target: "_blank", rel: "noopener", "aria-label": label },
      icon("file"),
      h("span", {}, "PDF"),
    );
    void import("../thread/pdf-preview.js").then(({ showChosenPdf }) =>
      showChosenPdf(link, src, file.name),
    );
    return h("div", { class: "pdf" }, link);
  }
}

/** A file that answers a field is named after it, so that the reader can tell. @param {FieldSpec | undefined} field @param {string} name */
const nameFor = (field, name) =>
  field ? `${(field.label || field.key).slice(0, MAX_LABEL_CHARS)} – ${name}` : name;

/**
 * The bytes to send. They are copied, since the file may become unreadable before it is sent.
 * @param {Blob} file @param {boolean} isPhoto @param {PhotoEdit} [edit]
 */
async function copyBytes(file, isPhoto, edit) {
  const { shrinkPhoto } = await import("./photo-resize.js");
  if (isPhoto) {
    const result = await shrinkPhoto(file, prefs.keepLocation ? undefined : prefs.photo, edit);
    if (result.redrawn) return result;
  }
  return { blob: new Blob([await file.arrayBuffer()], { type: file.type }), redrawn: false };
}
