/** The files of an export that belong to no thread: configuration, audit trail, groups and sources. */
import { appendFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { download } from "./download.js";
import { toFileName } from "./names.js";
import { unpackZip } from "./read-zip.js";

/** Files with one part in each part of the export. */
const JOINED = ["groups/pairs.jsonl"];
const FOLDERS = ["groups", "sources"];

/**
 * Returns the number of files.
 * @param {import("../exchange.js").Exchange} exchange
 * @param {string} root
 * @param {string} work
 */
export async function pullHouseholdFiles(exchange, root, work) {
  const fresh = join(work, "household");
  mkdirSync(fresh);
  /** @type {Set<string>} */
  const names = new Set();
  // The first part has the configuration; the parts after the threads have groups and sources.
  for (const start of ["/mess/export.zip?limit=1", "/mess/export.zip?after=groups"]) {
    let path = /** @type {string | undefined} */ (start);
    while (path !== undefined) {
      const response = await exchange.call("GET", path, { headers: { Accept: "*/*" } });
      const archive = join(work, "export.zip");
      await download(response, archive);
      for (const name of unpackPart(archive, fresh, work)) names.add(name);
      path = start.includes("limit") ? undefined : readNext(response);
    }
  }
  for (const name of FOLDERS) {
    rmSync(join(root, name), { recursive: true, force: true });
    if (existsSync(join(fresh, name))) renameSync(join(fresh, name), join(root, name));
  }
  for (const name of names)
    if (!name.includes("/")) renameSync(join(fresh, name), join(root, name));
  return names.size;
}

/** @param {string} archive @param {string} fresh @param {string} work @returns {string[]} */
function unpackPart(archive, fresh, work) {
  /** @type {string[]} */
  const names = [];
  const part = join(work, "part");
  unpackZip(archive, (name) => {
    const [folder = "", file, ...more] = name.split("/");
    const isWanted = file === undefined ? true : FOLDERS.includes(folder) && more.length === 0;
    if (!isWanted) return undefined;
    const target = join(fresh, ...name.split("/").map(toFileName));
    mkdirSync(dirname(target), { recursive: true });
    names.push(name);
    return JOINED.includes(name) ? part : target;
  });
  if (existsSync(part)) {
    const joined = join(fresh, ...(JOINED[0] ?? "").split("/"));
    appendFileSync(joined, readFileSync(part));
    rmSync(part);
  }
  return names;
}

/** The path of the next part. @param {Response} response */
const readNext = (response) =>
  /<([^>]+)>;\s*rel="next"/.exec(response.headers.get("Link") ?? "")?.[1];
