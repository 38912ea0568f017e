import { globSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

/** The entry point exports wrapped objects under the names of their classes, which `wrangler.toml` names. */
const REEXPORTING_FILES = ["src/index.ts"];
const DECLARATION = /^export (?:abstract )?(?:class|interface|type|enum) (\w+)/gm;

/** Returns `name: file file` for each exported type that several of these files declare. */
function findDuplicates(sources: ReadonlyMap<string, string>): string[] {
  const filesByName = new Map<string, string[]>();
  for (const [file, source] of sources)
    for (const [, name = ""] of source.matchAll(DECLARATION))
      filesByName.set(name, [...(filesByName.get(name) ?? []), file]);
  return [...filesByName]
    .filter(([, files]) => files.length > 1)
    .map(([name, files]) => `${name}: ${files.join(" ")}`);
}

it("every exported type of src has a unique name", () => {
  const files = globSync("src/**/*.ts").filter((file) => !REEXPORTING_FILES.includes(file));
  const sources = new Map(files.map((file) => [file, readFileSync(file, "utf8")]));

  const duplicates = findDuplicates(sources);

  expect(files.length).toBeGreaterThan(300);
  expect(duplicates).toEqual([]);
});

it("the check of exported types finds two types of one name, and ignores imports and exports of one declaration", () => {
  const sources = new Map([
    [
      "a.ts",
      "export interface Link {\n}\nexport type { Thread } from './b.ts';\ntype Row = string;",
    ],
    ["b.ts", "export class Link {}\nexport type Thread = string;\nexport interface Row {\n}"],
  ]);

  expect(findDuplicates(sources)).toEqual(["Link: a.ts b.ts"]);
});
