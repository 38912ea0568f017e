/** `mess push`: imports a folder that `mess pull` or another exchange has written. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative, resolve, sep } from "node:path";
import { readArguments } from "../lib/command.js";
import { usageError } from "../lib/errors.js";
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
            `refused: ${toSafeText(name)}: ${toSafeText(error.message)}. ${toSafeText(error.hint)}`,
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
 * @param {import("../lib/exchange.js").Exchange} exchange
 * @param {string} root
 * @param {readonly import("../lib/tree/tree.js").LocalThread[]} threads
 */
async function pushThreads(exchange, root, threads) {
  const progress = new Progress("Pushing", threads.length);
  let [imported, same] = [0, 0];
  /** @type {{ name: string, error: { message: string, hint: string } }[]} */
  const refused = [];
  for (const { files, count } of packBatches(root, threads)) {
    const response = await exchange.call("POST", "/mess/import", {
      headers: { "Content-Type": "application/zip" },
      body: writeZip(files),
    });
    const result = await response.json();
    for (const { fresh } of result.imported)
      if (fresh) imported++;
      else same++;
    refused.push(...result.refused);
    progress.add("", { count, bytes: files.reduce((sum, { bytes }) => sum + bytes.length, 0) });
  }
  progress.end();
  return { imported, same, refused };
}

/**
 * Reads the files while they are sent, one call at a time.
 * @param {string} root
 * @param {readonly import("../lib/tree/tree.js").LocalThread[]} threads
 */
function* packBatches(root, threads) {
  /** @type {{ name: string, bytes: Uint8Array }[]} */
  let files = [];
  let [count, size] = [0, 0];
  for (const { path } of threads) {
    const own = readdirSync(path).map((name) => {
      const file = join(path, name);
      return {
        name: relative(root, file).split(sep).join("/"),
        bytes: new Uint8Array(readFileSync(file)),
      };
    });
    const ownSize = own.reduce((sum, { bytes }) => sum + bytes.length, 0);
    const isFull =
      count >= MAX_BATCH_THREADS ||
      files.length + own.length > MAX_BATCH_FILES ||
      size + ownSize > MAX_BATCH_BYTES;
    if (isFull && count > 0) {
      yield { files, count };
      files = [];
      [count, size] = [0, 0];
    }
    files.push(...own);
    count++;
    size += ownSize;
  }
  if (count > 0) yield { files, count };
}
