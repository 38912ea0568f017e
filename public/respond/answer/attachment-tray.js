/** The list of files to send with the answer: preview, order, remove. */
import { announce } from "../ui/accessibility.js";
import { fill, h, icon, newId } from "../ui/dom.js";
import { t } from "../ui/i18n.js";
import { prefs } from "../ui/preferences.js";
import { size } from "../ui/time-format.js";
import { MAX_BYTES } from "./upload.js";

/** The server's limit per message. */
const MAX_FILES = 20;
const MAX_LABEL_CHARS = 60;

export class Tray {
  /** @type {LocalFile[]} */
  files = [];
  /** @type {Map<string, string>} */
  #previews = new Map();
  #busy = 0;

  /**
   * @param {HTMLElement} place
   * @param {() => void} changed
   * @param {(words: string) => void} complain
   */
  constructor(place, changed, complain) {
    this.place = place;
    this.changed = changed;
    this.complain = complain;
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

  /** @param {Iterable<File>} added @param {FieldSpec} [field] the form field that asked for them */
  async add(added, field) {
    this.complain("");
    for (const file of added) {
      if (this.files.length + this.#busy >= MAX_FILES)
        return this.complain(t("too_many_files", { n: MAX_FILES }));
      if (file.size > MAX_BYTES)
        this.complain(t("file_too_large", { name: file.name, size: size(MAX_BYTES) }));
      else if (file.size === 0) this.complain(t("file_empty", { name: file.name }));
      else await this.#take(file, field);
    }
  }

  /** @param {File} file @param {FieldSpec} [field] */
  async #take(file, field) {
    this.#busy++;
    this.#draw();
    try {
      const {
        getMediaKind: kindOf,
        renameFile: renamed,
        shrinkPhoto,
      } = await import("./photo-resize.js");
      const kind = kindOf(file.type);
      const photo = kind === "image" || /\.(heic|heif)$/i.test(file.name);
      const { blob, redrawn } = photo
        ? await shrinkPhoto(file, prefs.keepLocation ? undefined : prefs.photo)
        : { blob: file, redrawn: false };
      // The file may become unreadable before it is sent, so its bytes are copied.
      const copy = redrawn ? blob : new Blob([await blob.arrayBuffer()], { type: file.type });
      const mime = copy.type || "application/octet-stream";
      this.files.push({
        id: newId(),
        kind: photo ? "image" : kind,
        name: nameFor(field, redrawn ? renamed(file.name, mime) : file.name || t("file")),
        ...(field ? { field: field.key } : {}),
        mime,
        size: copy.size,
        blob: copy,
      });
      announce(t("file_added", { name: file.name }));
      if (photo && !redrawn && !prefs.keepLocation)
        this.complain(t("photo_as_is", { name: file.name }));
    } catch {
      this.complain(t("file_unreadable", { name: file.name }));
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
      image.addEventListener("error", () => image.replaceWith(icon("images")), { once: true });
      return image;
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
    return h(
      "a",
      { class: "open-file", href: src, target: "_blank", rel: "noopener", "aria-label": label },
      icon("file"),
      h("span", {}, "PDF"),
    );
  }
}

/** A file that answers a field is named after it, so that the reader can tell. @param {FieldSpec | undefined} field @param {string} name */
const nameFor = (field, name) =>
  field ? `${(field.label || field.key).slice(0, MAX_LABEL_CHARS)} – ${name}` : name;
