/** The Worker as it is deployed: minified, and small enough for a quick upload and start. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ROOT } from "../../scripts/lib/exchange/wrangler.ts";

/** Decision 156 says what each capability may add. */
const MAX_BUNDLE_GZIP_KIB = 634;
const BIN = join(ROOT, "node_modules", ".bin");

/** The global setup has bundled the Worker. */
const directory = process.env["MESS_TEST_BUNDLE"] ?? "";

describe("the deployed Worker", () => {
  it(`the Worker is uploaded with at most ${MAX_BUNDLE_GZIP_KIB} KiB after compression`, () => {
    const report = readFileSync(join(directory, "report.txt"), "utf8");
    const size = Number(/ gzip: ([\d.]+) KiB/.exec(report)?.[1]);

    expect(size).toBeGreaterThan(0);
    expect(size).toBeLessThanOrEqual(MAX_BUNDLE_GZIP_KIB);
  });

  it("npm run locate finds the source of a stack frame of the minified Worker", () => {
    const text = "nothing is served at this path";
    const [line, column] = findPosition(readBundle(), text);
    const frame = JSON.stringify({ at_frames: `    at o (index.js:${line}:${column})` });

    const located = execFileSync(
      join(BIN, "node"),
      [join(ROOT, "scripts", "locate.ts"), join(directory, "index.js.map")],
      { encoding: "utf8", input: frame },
    );

    const [, file = "", sourceLine] = /\((src\/[^:]+):(\d+):\d+\)/.exec(located) ?? [];
    expect(file, located).not.toBe("");
    expect(readFileSync(join(ROOT, file), "utf8").split("\n")[Number(sourceLine) - 1]).toContain(
      text,
    );
  });
});

const readBundle = (): string => readFileSync(join(directory, "index.js"), "utf8");

/** Line and column of a stack frame, both from 1. */
function findPosition(bundle: string, text: string): [line: number, column: number] {
  const before = bundle.slice(0, bundle.indexOf(text)).split("\n");
  return [before.length, before.at(-1)!.length];
}
