/** Files that a message brings along. */
import { readFileSync } from "node:fs";
import { basename, extname } from "node:path";
import { usageError } from "./errors.js";

/** @type {Readonly<Record<string, string>>} */
const TYPES = {
  ".jpg": "image/jpeg",
  ".jpeg": "image/jpeg",
  ".png": "image/png",
  ".gif": "image/gif",
  ".webp": "image/webp",
  ".heic": "image/heic",
  ".mp3": "audio/mpeg",
  ".m4a": "audio/mp4",
  ".wav": "audio/wav",
  ".ogg": "audio/ogg",
  ".mp4": "video/mp4",
  ".mov": "video/quicktime",
  ".webm": "video/webm",
  ".pdf": "application/pdf",
  ".txt": "text/plain",
  ".md": "text/markdown",
  ".csv": "text/csv",
  ".json": "application/json",
  ".yaml": "application/yaml",
};

/**
 * @typedef {object} LocalFile
 * @property {string} name
 * @property {string} type
 * @property {Uint8Array<ArrayBuffer>} bytes
 */

/** @param {string} path @returns {Uint8Array<ArrayBuffer>} */
export function readBytes(path) {
  try {
    return new Uint8Array(readFileSync(path));
  } catch (error) {
    const { code } = /** @type {NodeJS.ErrnoException} */ (error);
    throw usageError(`${path} could not be read (${code})`, "Check the path of the file.");
  }
}

/** The bytes of a file, or with `-` of standard input. @param {string} path */
export async function readInput(path) {
  if (path !== "-") return readBytes(path);
  const chunks = [];
  for await (const chunk of process.stdin) chunks.push(chunk);
  return new Uint8Array(Buffer.concat(chunks));
}

/** @param {string} path */
export const readText = async (path) => new TextDecoder().decode(await readInput(path));

/** @param {readonly string[]} [paths] @returns {LocalFile[]} */
export function readFiles(paths = []) {
  const files = paths.map((path) => ({
    name: basename(path),
    type: TYPES[extname(path).toLowerCase()] ?? "application/octet-stream",
    bytes: readBytes(path),
  }));
  const twice = files.find(
    ({ name }, index) => files.findIndex((one) => one.name === name) !== index,
  );
  if (twice) throw usageError(`two files have the name ${twice.name}`, "Rename one of them.");
  return files;
}

/** The item of a message's content that shows the file. @param {{ type: string }} file @param {string} name */
export function buildFileItem({ type }, name) {
  const [kind = ""] = type.split("/");
  return { [["image", "audio", "video"].includes(kind) ? kind : "file"]: { file: name } };
}
