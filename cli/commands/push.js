/** `mess push`: imports a folder that `mess pull` or another exchange has written. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative, resolve, sep } from "node:path";
import { readArguments } from "../lib/command.js";
import { CliError, usageError } from "../lib/errors.js";
import { Progress } from "../lib/progress.js";
import { toSafeText } from "../lib/text.js";
import { isSameTime, readTree, toFolderName } from "../lib/tree/tree.js";
import { writeZip } from "../lib/tree/write-zip.js";
import { listThreads } from "./list.js";

const USAGE = "mess push FOLDER [--config] [--all]";
/** Threads of one call: few, so that little is repeated after an interruption. */
const MAX_BATCH_THREADS = 10;
/** The exchange accepts 200 files and 25 MB. */
const MAX_BATCH_FILES = 150;
const MAX_BATCH_BYTES = 20 * 1024 * 1024;

/** @type {import("../lib/command.js").Command} */
export const push = {
  name: "push",
  summary: "Import a folder of requests into the household, for owners",
  usage: [USAGE],
  description: `FOLDER has requests in state=…/REF, as mess pull writes them. Requests that the household has already are
left as they are, so that you can interrupt the command and repeat it: nothing is imported twice. A
different request with the same ref is refused and reported, and the others are imported.`,
  options: {
    config: { type: "boolean", help: "import config.yaml, too: members, routing and settings" },
    all: {
      type: "boolean",
      short: "a",
      help: "send all requests, also those that look unchanged, to compare them",
    },
  },
  examples: [
    ["mess push ~/household --profile new --config", "move a household to another exchange"],
  ],
  run: async (context) => {
    const [folder = ""] = readArguments(context, ["FOLDER"], USAGE);
    const root = resolve(folder);
    const exchange = context.exchange();
    const local = [...readTree(root).values()];
    const config = join(root, "config.yaml");
    if (local.length === 0 && !(context.values["config"] && existsSync(config)))
      throw usageError(
        `${root} has no requests in state=…/`,
        "Name the folder that mess pull has written.",
      );
    const warnings = context.values["config"] ? await pushConfig(exchange, config) : [];
    const known = new Map(
      (await listThreads(exchange, {}, Infinity)).map(({ ref, updated }) => [
        toFolderName(ref),
        updated,
      ]),
    );
    const missing = local.filter(
      ({ name, updated }) => context.values["all"] || !isSameTime(known.get(name) ?? "", updated),
    );
    const result = await pushThreads(exchange, root, missing);
    const summary = {
      folder: root,
      threads: local.length,
      unchanged: local.length - missing.length + result.same,
      imported: result.imported,
      refused: result.refused,
      warnings,
    };
    context.show(summary, () =>
      [
        `${root}: ${summary.imported} of ${local.length} requests imported, ${summary.unchanged} were there already${result.refused.length > 0 ? `, ${result.refused.length} refused` : ""}.`,
        ...warnings.map((/** @type {unknown} */ one) => `warning: ${toSafeText(one)}`),
        ...result.refused.map(
          ({ name, error }) =>
            `refused: ${toSafeText(name)}: ${toSafeText(error.message)}. ${toSafeText(error.hint ?? "")}`,
        ),
      ].join("\n"),
    );
    return result.refused.length > 0 ? "refused" : "ok";
  },
};

/** @param {import("../lib/exchange.js").Exchange} exchange @param {string} path @returns {Promise<string[]>} */
async function pushConfig(exchange, path) {
  if (!existsSync(path))
    throw usageError(
      `${path} is missing`,
      "Leave out --config, or pull the household as an owner.",
    );
  const response = await exchange.call("POST", "/api/v1/config", {
    headers: { "Content-Type": "application/yaml" },
    body: readFileSync(path, "utf8"),
  });
  return (await response.json()).warnings;
}

/**
 * @typedef {object} PackedThread
 * @property {string} name
 * @property {{ name: string, bytes: Uint8Array }[]} files
 * @property {number} size bytes
 */

/**
 * @typedef {object} Pushed
 * @property {number} imported
 * @property {number} same
 * @property {{ name: string, error: { message: string, hint?: string } }[]} refused
 */

/**
 * @param {import("../lib/exchange.js").Exchange} exchange
 * @param {string} root
 * @param {readonly import("../lib/tree/tree.js").LocalThread[]} threads
 * @returns {Promise<Pushed>}
 */
async function pushThreads(exchange, root, threads) {
  const progress = new Progress("Pushing", threads.length);
  /** @type {Pushed} */
  const pushed = { imported: 0, same: 0, refused: [] };
  for (const batch of packBatches(root, threads)) {
    await pushBatch(exchange, batch, pushed);
    progress.add("", {
      count: batch.length,
      bytes: batch.reduce((sum, { size }) => sum + size, 0),
    });
  }
  progress.end();
  return pushed;
}

/**
 * A folder that the exchange does not accept fails the whole call, so its threads are then sent one by one.
 * @param {import("../lib/exchange.js").Exchange} exchange
 * @param {readonly PackedThread[]} batch
 * @param {Pushed} pushed
 */
async function pushBatch(exchange, batch, pushed) {
  try {
    const response = await exchange.call("POST", "/mess/import", {
      headers: { "Content-Type": "application/zip" },
      body: writeZip(batch.flatMap(({ files }) => files)),
    });
    const result = await response.json();
    for (const { fresh } of result.imported) pushed[fresh ? "imported" : "same"]++;
    pushed.refused.push(...result.refused);
  } catch (error) {
    if (!(error instanceof CliError) || error.exit !== "refused") throw error;
    const [first, ...others] = batch;
    if (first && others.length === 0)
      pushed.refused.push({
        name: first.name,
        error: { message: error.message, hint: error.hint },
      });
    else for (const one of batch) await pushBatch(exchange, [one], pushed);
  }
}

/**
 * Reads the files while they are sent, one call at a time.
 * @param {string} root
 * @param {readonly import("../lib/tree/tree.js").LocalThread[]} threads
 */
function* packBatches(root, threads) {
  /** @type {PackedThread[]} */
  let batch = [];
  let [files, bytes] = [0, 0];
  for (const thread of threads) {
    const packed = packThread(root, thread);
    const isFull =
      batch.length >= MAX_BATCH_THREADS ||
      files + packed.files.length > MAX_BATCH_FILES ||
      bytes + packed.size > MAX_BATCH_BYTES;
    if (isFull && batch.length > 0) {
      yield batch;
      batch = [];
      [files, bytes] = [0, 0];
    }
    batch.push(packed);
    files += packed.files.length;
    bytes += packed.size;
  }
  if (batch.length > 0) yield batch;
}

/** @param {string} root @param {import("../lib/tree/tree.js").LocalThread} thread @returns {PackedThread} */
function packThread(root, { name, path }) {
  const files = readdirSync(path).map((file) => ({
    name: relative(root, join(path, file)).split(sep).join("/"),
    bytes: new Uint8Array(readFileSync(join(path, file))),
  }));
  return { name, files, size: files.reduce((sum, { bytes }) => sum + bytes.length, 0) };
}
