import { globSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { RELEASE_STEPS } from "../../../scripts/lib/release-steps.ts";

const readAll = (pattern: string): string =>
  globSync(pattern)
    .map((file) => readFileSync(file, "utf8"))
    .join("\n");

describe("the sizes of a release run", () => {
  it.each(RELEASE_STEPS)("the step $name names tests and sizes that exist", ({ files, sizes }) => {
    for (const file of files) expect(globSync(`${file}*.test.ts`), file).not.toEqual([]);

    const sources = `${readAll("vitest.config.ts")}${readAll("test/{unit,e2e}/**/*.test.ts")}`;
    for (const name of Object.keys(sizes)) expect(sources).toContain(`process.env["${name}"]`);
  });

  it("the sizes of a release run are those that CONTRIBUTING.md lists", () => {
    const guide = readFileSync("CONTRIBUTING.md", "utf8");

    for (const { name, rounds, sizes } of RELEASE_STEPS) {
      const texts = Object.entries(sizes).map(([size, value]) => `\`${size}=${value}\``);
      expect(guide).toContain(`| \`${name}\` | ${texts.join(", ")} | ${rounds} |`);
    }
  });
});
