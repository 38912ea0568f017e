/**
 * Copies the browser modules of others from node_modules into `public/vendor/`, which git ignores. Wrangler runs it
 * before it serves or deploys; in plain JavaScript, so that any Node runs it.
 */
import { copyFileSync, mkdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";

const at = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));

const FILES = [
  ["@simplewebauthn/browser/dist/bundle/index.umd.min.js", "simplewebauthn-browser.js"],
];

const isSame = (from, to) => {
  try {
    return readFileSync(from).equals(readFileSync(to));
  } catch {
    return false;
  }
};

for (const [from, to] of FILES) {
  const [source, target] = [at(`node_modules/${from}`), at(`public/vendor/${to}`)];
  mkdirSync(dirname(target), { recursive: true });
  // Written only when it changed: wrangler watches what it serves.
  if (!isSame(source, target)) copyFileSync(source, target);
}
