/** `mess export` and `mess import`: single archives. */
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { readArguments } from "../lib/command.js";
import { usageError } from "../lib/errors.js";
import { readInput } from "../lib/files.js";
import { toSafeText } from "../lib/text.js";
import { download } from "../lib/tree/download.js";
import { toFileName } from "../lib/tree/names.js";

const EXPORT_USAGE = "mess export [REF] [--to FOLDER]";
const IMPORT_USAGE = "mess import FILE…";

/** @type {import("../lib/command.js").Command} */
export const exportArchive = {
  name: "export",
  summary: "Save a request, or for owners the whole household, as a zip archive",
  usage: [EXPORT_USAGE],
  description:
    "A large household comes in several archives, each of which can be imported. mess pull writes a folder instead.",
  options: {
    to: {
      type: "string",
      short: "o",
      value: "FOLDER",
      help: "where to save it; else in the current folder",
    },
  },
  examples: [
    ["mess export last", "your newest request with its files"],
    ["mess export --to backup", "the household"],
  ],
  run: async (context) => {
    const [ref = ""] = readArguments(context, ["REF?"], EXPORT_USAGE);
    const folder = resolve(context.values["to"] ?? ".");
    if (!existsSync(folder)) throw usageError(`there is no folder ${folder}`, "Make it first.");
    /** @type {string[]} */
    const files = [];
    /** @type {string | undefined} */
    let path = ref === "" ? "/mess/export.zip" : `/mess/${encodeURIComponent(ref)}/archive.zip`;
    while (path !== undefined) {
      const response = await context.exchange().call("GET", path, { headers: { Accept: "*/*" } });
      const named =
        /filename="([^"]+)"/.exec(response.headers.get("Content-Disposition") ?? "")?.[1] ??
        "mess.messe-af.zip";
      const name = toFileName(named).replace(
        /^([^.]+)/,
        files.length === 0 ? "$1" : `$1-${files.length + 1}`,
      );
      await download(response, join(folder, name));
      files.push(join(folder, name));
      path = /<([^>]+)>;\s*rel="next"/.exec(response.headers.get("Link") ?? "")?.[1];
    }
    context.show({ files }, () => files.join("\n"));
  },
};

/** @type {import("../lib/command.js").Command} */
export const importArchive = {
  name: "import",
  summary: "Import archives or single request files, for owners",
  usage: [IMPORT_USAGE],
  description:
    "A file that is imported again changes nothing. The configuration in an archive is imported, too.",
  examples: [["mess import home.messe-af.zip", "an archive of mess export"]],
  run: async (context) => {
    if (context.args.length === 0) throw usageError("FILE is missing", `Write: ${IMPORT_USAGE}`);
    /** @type {any[]} */
    const results = [];
    for (const file of context.args) {
      const body = await readInput(file);
      const isZip = body[0] === 0x50 && body[1] === 0x4b;
      const headers = { "Content-Type": isZip ? "application/zip" : "application/yaml" };
      const response = await context.exchange().call("POST", "/mess/import", { headers, body });
      results.push({ file, ...(await response.json()) });
    }
    const refused = results.flatMap((one) => one.refused);
    context.show({ results }, () =>
      results
        .flatMap(({ file, imported, refused: failed }) => [
          ...imported.map(
            (/** @type {any} */ one) =>
              `${file}: ${one.ref} ${one.fresh ? "imported" : "was there already"}`,
          ),
          ...failed.map(
            (/** @type {any} */ one) =>
              `${file}: ${toSafeText(one.name)} refused: ${toSafeText(one.error.message)}. ${toSafeText(one.error.hint)}`,
          ),
        ])
        .join("\n"),
    );
    return refused.length > 0 ? "refused" : "ok";
  },
};
