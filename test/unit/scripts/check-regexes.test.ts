import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { explainNotLinear, removeLargeCounts } from "../../../scripts/lib/regexes/regex-cost.ts";
import { findRegexes } from "../../../scripts/lib/regexes/regex-literals.ts";

const SCRIPT = resolve(import.meta.dirname, "../../../scripts/check-regexes.ts");

/** Runs the check on one file with this text. */
function check(text: string) {
  const folder = mkdtempSync(join(tmpdir(), "regexes-"));
  const file = join(folder, "sample.ts");
  try {
    writeFileSync(file, text);
    const run = spawnSync(process.execPath, [SCRIPT, file], { encoding: "utf8" });
    return { status: run.status, errors: run.stderr.replaceAll(file, "sample.ts") };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe("npm run check:regexes", () => {
  it("check:regexes fails with the file and line of a regex that is not linear", () => {
    const { status, errors } = check("const fine = /ab+/;\nconst slow = /-+$/;\n");

    expect(status).toBe(1);
    expect(errors).toContain("sample.ts:2: /-+$/");
    expect(errors).not.toContain("sample.ts:1:");
  });

  it("check:regexes passes the file that reads durations", () => {
    const run = spawnSync(process.execPath, [SCRIPT, "src/mess/durations.ts"]);

    expect(run.status).toBe(0);
  });

  it("check:regexes passes a file whose regexes are linear", () => {
    expect(check("export const fine = /^a+b$/;\n").status).toBe(0);
  });

  it("check:regexes fails on a regex that cannot be parsed", () => {
    expect(check('export const broken = new RegExp("(");\n').status).toBe(1);
  });
});

describe("findRegexes", () => {
  const listRegexes = (text: string) =>
    findRegexes("sample.ts", text).map(({ pattern, flags }) => `${pattern} ${flags}`);

  it("findRegexes finds literals, and nothing in comments, texts, divisions or templates", () => {
    const text = [
      "// /comment+$/",
      "const a = '/text+$/', b = `/template+$/ ${'x'.replace(/inner/g, '')}`;",
      "const c = 4 / 2 / 1, d = (x: string) => /arrow[/]/u.test(x);",
    ].join("\n");

    expect(listRegexes(text)).toEqual(["inner g", "arrow[/] u"]);
  });

  it("findRegexes resolves constructed patterns from the constants of the file", () => {
    const text = [
      'const END = "[a-z]", DIGITS = `${END}\\\\d`;',
      "new RegExp(`^${DIGITS}+${unknown}`, 'i');",
      "RegExp(String.raw`\\s${END}` + '$');",
    ].join("\n");

    expect(listRegexes(text)).toEqual(["^[a-z]\\d+x i", "\\s[a-z]$ "]);
  });
});

describe("explainNotLinear", () => {
  it.each([
    ["-+$", ""],
    ["^(a+)+$", ""],
    ["^\\d*\\s*\\d*$", "i"],
    ["^a.{5,300}b.{0,200}:$", ""],
    ["(a", ""],
  ])("explainNotLinear rejects /%s/%s", (pattern, flags) => {
    expect(explainNotLinear(pattern, flags)).toBeTypeOf("string");
  });

  it.each([
    ["^-+", ""],
    ["ab+", "g"],
    ["^[a-z]{1,1000}$", "i"],
    ["(?<!x)\\p{L}+", "u"],
  ])("explainNotLinear accepts /%s/%s", (pattern, flags) => {
    expect(explainNotLinear(pattern, flags)).toBeUndefined();
  });

  it("explainNotLinear treats large counts as unlimited, outside of character classes", () => {
    expect(removeLargeCounts("a{5,300}[{1,99}]\\{1,99}b{2,4}c{64}\\u{1F600}d{0,99}")).toBe(
      "a{2,}[{1,99}]\\{1,99}b{2,4}c{8}\\u{1F600}d{0,}",
    );
  });
});
