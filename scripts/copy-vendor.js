/**
 * Makes `public/vendor/`, which git ignores: the browser modules of others, copied from node_modules, and the list of
 * the respond page's files with their digest, by which its service worker keeps them. Wrangler runs it before it
 * serves or deploys; in plain JavaScript, so that any Node runs it.
 */
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";

const at = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));

const FILES = [
  ["@simplewebauthn/browser/dist/bundle/index.umd.min.js", "simplewebauthn-browser.js"],
  ["marked/lib/marked.esm.js", "marked.js"],
  ["dompurify/dist/purify.min.js", "dompurify.js"],
];

const filesOf = (folder) =>
  readdirSync(at(`public/${folder}`), { recursive: true })
    .map((name) => `${folder}/${String(name).replaceAll("\\", "/")}`)
    .filter((name) => /\.(js|css|svg)$/.test(name) && name !== "respond/sw.js")
    .toSorted();

/** What the respond page and the inbox need to open without network; the pages themselves first. */
function shell() {
  const own = [...filesOf("respond"), ...filesOf("inbox")];
  const all = [...own, "vendor/marked.js", "vendor/dompurify.js"];
  const digest = createHash("sha256");
  for (const name of ["respond/index.html", "inbox/index.html", ...all])
    digest.update(name).update(bytes(`public/${name}`));
  const listed = {
    version: digest.digest("hex").slice(0, 16),
    files: ["/respond", "/inbox", ...all.map((name) => `/${name}`)],
  };
  return `export const SHELL = ${JSON.stringify(listed)};\n`;
}

const bytes = (path) => readFileSync(at(path));

/** Written only when it changed: wrangler watches what it serves. */
function write(path, content) {
  const target = at(`public/vendor/${path}`);
  try {
    if (readFileSync(target).equals(Buffer.from(content))) return;
  } catch {
    mkdirSync(dirname(target), { recursive: true });
  }
  // Several exchanges that start at once write the same, and none of them reads half of it.
  const part = `${target}.${process.pid}`;
  writeFileSync(part, content);
  renameSync(part, target);
}

for (const [from, to] of FILES)
  write(
    to,
    bytes(`node_modules/${from}`)
      .toString("utf8")
      .replace(/^\/\/# sourceMappingURL=.*$/m, ""),
  );
write("respond-shell.js", shell());
