/** What must come over a slow line before a request can be read and answered. */
import { readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { ROOT } from "../../../scripts/lib/wrangler.ts";

const toText = (path: string) => readFileSync(join(ROOT, "public", path), "utf8");
/** Everything that a module imports before it runs, itself included; what it loads later is not. */
function listNeededFiles(path: string, known = new Set<string>()): Set<string> {
  if (known.has(path)) return known;
  known.add(path);
  for (const [, from] of toText(path).matchAll(/^(?:import|export)\s[^;]*?from "([^"]+)";$/gms))
    listNeededFiles(posix.join(posix.dirname(path), from ?? ""), known);
  return known;
}

describe.each([
  ["respond", "respond/app.js", ["respond/respond.css"]],
  ["inbox", "inbox/inbox.js", ["respond/respond.css", "inbox/inbox.css"]],
])("the first view of the page %s", (folder, main, styles) => {
  const page = toText(`${folder}/index.html`);
  const modules = [...listNeededFiles(main)];

  test("the first view of a page is under 60 KB, compressed", () => {
    const files = [`${folder}/index.html`, ...styles, ...modules];
    const bytes = files.reduce((sum, path) => sum + gzipSync(toText(path)).length, 0);

    expect(modules.length).toBeGreaterThan(20);
    expect(bytes).toBeLessThan(60 * 1024);
  });

  test("the first view of a page preloads every module that it needs, and no other", () => {
    const preloaded = [...page.matchAll(/rel="modulepreload" href="\/([^"]+)"/g)].map(
      ([, path]) => path,
    );

    expect(new Set(preloaded)).toEqual(new Set(modules.filter((path) => path !== main)));
    expect(new Set(preloaded).size).toBe(preloaded.length);
  });

  test("the first view of a page has neither script nor style inside, and loads nothing from elsewhere", () => {
    expect(page).not.toMatch(/<script(?![^>]* src="\/)|<style|\sstyle=|\son\w+=/i);
    for (const [, address] of page.matchAll(/\b(?:src|href|action)="([^"#]*)"/g))
      expect(address).toMatch(/^\/(?!\/)/);
  });
});

test.each(["respond", "inbox"])("no module of the page %s makes markup from text", (folder) => {
  const sources = readdirSync(join(ROOT, "public", folder)).filter((name) => name.endsWith(".js"));
  for (const name of sources)
    expect(toText(`${folder}/${name}`), name).not.toMatch(
      /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|srcdoc/,
    );
});
