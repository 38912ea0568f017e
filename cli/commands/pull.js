/** `mess pull`: keeps a copy of the household as plain files. */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { readArguments } from "../lib/command.js";
import { CliError } from "../lib/errors.js";
import { Progress } from "../lib/progress.js";
import { toSafeText } from "../lib/text.js";
import { download } from "../lib/tree/download.js";
import { toFileName } from "../lib/tree/names.js";
import { unpackZip } from "../lib/tree/read-zip.js";
import {
  getStateFolder,
  isSameTime,
  readEnvelope,
  readTree,
  toFolderName,
} from "../lib/tree/tree.js";
import { openWorkFolder } from "../lib/tree/work-folder.js";
import { pullHouseholdFiles } from "../lib/tree/household-files.js";
import { listThreads } from "./list.js";

const USAGE = "mess pull FOLDER [--threads]";
const PARALLEL_DOWNLOADS = 4;
/** After more, the exchange or the connection is the problem. */
const MAX_FAILURES = 10;
/** A change in the same second as the download leaves the time of the thread as it is. */
const SETTLED_MS = 2_000;

/** @type {import("../lib/command.js").Command} */
export const pull = {
  name: "pull",
  summary: "Copy the household into a folder, or bring that copy up to date",
  usage: [USAGE],
  description: `Each request becomes a folder state=…/REF with its messages as YAML and its files; for owners also the
configuration, the audit trail, the groups and the sources. The files are those of an export, byte for byte.

Only what has changed is downloaded. You can interrupt the command at any time: every request in the
folder is complete, and the next pull continues. A request that was deleted at the exchange is deleted here.`,
  options: { threads: { type: "boolean", help: "only the requests" } },
  examples: [
    ["mess pull ~/household", "the first time everything, then what has changed"],
    ["mess pull ~/household --json", "the counts as JSON, such as for a nightly job"],
  ],
  run: async (context) => {
    const [folder = ""] = readArguments(context, ["FOLDER"], USAGE);
    const root = resolve(folder);
    const exchange = context.exchange();
    const { household, you } = await exchange.get("/api/v1/household");
    mkdirSync(root, { recursive: true });
    const work = openWorkFolder(root);
    try {
      const summary = await pullThreads(exchange, root, work.path);
      const isWhole = you.role === "owner" && !context.values["threads"];
      const files = isWhole ? await pullHouseholdFiles(exchange, root, work.path) : 0;
      const result = { household: household.id, folder: root, ...summary, household_files: files };
      context.show(result, writeSummary);
      return summary.failed.length > 0 ? "refused" : "ok";
    } finally {
      work.remove();
    }
  },
};

/** @param {any} result */
const writeSummary = ({ folder, threads, pulled, unchanged, deleted, failed }) =>
  [
    `${folder}: ${pulled} of ${threads} requests pulled, ${unchanged} unchanged${deleted > 0 ? `, ${deleted} deleted` : ""}.`,
    ...failed.map(
      (/** @type {any} */ { ref, error }) => `not pulled: ${ref}: ${toSafeText(error)}`,
    ),
  ].join("\n");

/** @param {import("../lib/exchange.js").Exchange} exchange @param {string} root @param {string} work */
async function pullThreads(exchange, root, work) {
  const listed = await listThreads(exchange, {}, Infinity);
  const local = readTree(root);
  const changed = listed.filter(
    ({ ref, updated }) => !isUpToDate(local.get(toFolderName(ref)), updated),
  );
  const progress = new Progress("Pulling", changed.length);
  const queue = [...changed];
  /** @type {{ ref: string, error: string }[]} */
  const failed = [];
  const worker = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const { ref } = next;
      try {
        const former = local.get(toFolderName(ref))?.path;
        const bytes = await pullThread(exchange, ref, { root, work, former });
        progress.add(ref, { bytes });
      } catch (error) {
        // One that cannot be read must not keep the others from their copy.
        if (!(error instanceof CliError) || failed.length >= MAX_FAILURES) throw error;
        if (error.exit !== "notFound") failed.push({ ref, error: error.message });
      }
    }
  };
  try {
    await Promise.all(Array.from({ length: PARALLEL_DOWNLOADS }, worker));
  } finally {
    queue.length = 0;
    progress.end();
  }
  const known = new Set(listed.map(({ ref }) => toFolderName(ref)));
  const missing = [...local.values()].filter(({ name }) => !known.has(name));
  const deleted = await removeDeleted(exchange, missing);
  return {
    threads: listed.length,
    pulled: changed.length - failed.length,
    unchanged: listed.length - changed.length,
    deleted,
    failed,
  };
}

/** @param {import("../lib/tree/tree.js").LocalThread | undefined} local @param {string} updated */
const isUpToDate = (local, updated) =>
  local !== undefined &&
  isSameTime(local.updated, updated) &&
  local.pulled - Date.parse(updated) >= SETTLED_MS;

/**
 * Replaces the thread's folder as a whole, so that it is complete at any time. Returns the bytes of the download.
 * @param {import("../lib/exchange.js").Exchange} exchange
 * @param {string} ref
 * @param {{ root: string, work: string, former: string | undefined }} places
 */
async function pullThread(exchange, ref, { root, work, former }) {
  const name = toFileName(toFolderName(ref));
  const archive = join(work, `${name}.zip`);
  const fresh = join(work, name);
  const response = await exchange.call("GET", `/mess/${encodeURIComponent(ref)}/archive.zip`, {
    headers: { Accept: "*/*" },
  });
  const time = new Date(response.headers.get("Date") ?? Date.now());
  await download(response, archive);
  mkdirSync(fresh);
  unpackZip(archive, (entry) => {
    const [folder, file = "", ...more] = entry.split("/");
    if (folder !== name || more.length > 0)
      throw new CliError(`the archive of ${ref} has an unexpected entry`, {
        hint: "Nothing was written. Report this to the operator of the exchange.",
      });
    return join(fresh, toFileName(file));
  });
  for (const file of readdirSync(fresh)) utimesSync(join(fresh, file), time, time);
  const { status } = readEnvelope(join(fresh, `000-${name}.messe-af.yaml`));
  const target = join(root, getStateFolder(status), name);
  mkdirSync(join(root, getStateFolder(status)), { recursive: true });
  if (former !== undefined) renameSync(former, join(work, `${name}.former`));
  renameSync(fresh, target);
  rmSync(join(work, `${name}.former`), { recursive: true, force: true });
  const { size } = statSync(archive);
  rmSync(archive);
  return size;
}

/**
 * The index of lists may be incomplete, so the exchange is asked about each thread that is missing in it.
 * @param {import("../lib/exchange.js").Exchange} exchange
 * @param {readonly import("../lib/tree/tree.js").LocalThread[]} missing
 */
async function removeDeleted(exchange, missing) {
  let deleted = 0;
  for (const { name, path } of missing) {
    const first = join(path, `000-${name}.messe-af.yaml`);
    const ref = existsSync(first) ? readEnvelope(first).ref : name;
    if (!(await isDeleted(exchange, ref))) continue;
    rmSync(path, { recursive: true });
    deleted++;
  }
  return deleted;
}

/** @param {import("../lib/exchange.js").Exchange} exchange @param {string} ref */
async function isDeleted(exchange, ref) {
  try {
    await exchange.get(`/mess/${encodeURIComponent(ref)}`, { query: { limit: 1 } });
    return false;
  } catch (error) {
    if (error instanceof CliError && error.exit === "notFound")
      return error.code === "thread_deleted";
    throw error;
  }
}
