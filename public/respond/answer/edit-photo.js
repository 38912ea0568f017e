/** A sheet in which a photo is rotated and cropped. Nothing changes until the person confirms. */
import { fill, h, icon, newId } from "../ui/dom.js";
import { t } from "../ui/i18n.js";
import { openSheet } from "../ui/sheet.js";
import { showError } from "./fields.js";
import { moveCorner, moveFrame, rotateFrame } from "./photo-frame.js";
import { drawView, readPhoto, WHOLE_PHOTO } from "./photo-resize.js";

/** Longest side of the photo in the sheet, in pixels. */
const VIEW_SIDE_PX = 1_280;
/** A press of an arrow key moves by this part of the photo, and by the larger one with the shift key. */
const STEP = 0.02;
const LARGE_STEP = 0.1;

/** @type {Record<string, readonly [number, number]>} */
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

const CORNERS = /** @type {const} */ ([
  ["corner_top_left", { right: false, bottom: false }],
  ["corner_top_right", { right: true, bottom: false }],
  ["corner_bottom_left", { right: false, bottom: true }],
  ["corner_bottom_right", { right: true, bottom: true }],
]);

/**
 * @param {Blob} photo @param {PhotoEdit | undefined} before the edit to start from
 * @param {(edit: PhotoEdit) => Promise<HTMLElement | null | undefined>} apply returns the element to focus; if it throws, the
 * sheet stays open
 */
export async function openPhotoEditor(photo, before, apply) {
  const bitmap = await readPhoto(photo);
  // Small, since a phone's memory may not hold the whole photo while the sheet is open.
  const small = drawView(bitmap, WHOLE_PHOTO, VIEW_SIDE_PX);
  bitmap.close();
  let edit = before ?? WHOLE_PHOTO;

  const help = newId();
  const errorBox = h("div");
  const liveText = h("p", { class: "unseen", role: "status" });
  const shade = h("div", { class: "crop-shade" }, h("div", { class: "crop-hole" }));
  const stage = h("div", { class: "crop-photo", dir: "ltr" });
  /** @param {PhotoEdit} next */
  const show = (next) => {
    edit = next;
    for (const [name, value] of Object.entries(edit))
      stage.style.setProperty(`--${name}`, String(value));
  };
  const speak = () => {
    const toPercent = (/** @type {number} */ part) => t("percent", { n: Math.round(part * 100) });
    liveText.textContent = t("crop_size", {
      width: toPercent(edit.width),
      height: toPercent(edit.height),
    });
  };
  /** @param {HTMLElement} handle @param {(from: PhotoEdit, dx: number, dy: number) => PhotoEdit} move */
  const makeMovable = (handle, move) => {
    watchDrag(
      handle,
      stage,
      () => edit,
      (from, dx, dy) => show(move(from, dx, dy)),
      speak,
    );
    handle.addEventListener("keydown", (event) => {
      const [dx, dy] = ARROWS[event.key] ?? [];
      if (dx === undefined || dy === undefined) return;
      event.preventDefault();
      const step = event.shiftKey ? LARGE_STEP : STEP;
      show(move(edit, dx * step, dy * step));
      speak();
    });
    return handle;
  };
  const makeHandle = (/** @type {string} */ name, /** @type {string} */ label) =>
    h("button", { type: "button", class: name, "aria-label": label, "aria-describedby": help });
  const handles = [
    makeMovable(makeHandle("crop-area", t("crop_area")), moveFrame),
    ...CORNERS.map(([name, corner]) =>
      makeMovable(
        makeHandle(
          `crop-corner ${corner.right ? "right" : "left"} ${corner.bottom ? "bottom" : "top"}`,
          t(name),
        ),
        (from, dx, dy) => moveCorner(from, corner, dx, dy),
      ),
    ),
  ];
  /** Draws the photo as it is turned. @param {PhotoEdit} next */
  const draw = (next) => {
    const view = drawView(small, { ...WHOLE_PHOTO, turns: next.turns }, VIEW_SIDE_PX);
    stage.style.setProperty("--ratio", String(view.width / view.height));
    fill(stage, view, shade, ...handles);
    show(next);
  };
  draw(edit);

  /** @type {(kind: string, label: import("../ui/i18n.js").Word, click: () => unknown, name?: import("../ui/dom.js").Icon) => HTMLButtonElement} */
  const button = (kind, label, click, name) =>
    h("button", { type: "button", class: kind, on: { click } }, name && icon(name), t(label));
  const rotate = () => {
    draw(rotateFrame(edit));
    liveText.textContent = t("rotated", { degrees: edit.turns * 90 });
  };
  const reset = () => {
    draw(WHOLE_PHOTO);
    speak();
  };
  const finish = async () => {
    done.disabled = true;
    try {
      const result = await apply(edit);
      sheet.close();
      result?.focus();
    } catch {
      showError(errorBox, t("photo_not_changed"));
      done.disabled = false;
    }
  };
  const done = button("primary", "edit_done", finish, "check");
  const sheet = openSheet(t("edit_photo"), [
    h("div", { class: "crop-stage" }, stage),
    h("p", { class: "faint crop-help", id: help }, t("crop_help")),
    liveText,
    errorBox,
    h(
      "div",
      { class: "row" },
      button("secondary", "rotate", rotate, "rotate"),
      button("secondary", "crop_reset", reset),
    ),
    h(
      "div",
      { class: "row" },
      button("secondary", "cancel", () => sheet.close()),
      done,
    ),
  ]);
}

/**
 * Reports how far the handle is dragged, in fractions of the photo's sides.
 * @param {HTMLElement} handle @param {HTMLElement} stage @param {() => PhotoEdit} start
 * @param {(from: PhotoEdit, dx: number, dy: number) => void} moved @param {() => void} ended
 */
function watchDrag(handle, stage, start, moved, ended) {
  handle.addEventListener("pointerdown", (press) => {
    if (!press.isPrimary || press.button !== 0) return;
    handle.setPointerCapture(press.pointerId);
    const from = start();
    const { width, height } = stage.getBoundingClientRect();
    const watch = new AbortController();
    const { signal } = watch;
    handle.addEventListener(
      "pointermove",
      ({ x, y }) => moved(from, (x - press.x) / width, (y - press.y) / height),
      { signal },
    );
    handle.addEventListener(
      "lostpointercapture",
      () => {
        watch.abort();
        ended();
      },
      { signal },
    );
  });
}
