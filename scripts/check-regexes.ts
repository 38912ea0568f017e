/**
 * Fails for every regex in src, public and scripts that can take more than linear time (ReDoS): a text of a few KB
 * would block the single-threaded Worker. `npm run check:regexes [file …]`
 */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { explainNotLinear } from "./lib/regexes/regex-cost.ts";
import { findRegexes } from "./lib/regexes/regex-literals.ts";

const ROOT = resolve(import.meta.dirname, "..");
const FOLDERS = ["src", "public", "scripts"];

const named = process.argv.slice(2);
const files = named.length > 0 ? named : listFiles();
const judged = new Map<string, string | undefined>();
let count = 0;
let slow = 0;
for (const file of files) {
  for (const { line, pattern, flags } of findRegexes(
    file,
    readFileSync(resolve(ROOT, file), "utf8"),
  )) {
    const regex = `/${pattern}/${flags}`;
    if (!judged.has(regex)) judged.set(regex, explainNotLinear(pattern, flags));
    const why = judged.get(regex);
    count += 1;
    if (why === undefined) continue;
    slow += 1;
    console.error(`${file}:${line}: ${regex} is not linear: ${why}`);
  }
}
if (slow > 0) {
  console.error(
    `${slow} of ${count} regexes are not linear. Rewrite each so that it can match a text in one way only; ` +
      "to strip characters from the ends of a text, use src/mess/strip.ts.",
  );
  process.exitCode = 1;
} else console.log(`${count} regexes take linear time`);

/** All source files that git does not ignore. */
function listFiles(): string[] {
  const list = ["ls-files", "--cached", "--others", "--exclude-standard", "--", ...FOLDERS];
  return execFileSync("git", list, { cwd: ROOT, encoding: "utf8" })
    .trim()
    .split("\n")
    .filter((file) => /\.(?:ts|js)$/.test(file) && !file.startsWith("public/vendor/"))
    .filter((file) => existsSync(join(ROOT, file)));
}
