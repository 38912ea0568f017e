/**
 * Builds the deployed copy of `public/`: each page's modules become one file, and so do its styles and each language;
 * everything is minified, and paths stay the same. Languages and `/vendor/` are still loaded on demand.
 */
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { build } from "esbuild";
import { ROOT } from "./exchange/wrangler.ts";

const SOURCE = join(ROOT, "public");
const BUNDLES = [
  "respond/app.js",
  "respond/respond.css",
  "respond/sw.js",
  "respond/add-photo/add-photo.js",
  "inbox/inbox.js",
  "console/console.js",
  "operator/operator.js",
  "inbox/agent-groups/agent-groups.js",
  "inbox/messages/messages.js",
];
/** The other languages, one file each; the English texts are part of the bundles. */
const LANGUAGES =
  /^(?:respond|inbox|console|inbox\/agent-groups|inbox\/messages)\/lang\/(?!en\.)\w+\.js$/;
const SINGLE_FILES =
  /^(?:respond\/early-preferences\.js|assets\/.*\.js|(?!respond\/(?:respond\.css|styles\/)).*\.css)$/;
const COPIED_FILES = /^_headers$|^assets\/lang\/.*\.json$|\.(?:svg|png|webmanifest|woff2)$/;
const MODULE_PRELOAD = '<link rel="modulepreload"';

/** @param directory is emptied first */
export async function buildPages(directory: string): Promise<void> {
  rmSync(directory, { recursive: true, force: true });
  const sources = readdirSync(SOURCE, { recursive: true, encoding: "utf8" })
    .map((name) => name.replaceAll("\\", "/"))
    .filter((name) => !name.startsWith("vendor/"));
  const options = {
    absWorkingDir: SOURCE,
    outbase: ".",
    outdir: directory,
    minify: true,
    target: "es2023",
    format: "esm",
    legalComments: "none",
    logLevel: "warning",
  } as const;
  const bundles = [...BUNDLES, ...sources.filter((name) => LANGUAGES.test(name))];
  await build({ ...options, entryPoints: bundles, bundle: true, external: ["/vendor/*"] });
  await build({ ...options, entryPoints: sources.filter((name) => SINGLE_FILES.test(name)) });
  for (const name of sources.filter((one) => COPIED_FILES.test(one))) {
    const target = join(directory, name);
    mkdirSync(dirname(target), { recursive: true });
    copyFileSync(join(SOURCE, name), target);
  }
  for (const name of sources.filter((one) => one.endsWith("/index.html"))) {
    const page = readFileSync(join(SOURCE, name), "utf8")
      .split("\n")
      .filter((line) => !line.trimStart().startsWith(MODULE_PRELOAD))
      .join("\n");
    writeFileSync(join(directory, name), page.replaceAll(/^\s+/gm, ""));
  }
  // Last, since the service worker's list contains a digest of all files.
  execFileSync(process.execPath, [join(ROOT, "scripts/copy-vendor.js"), directory]);
}
