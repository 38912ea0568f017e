/** Checks that every link between the pages resolves, and that every cited decision or section exists. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { ROOT } from "../../../scripts/lib/exchange/wrangler.ts";
import { readPage } from "../../support/markdown.ts";

const FOLDERS = ["src", "public", "test", "scripts", "bench", "docs", "skill", "examples"];
const TEXT = /\.(?:ts|js|md|yaml|yml|toml|sql|html|css)$/;
const isOurs = (path: string): boolean =>
  !/(?:^|\/)(?:vendor|node_modules|\.wrangler)\//.test(path) && TEXT.test(path);

/** Paths from the root, with forward slashes. */
const FILES: readonly string[] = [
  ...FOLDERS.filter((folder) => existsSync(join(ROOT, folder))).flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)).replaceAll("\\", "/")),
  ),
  ...readdirSync(ROOT, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name),
].filter(isOurs);

const PAGES = FILES.filter((path) => path.endsWith(".md"));

const stripCode = (markdown: string): string =>
  markdown
    .replaceAll(/^(`{3,})[^]*?^\1$/gm, "")
    .replaceAll(/`[^`\n]*`/g, (code) => "c".repeat(code.length));

/** Anchors of a page's headings, as GitHub makes them. */
function listAnchors(markdown: string): Set<string> {
  const anchors = new Set<string>();
  for (const [, heading = ""] of markdown
    .replaceAll(/^(`{3,})[^]*?^\1$/gm, "")
    .matchAll(/^#{1,6} (.+)$/gm)) {
    const plain = heading
      .trim()
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\p{M} _-]/gu, "")
      .replaceAll(" ", "-");
    for (let copy = 0; ; copy++) {
      const anchor = copy === 0 ? plain : `${plain}-${copy}`;
      if (anchors.has(anchor)) continue;
      anchors.add(anchor);
      break;
    }
  }
  return anchors;
}

/** The error of a page's link; undefined if the link resolves. */
function findDeadLink(page: string, target: string): string | undefined {
  if (/^(?:https?|mailto):/.test(target)) return undefined;
  const [path = "", anchor] = target.split("#");
  const file = path === "" ? page : join(dirname(page), path);
  if (!existsSync(join(ROOT, file))) return `${target}: no such file`;
  if (anchor === undefined || !file.endsWith(".md")) return undefined;
  return listAnchors(readPage(file)).has(anchor) ? undefined : `${target}: no such heading`;
}

const listLinks = (markdown: string): string[] =>
  [...stripCode(markdown).matchAll(/\]\(([^()\s]+)(?: "[^"]*")?\)/g)].map(([, target]) => target!);

describe("links of Markdown pages", () => {
  it.each(PAGES)("every link of %s leads somewhere", (page) => {
    const dead = listLinks(readPage(page)).map((target) => findDeadLink(page, target));

    expect(dead.filter((one) => one !== undefined)).toEqual([]);
  });

  it("the checked links include links to headings", () => {
    expect(findDeadLink("docs/protocol.md", "configuration.md#routing")).toBeUndefined();
    expect(findDeadLink("docs/protocol.md", "configuration.md#no-such-heading")).toBeDefined();
    expect(findDeadLink("docs/protocol.md", "no-such-page.md")).toBeDefined();
  });
});

/** Files and folders that a page names as code, such as `src/mess/wire/schema.ts`. */
const listPaths = (markdown: string): string[] =>
  [
    ...markdown.matchAll(
      /`((?:src|public|test|scripts|bench|docs|skill|migrations|examples)\/[\w./-]*)`/g,
    ),
  ].map(([, path]) => path!);

describe("files that Markdown pages name", () => {
  it.each(PAGES.filter((page) => listPaths(readPage(page)).length > 0))(
    "every file that %s names exists",
    (page) => {
      const missing = listPaths(readPage(page)).filter((path) => !existsSync(join(ROOT, path)));

      expect(missing).toEqual([]);
    },
  );
});

const DECISIONS = new Set(
  [...readPage("docs/decisions.md").matchAll(/^### (\d+)\. /gm)].map(([, number]) =>
    Number(number),
  ),
);
const SECTIONS = new Set(
  [...readPage("docs/protocol.md").matchAll(/^##+ (\d+(?:\.\d+)?)\.? /gm)].map(
    ([, number]) => number!,
  ),
);

/** Joins the lines of comments, which may break between a word and its number. */
const unfoldText = (text: string): string => text.replaceAll(/\n[ \t]*(?:\*|\/\/|#)?[ \t]*/g, " ");

const LIST = String.raw`\d+(?:(?:, and |, | and | to |–|-)\d+)*`;

/** Numbers of `decision 7`, `decisions 3, 4 and 16 to 18`. */
const listDecisions = (text: string): number[] =>
  [...unfoldText(text).matchAll(new RegExp(String.raw`\bdecisions? (${LIST})`, "gi"))].flatMap(
    ([, list = ""]) =>
      list.split(/, and |, | and /).flatMap((part) => {
        const [first = 0, last = first] = part.split(/ to |–|-/).map(Number);
        return Array.from({ length: last - first + 1 }, (_, index) => first + index);
      }),
  );

/** Sections of `protocol §7.3, §8.6`. */
const listSections = (text: string): string[] =>
  [
    ...unfoldText(text).matchAll(
      /\bprotocol §\d+(?:\.\d+)?(?:(?:, and |, | and | to )§\d+(?:\.\d+)?)*/gi,
    ),
  ]
    .flatMap(([list]) => [...list.matchAll(/§(\d+(?:\.\d+)?)/g)])
    .map(([, number]) => number!);

/** Citations of documents outside the repository, and of sections without a page. */
const UNKNOWN = [
  /\bprotocol 1\.\d §/i,
  /\bMESSE-AF,? (?:V2,? )?(?:[A-Z][a-z]+ (?:re: )?[A-Z][a-z]+|Overview)/,
  /(?<!\bprotocol )(?<!\d(?:, and |, | and | to ))§\d/i,
  /\bP1\.1\b|(?<!MESSE-)\bAF \d/,
];

const SELF = "test/unit/docs/links.test.ts";
const CITING = FILES.filter((path) => path !== SELF && !path.startsWith("test/fixtures/"));
const readText = (path: string): string => readFileSync(join(ROOT, path), "utf8");

describe("citations", () => {
  it("the checks of citations find the cited pages, and files that cite them", () => {
    const all = CITING.map(readText);

    expect(DECISIONS.size).toBeGreaterThan(80);
    expect(SECTIONS.size).toBeGreaterThan(50);
    expect(all.flatMap(listDecisions).length).toBeGreaterThan(200);
    expect(all.flatMap(listSections).length).toBeGreaterThan(50);
  });

  it("citations are read from lists and ranges, across the lines of a comment", () => {
    expect(listDecisions("(decisions 1, 3 and 5 to 7)")).toEqual([1, 3, 5, 6, 7]);
    expect(listDecisions("as decided\n * (decision\n * 12)")).toEqual([12]);
    expect(listSections("(protocol §7.3, §8.6)")).toEqual(["7.3", "8.6"]);
  });

  it("every cited decision is in docs/decisions.md", () => {
    const dangling = CITING.flatMap((path) =>
      listDecisions(readText(path))
        .filter((number) => !DECISIONS.has(number))
        .map((number) => `${path}: decision ${number}`),
    );

    expect(dangling).toEqual([]);
  });

  it("every cited section is in docs/protocol.md", () => {
    const dangling = CITING.flatMap((path) =>
      listSections(readText(path))
        .filter((number) => !SECTIONS.has(number))
        .map((number) => `${path}: protocol §${number}`),
    );

    expect(dangling).toEqual([]);
  });

  it("every cited document is in the repository", () => {
    const unknown = CITING.filter((path) => path !== "docs/protocol.md").flatMap((path) =>
      UNKNOWN.flatMap((pattern) => {
        const [found] = pattern.exec(unfoldText(readText(path))) ?? [];
        return found === undefined ? [] : [`${path}: ${found}`];
      }),
    );

    expect(unknown).toEqual([]);
  });
});
