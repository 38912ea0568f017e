/** A copy of everything, as plain files: the parts of the export, one after the other, with progress. */
import { fill, h } from "../../respond/ui/dom.js";
import { call } from "../../respond/send/api.js";
import { size } from "../../respond/ui/time-format.js";
import { household } from "../household.js";
import { buildButton, buildHead, buildProblem } from "../parts.js";
import { text } from "../texts.js";

const FIRST_PART = "/mess/export.zip";
/** Time for the browser to begin a download before its data is released. */
const DOWNLOAD_START_MS = 10_000;

/** The address of the next part, from the header `Link`. @param {Response} response */
const findNext = (response) =>
  /<([^<>]+)>; rel="next"/.exec(response.headers.get("Link") ?? "")?.[1];

/** @param {Blob} blob @param {string} name */
function save(blob, name) {
  const url = URL.createObjectURL(blob);
  h("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), DOWNLOAD_START_MS);
}

/** @param {HTMLElement} place @returns {ConsoleView} */
export function showExport(place) {
  const state = h("div", { role: "status" });
  const stop = new AbortController();

  async function download() {
    button.disabled = true;
    let bytes = 0;
    let parts = 0;
    try {
      /** @type {string | undefined} */
      let path = FIRST_PART;
      while (path !== undefined) {
        fill(state, h("p", {}, text("exporting", { n: parts + 1, size: size(bytes) })));
        const response = await call(path, {
          headers: { "X-MESS-Session": household().session, Accept: "application/zip" },
          signal: stop.signal,
        });
        const blob = await response.blob();
        parts++;
        bytes += blob.size;
        save(blob, `${household().id}-${String(parts).padStart(3, "0")}.messe-af.zip`);
        path = findNext(response);
      }
      fill(state, h("p", { class: "banner" }, text("exported", { n: parts, size: size(bytes) })));
    } catch (error) {
      if (!stop.signal.aborted) fill(state, buildProblem(error));
    } finally {
      button.disabled = false;
    }
  }
  const button = buildButton(text("export_now"), () => void download(), "primary");
  fill(place, buildHead(text("export"), "#more"), h("p", {}, text("export_how")), button, state);
  return { close: () => stop.abort() };
}
