/**
 * `node copy-vendor.js [DIR]` creates `public/vendor/` (or that of another copy of the pages), which git ignores:
 * third-party browser modules from node_modules, the skill for agents, the manifest of the installed inbox in each language, and the list of files that the service worker caches, with their
 * digest. Wrangler runs it before it serves or deploys. Plain JavaScript, so that it runs on any version of Node.
 */
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const at = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const PAGES = process.argv[2] ?? at("public");

const FILES = [
  ["@simplewebauthn/browser/dist/bundle/index.umd.min.js", "simplewebauthn-browser.js"],
  ["marked/lib/marked.esm.js", "marked.js"],
  ["dompurify/dist/purify.min.js", "dompurify.js"],
];

const filesOf = (folder) =>
  readdirSync(join(PAGES, folder), { recursive: true })
    .map((name) => `${folder}/${String(name).replaceAll("\\", "/")}`)
    .filter((name) => /\.(js|css|svg)$/.test(name) && name !== "respond/sw.js")
    .toSorted();

/** The files that the respond page and the inbox need offline. */
function shell() {
  const own = [...filesOf("respond"), ...filesOf("inbox")];
  const all = [...own, "vendor/marked.js", "vendor/dompurify.js"];
  const digest = createHash("sha256");
  for (const name of ["respond/index.html", "inbox/index.html", ...all])
    digest.update(name).update(readFileSync(join(PAGES, name)));
  const listed = {
    version: digest.digest("hex").slice(0, 16),
    files: ["/respond", "/inbox", ...all.map((name) => `/${name}`)],
  };
  return `export const SHELL = ${JSON.stringify(listed)};\n`;
}

/** Languages of the pages other than English, in which the manifest is written. */
const LANGUAGES = readdirSync(at("public/inbox/lang"))
  .map((name) => name.replace(".js", ""))
  .filter((name) => name !== "en");
/** The shortcuts' texts, in their order in the manifest. */
const SHORTCUT_TEXTS = ["app_mine", "group_open", "group_waiting"];

/** The installed app is named in the person's language; the page links to this manifest. */
async function translateManifest(language) {
  const manifest = JSON.parse(readFileSync(at("public/inbox/manifest.webmanifest"), "utf8"));
  const { texts } = await import(`../public/inbox/lang/${language}.js`);
  return {
    ...manifest,
    lang: language,
    dir: language === "ar" ? "rtl" : "ltr",
    name: texts["app_name"],
    short_name: texts["app_short"],
    description: texts["app_about"],
    shortcuts: manifest.shortcuts.map((one, index) => ({
      ...one,
      name: texts[SHORTCUT_TEXTS[index]],
    })),
  };
}

/** Writes a file only if it changed, since wrangler reloads on every change. */
function write(path, content) {
  const target = join(PAGES, "vendor", path);
  try {
    if (readFileSync(target).equals(Buffer.from(content))) return;
  } catch {
    mkdirSync(dirname(target), { recursive: true });
  }
  // Renaming is atomic: exchanges that start concurrently never read a partial file.
  const part = `${target}.${process.pid}`;
  writeFileSync(part, content);
  renameSync(part, target);
}

for (const [from, to] of FILES)
  write(
    to,
    readFileSync(at(`node_modules/${from}`), "utf8").replace(/^\/\/# sourceMappingURL=.*$/m, ""),
  );
for (const name of readdirSync(at("skill"), { recursive: true, encoding: "utf8" }))
  if (/\.(md|yaml)$/.test(name)) write(`skill/${name}`, readFileSync(at(`skill/${name}`)));
write("respond-shell.js", shell());
for (const language of LANGUAGES)
  write(`inbox-${language}.webmanifest`, JSON.stringify(await translateManifest(language)));
