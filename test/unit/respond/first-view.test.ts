/**
 * The first view of the pages as they are served during development, module by module. The size limit is checked for
 * the deployed pages: see test/e2e/respond/suites/deployed-files.ts.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { describe, expect, test } from "vitest";
import { ROOT } from "../../../scripts/lib/exchange/wrangler.ts";

const toText = (path: string) => readFileSync(join(ROOT, "public", path), "utf8");
/** All static imports of a module, itself included, without those that it loads later. */
function listNeededFiles(path: string, known = new Set<string>()): Set<string> {
  if (known.has(path)) return known;
  known.add(path);
  for (const [, from] of toText(path).matchAll(/^(?:import|export)\s[^;]*?from "([^"]+)";$/gms))
    listNeededFiles(posix.join(posix.dirname(path), from ?? ""), known);
  return known;
}

describe.each([
  ["respond", "respond/app.js"],
  ["inbox", "inbox/inbox.js"],
])("the first view of the page %s", (folder, main) => {
  const page = toText(`${folder}/index.html`);
  const modules = [...listNeededFiles(main)];

  test("the first view of a page preloads every module that it needs, and no others", () => {
    const preloaded = [...page.matchAll(/rel="modulepreload" href="\/([^"]+)"/g)].map(
      ([, path]) => path,
    );

    expect(modules.length).toBeGreaterThan(20);
    expect(new Set(preloaded)).toEqual(new Set(modules.filter((path) => path !== main)));
    expect(new Set(preloaded).size).toBe(preloaded.length);
  });

  test("the first view of a page has no inline script or style, and loads nothing from other hosts", () => {
    expect(page).not.toMatch(/<script(?![^>]* src="\/)|<style|\sstyle=|\son\w+=/i);
    for (const [, address] of page.matchAll(/\b(?:src|href|action)="([^"#]*)"/g))
      expect(address).toMatch(/^\/(?!\/)/);
  });
});

test.each(["respond", "inbox", "inbox/agent-groups", "inbox/messages"])(
  "no module of the page %s builds markup from text",
  (folder) => {
    const sources = readdirSync(join(ROOT, "public", folder)).filter((name) =>
      name.endsWith(".js"),
    );
    for (const name of sources)
      expect(toText(`${folder}/${name}`), name).not.toMatch(
        /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|srcdoc/,
      );
  },
);
