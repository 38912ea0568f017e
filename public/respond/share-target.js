/**
 * What the person shared into the installed app from another one. The service worker keeps it on the device, the inbox
 * asks for which request it is, and the page of that request adds it to the answer. Nothing is sent here.
 */
import { MAX_BYTES } from "./answer/upload.js";
import * as db from "./device-store.js";
import { getKey } from "./send/send-queue.js";

/** The action of `share_target` in the manifest. */
export const SHARE_PATH = "/inbox/share";
/** In the part of the device's storage that a sign-out empties. */
const KEY = "shared";
/** Later the person has forgotten it, and still has the original. */
const MAX_AGE_MS = 60 * 60 * 1000;
const ACCEPTED_TYPES = /^(?:(?:image|audio|video)\/|application\/pdf$|text\/)/;
/** Some phones share these without a type. */
const ACCEPTED_NAMES = /\.(?:heic|heif|jpe?g|png|webp|m4a|mp3|ogg|mp4|mov|pdf|txt|csv)$/i;

/** @param {File} file @returns {Shared["refused"][number]["reason"] | undefined} */
function checkFile({ name, type, size }) {
  if (size === 0) return "empty";
  if (size > MAX_BYTES) return "large";
  const isAccepted = type === "" ? ACCEPTED_NAMES.test(name) : ACCEPTED_TYPES.test(type);
  return isAccepted ? undefined : "type";
}

/** Keeps what was shared, in place of an earlier share, and opens the inbox. @param {Request} request */
export async function takeShare(request) {
  const isKept = await keep(request).catch(() => false);
  return Response.redirect(isKept ? "/inbox" : "/inbox?share=failed", 303);
}

/** @param {Request} request @returns {Promise<boolean>} false if the browser stored nothing */
async function keep(request) {
  const form = await request.formData();
  const texts = ["title", "text", "url"].map((name) => form.get(name));
  const files = form.getAll("files").filter((one) => one instanceof File);
  /** @type {Shared} */
  const shared = { at: Date.now(), text: joinTexts(texts), files: [], refused: [] };
  for (const file of files) {
    const reason = checkFile(file);
    if (reason === undefined) shared.files.push(file);
    else shared.refused.push({ name: file.name, reason });
  }
  if (shared.text === "" && files.length === 0) return false;
  return await db.put("inbox", KEY, shared);
}

/** Apps often send the same address as text and as url. @param {unknown[]} texts */
const joinTexts = (texts) =>
  [...new Set(texts.filter((one) => typeof one === "string").map((one) => one.trim()))]
    .filter(
      (one, index, all) => one !== "" && !all.some((o, at) => at !== index && o.includes(one)),
    )
    .join("\n");

/** @returns {Promise<Shared | undefined>} */
export async function readShare() {
  /** @type {Shared | undefined} */
  const shared = await db.get("inbox", KEY);
  if (!shared || Date.now() - shared.at < MAX_AGE_MS) return shared;
  await dropShare();
  return undefined;
}

export const dropShare = () => db.remove("inbox", KEY);

/** Says for which request it is. @param {Where} where */
export const chooseRequest = (where) =>
  db.update("inbox", KEY, (/** @type {Shared | undefined} */ shared) =>
    shared ? { ...shared, chosen: getKey(where) } : undefined,
  );

/** What was shared for a request. @param {Where} where @returns {Promise<Shared | undefined>} */
export async function readShareFor(where) {
  const shared = await readShare();
  return shared?.chosen === getKey(where) ? shared : undefined;
}
