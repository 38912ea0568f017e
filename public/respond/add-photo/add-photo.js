/** The page of an upload link: sends one photo for the assistant that made the link. */
import { renameFile, shrinkPhoto } from "../answer/photo-resize.js";
import { loadLanguage, localize, t } from "../ui/i18n.js";
import { applyPrefs } from "../ui/preferences.js";

const MAX_PHOTO_BYTES = 1_500_000;

/** @template {HTMLElement} T @param {string} id @param {new () => T} type @returns {T} */
function find(id, type) {
  const element = document.getElementById(id);
  if (!(element instanceof type)) throw new Error(`no element ${id}`);
  return element;
}

const input = find("file", HTMLInputElement);
const status = find("status", HTMLParagraphElement);

/** @typedef {import("../ui/i18n.js").Word} Word */

/** @param {number} code @returns {Word} */
function explain(code) {
  if (code === 409) return "photo_used";
  return code === 410 ? "photo_expired" : "photo_failed";
}

async function send() {
  const [file] = input.files ?? [];
  if (!file) return;
  find("pick", HTMLLabelElement).hidden = true;
  status.className = "";
  status.textContent = t("photo_sending");
  const sent = await upload(file).catch(() => undefined);
  if (sent?.ok) return await showDone(sent);
  const word = explain(sent?.status ?? 0);
  status.className = "banner bad";
  status.textContent = t(word);
  // The same link works again only if nothing was sent with it.
  find("pick", HTMLLabelElement).hidden = word !== "photo_failed";
  input.value = "";
}

/** @param {File} file */
async function upload(file) {
  const { blob, redrawn } = await shrinkPhoto(file, MAX_PHOTO_BYTES);
  const preview = find("preview", HTMLImageElement);
  preview.src = URL.createObjectURL(blob);
  preview.hidden = !redrawn;
  const name = redrawn ? renameFile(file.name, blob.type) : file.name;
  return await fetch(`${location.pathname}?name=${encodeURIComponent(name)}`, {
    method: "POST",
    headers: { "Content-Type": blob.type || "application/octet-stream" },
    body: blob,
  });
}

/** @param {Response} response */
async function showDone(response) {
  const { uri } = await response.json();
  status.textContent = t("photo_done");
  find("how", HTMLParagraphElement).hidden = true;
  find("address", HTMLElement).textContent = uri;
  find("done", HTMLDivElement).hidden = false;
  find("copy", HTMLButtonElement).addEventListener("click", () =>
    navigator.clipboard.writeText(uri).catch(() => {}),
  );
}

applyPrefs();
await loadLanguage();
localize();
document.title = t("photo_title");
input.addEventListener("change", () => void send());
// The page may still have been loading when the photo was chosen.
void send();
