/** A household as a folder: each thread in `state=…/{ref}/`, as docs/files.md describes. */
import { closeSync, existsSync, openSync, readdirSync, readSync, statSync } from "node:fs";
import { join } from "node:path";

const STATES = ["received", "executing", "finished", "canceled"];
const FOLDER_BY_STATUS = /** @type {Readonly<Record<string, string>>} */ ({
  pending: "received",
  claimed: "executing",
  in_progress: "executing",
  waiting: "executing",
  held: "executing",
  retrying: "executing",
  needs_input: "executing",
  needs_confirmation: "executing",
  completed: "finished",
  partial: "finished",
});

/** The folder of the threads with this status; a status that ended without success is `canceled`. @param {string} status */
export const getStateFolder = (status) => `state=${FOLDER_BY_STATUS[status] ?? "canceled"}`;

/** A ref as the name of a folder. @param {string} ref */
export const toFolderName = (ref) => ref.replaceAll(":", "_");

/**
 * @typedef {object} LocalThread
 * @property {string} name of its folder
 * @property {string} path
 * @property {string} updated of its envelope; empty if it cannot be read
 * @property {number} pulled when it was downloaded, in milliseconds since 1970
 */

/** The threads of the tree, by the names of their folders. @param {string} root @returns {Map<string, LocalThread>} */
export function readTree(root) {
  /** @type {Map<string, LocalThread>} */
  const threads = new Map();
  for (const state of STATES) {
    const folder = join(root, `state=${state}`);
    if (!existsSync(folder)) continue;
    for (const { name } of readdirSync(folder, { withFileTypes: true }).filter((one) =>
      one.isDirectory(),
    )) {
      const path = join(folder, name);
      const first = join(path, `000-${name}.messe-af.yaml`);
      const exists = existsSync(first);
      threads.set(name, {
        name,
        path,
        updated: exists ? readEnvelope(first).updated : "",
        pulled: exists ? statSync(first).mtimeMs : 0,
      });
    }
  }
  return threads;
}

/** The envelope's history grows without limit, but these fields come before it. */
const MAX_HEAD_BYTES = 64 * 1024;

/** Fields of the envelope, which is the first document of the thread's first file. @param {string} path */
export function readEnvelope(path) {
  const bytes = Buffer.alloc(MAX_HEAD_BYTES);
  const file = openSync(path, "r");
  const length = readSync(file, bytes, 0, MAX_HEAD_BYTES, 0);
  closeSync(file);
  const [envelope = ""] = bytes.toString("utf8", 0, length).split("\n---\n", 1);
  const read = (/** @type {string} */ field) =>
    new RegExp(`^${field}: "?([^"\\n]*)"?$`, "m").exec(envelope)?.[1] ?? "";
  return { ref: read("ref"), status: read("status"), updated: read("updated") };
}

/** @param {string} one @param {string} other */
export const isSameTime = (one, other) => one === other || Date.parse(one) === Date.parse(other);
