/** The story of a thread: its messages in order, with the words, values and files that they carry. */
import { fill, h } from "../../respond/ui/dom.js";
import { call } from "../../respond/send/api.js";
import { renderJson } from "../../respond/thread/render-json.js";
import { clock } from "../../respond/ui/time-format.js";
import { household } from "../household.js";
import { nameMember } from "../names.js";
import { buildButton, describeError, nameStatus } from "../parts.js";
import { text } from "../texts.js";

const FILE_KINDS = ["image", "audio", "video", "file"];
const SHOWN_IMAGES = ["image/png", "image/jpeg", "image/webp", "image/gif"];

/** Time for the browser to begin a download before its data is released. */
const DOWNLOAD_START_MS = 10_000;

/** Not a link: no browser must ever open data of others as a page. @param {Blob} blob @param {string} name */
function save(blob, name) {
  const data = new Blob([blob], { type: "application/octet-stream" });
  const href = URL.createObjectURL(data);
  h("a", { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), DOWNLOAD_START_MS);
}

/**
 * A file is loaded when the person asks for it: a list of tasks should not cost a phone its data.
 * @param {string} path of the thread
 * @param {string} name
 */
function buildFile(path, name) {
  const place = h("div", {});
  const open = async () => {
    try {
      const response = await call(`${path}/attachments/${encodeURIComponent(name)}`, {
        headers: { "X-MESS-Session": household().session },
      });
      const blob = await response.blob();
      fill(
        place,
        SHOWN_IMAGES.includes(blob.type)
          ? h("img", { src: URL.createObjectURL(blob), alt: name })
          : buildButton(text("save_file", { name }), () => save(blob, name)),
      );
    } catch (error) {
      fill(place, h("p", { class: "banner bad" }, describeError(error)));
    }
  };
  fill(place, buildButton(text("show_file", { name }), open));
  return place;
}

/** @param {any} entry @param {string} path */
function buildEntry(entry, path) {
  if (typeof entry === "string") return h("p", { dir: "auto" }, entry);
  const [[kind, value] = ["", null]] = Object.entries(entry ?? {});
  const name = typeof value === "string" ? value : /** @type {any} */ (value)?.file;
  if (FILE_KINDS.includes(kind) && typeof name === "string") return buildFile(path, name);
  if (kind === "text") return h("p", { dir: "auto" }, String(value));
  return renderJson(entry);
}

/** The parts of a block that people read. @param {any} block @param {string} path @returns {HTMLElement[]} */
function buildBlock(block, path) {
  const [[kind, value] = ["", {}]] = Object.entries(block ?? {});
  const { intent, message, reason, note, code, content, context, questions, answers, answer } =
    /** @type {any} */ (value ?? {});
  const words = [intent, message, reason, note, answer].filter((one) => typeof one === "string");
  return [
    ...(kind === "status" && code ? [h("p", {}, h("strong", {}, nameStatus(code)))] : []),
    ...words.map((one) => h("p", { dir: "auto" }, one)),
    ...(questions ?? []).map((/** @type {any} */ one) => h("p", { dir: "auto" }, one.question)),
    ...[...(content ?? []), ...(context ?? [])].map((/** @type {any} */ one) =>
      buildEntry(one, path),
    ),
    ...(answers ? [renderJson(answers)] : []),
  ];
}

/** @param {any} thread @param {string} path */
export function buildStory({ messages }, path) {
  const told = messages
    .map((/** @type {any} */ { from, received, MESS }) => ({
      from,
      received,
      parts: MESS.flatMap((/** @type {any} */ block) => (block.ack ? [] : buildBlock(block, path))),
    }))
    .filter((/** @type {any} */ { parts }) => parts.length > 0);
  return h(
    "ol",
    { class: "told" },
    ...told.map((/** @type {any} */ { from, received, parts }) =>
      h(
        "li",
        {},
        h("p", { class: "faint", dir: "auto" }, `${nameMember(from)}, ${clock(received)}`),
        h("div", { class: "said" }, ...parts),
      ),
    ),
  );
}
