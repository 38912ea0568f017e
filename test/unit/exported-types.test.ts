import { globSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

/** The entry point wraps the objects under the names that the deployment's configuration knows. */
const WRAPPERS = ["src/index.ts"];
const DECLARATION = /^export (?:abstract )?(?:class|interface|type|enum) (\w+)/gm;

/** `name: file file` for each exported type that several of these files declare. */
function findDuplicates(sources: ReadonlyMap<string, string>): string[] {
  const filesByName = new Map<string, string[]>();
  for (const [file, source] of sources)
    for (const [, name = ""] of source.matchAll(DECLARATION))
      filesByName.set(name, [...(filesByName.get(name) ?? []), file]);
  return [...filesByName]
    .filter(([, files]) => files.length > 1)
    .map(([name, files]) => `${name}: ${files.join(" ")}`);
}

it("declares every exported type of src under a name of its own", () => {
  const files = globSync("src/**/*.ts").filter((file) => !WRAPPERS.includes(file));
  const sources = new Map(files.map((file) => [file, readFileSync(file, "utf8")]));

  const duplicates = findDuplicates(sources);

  expect(files.length).toBeGreaterThan(300);
  expect(duplicates).toEqual([]);
});

it("finds two exported types of one name, and no name that is only imported or exported again", () => {
  const sources = new Map([
    [
      "a.ts",
      "export interface Link {\n}\nexport type { Thread } from './b.ts';\ntype Row = string;",
    ],
    ["b.ts", "export class Link {}\nexport type Thread = string;\nexport interface Row {\n}"],
  ]);

  expect(findDuplicates(sources)).toEqual(["Link: a.ts b.ts"]);
});
