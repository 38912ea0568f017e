/**
 * Files and texts that a person shares from another app into the installed inbox. The service worker keeps them on the
 * device, the inbox asks which request they are for, and the page of that request adds them to the answer. Nothing is
 * sent here.
 */
import { MAX_BYTES, MAX_FILES } from "./answer/upload.js";
import * as db from "./device-store.js";
import { getKey } from "./send/send-queue.js";

/** The action of `share_target` in the manifest. */
export const SHARE_PATH = "/inbox/share";
/** In the part of the device's storage that a sign-out empties. */
const KEY = "shared";
/** Later the person has forgotten it, and still has the original. */
const MAX_AGE_MS = 60 * 60 * 1000;
/** Of all files of a share, so that no share fills the device. */
export const MAX_SHARED_BYTES = 2 * MAX_BYTES;
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

/**
 * Keeps what was shared and opens the inbox. An earlier share stays until the person has decided about it.
 * @param {Request} request
 */
export async function takeShare(request) {
  if (isFromOtherSite(request)) return Response.redirect("/inbox", 303);
  const problem = await keep(request).catch(() => "failed");
  return Response.redirect(problem === undefined ? "/inbox" : `/inbox?share=${problem}`, 303);
}

/**
 * True for a form of another website. A share of the operating system has no referrer, or that of an app. A website
 * can hide its referrer, so the person always sees and chooses before anything is added.
 * @param {Request} request
 */
function isFromOtherSite({ referrer, headers }) {
  const own = self.location.origin;
  const origins = [referrer, headers.get("Origin") ?? ""].filter((one) => /^https?:/.test(one));
  return (
    ["cross-site", "same-site"].includes(headers.get("Sec-Fetch-Site") ?? "") ||
    origins.some((one) => new URL(one).origin !== own)
  );
}

/** @param {Request} request @returns {Promise<"failed" | "signed_out" | "waiting" | undefined>} why nothing was kept */
async function keep(request) {
  /** @type {StoredInbox | undefined} */
  const list = await db.get("inbox", "list");
  const accounts = (list?.answer.households ?? []).map(toAccount);
  if (accounts.length === 0) return "signed_out";
  if (await readShare(accounts)) return "waiting";
  const form = await request.formData();
  const text = joinTexts(["title", "text", "url"].map((name) => form.get(name)));
  const sent = form.getAll("files").filter((one) => one instanceof File);
  if (text === "" && sent.length === 0) return "failed";
  /** @type {Shared} */
  const shared = { at: Date.now(), text, ...selectFiles(sent), accounts };
  return (await db.put("inbox", KEY, shared)) ? undefined : "failed";
}

/** Identifies a person in a household. @param {{ me: string, session: string }} one */
export const toAccount = ({ me, session }) => `${me}@${session}`;

/** @param {readonly File[]} all @returns {Pick<Shared, "files" | "refused">} */
export function selectFiles(all) {
  /** @type {File[]} */
  const files = [];
  /** @type {Shared["refused"]} */
  const refused = [];
  let bytes = 0;
  let isLimited = all.length > MAX_FILES;
  for (const file of all.slice(0, MAX_FILES)) {
    const reason = checkFile(file);
    if (reason !== undefined) refused.push({ name: file.name, reason });
    else if (bytes + file.size > MAX_SHARED_BYTES) isLimited = true;
    else {
      bytes += file.size;
      files.push(file);
    }
  }
  if (isLimited) refused.push({ name: "", reason: "limit" });
  return { files, refused };
}

/** Apps often send the same address as text and as url. @param {unknown[]} texts */
const joinTexts = (texts) =>
  [...new Set(texts.filter((one) => typeof one === "string").map((one) => one.trim()))]
    .filter(
      (one, index, all) => one !== "" && !all.some((o, at) => at !== index && o.includes(one)),
    )
    .join("\n");

/**
 * The share of one of these accounts. One that is too old or of another account is dropped.
 * @param {readonly string[]} accounts
 * @returns {Promise<Shared | undefined>}
 */
export async function readShare(accounts) {
  /** @type {Shared | undefined} */
  const shared = await db.get("inbox", KEY);
  if (!shared) return undefined;
  const isOwn = shared.accounts?.some((one) => accounts.includes(one)) ?? false;
  if (isOwn && Date.now() - shared.at < MAX_AGE_MS) return shared;
  await dropShare();
  return undefined;
}

export const dropShare = () => db.remove("inbox", KEY);

/** Keeps only the files that could not be added yet. @param {readonly File[]} files */
export const keepRest = (files) =>
  files.length === 0
    ? dropShare()
    : db.update("inbox", KEY, (/** @type {Shared | undefined} */ shared) =>
        shared ? { ...shared, text: "", files } : undefined,
      );

/** Says for which request it is. @param {Where} where */
export const chooseRequest = (where) =>
  db.update("inbox", KEY, (/** @type {Shared | undefined} */ shared) =>
    shared ? { ...shared, chosen: getKey(where) } : undefined,
  );

/** Reads the share for which the member has chosen this request. @param {Where} where @param {string} me @returns {Promise<Shared | undefined>} */
export async function readShareFor(where, me) {
  /** @type {Shared | undefined} */
  const shared = await db.get("inbox", KEY);
  return shared?.chosen === getKey(where)
    ? await readShare([toAccount({ me, session: where.session })])
    : undefined;
}
