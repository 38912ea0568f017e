/**
 * Mutation testing: applies each deliberate defect to a copy of the project and runs the tests that must fail. A
 * defect that passes them is a gap in the tests. `npm run mutants [part of a name]`; all of them take most of an hour.
 * `--shard 1/2` runs one half of them, so that two runs beside each other use both cores of a small machine.
 */
import { execFileSync, spawnSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { ALL_MUTANTS } from "./lib/mutants/all-mutants.ts";
import type { Mutant } from "./lib/mutants/mutant.ts";

const ROOT = resolve(import.meta.dirname, "..");
/** Numbers of schedules, threads and cases that are enough to detect each defect. */
const SIZES = {
  RELIABILITY_SCHEDULES: "400",
  RELIABILITY_THREADS: "60",
  RELIABILITY_CASES: "50",
  RELIABILITY_SIMULATIONS: "2",
};
const TEST_TIMEOUT_MS = 300_000;

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { shard: { type: "string", default: "1/1" } },
});
const [shard = 1, shards = 1] = options.shard.split("/").map(Number);
const nameFilter = positionals.join(" ");
const mutants = ALL_MUTANTS.filter(({ name }) => name.includes(nameFilter)).filter(
  (_, index) => index % shards === shard - 1,
);
const copyDirectory = mkdtempSync(join(tmpdir(), "mutants-"));
try {
  copyProject();
  const failing = listFailing([...new Set(mutants.flatMap(({ tests }) => tests))]);
  if (failing.length > 0)
    throw new Error(`these tests fail without any defect; fix them first: ${failing.join(", ")}`);
  const missed = mutants.filter((mutant) => !isCaught(mutant));
  console.log(`\n${mutants.length - missed.length} of ${mutants.length} defects caught`);
  for (const { name } of missed) console.log(`not caught: ${name}`);
  process.exitCode = missed.length > 0 ? 1 : 0;
} finally {
  rmSync(copyDirectory, { recursive: true, force: true });
}

/** Copies all files that git does not ignore and links the installed packages. */
function copyProject(): void {
  const list = ["ls-files", "--cached", "--others", "--exclude-standard", "--deduplicate"];
  const files = execFileSync("git", list, { cwd: ROOT, encoding: "utf8" }).trim().split("\n");
  for (const file of files) {
    mkdirSync(dirname(join(copyDirectory, file)), { recursive: true });
    try {
      cpSync(join(ROOT, file), join(copyDirectory, file));
    } catch (error) {
      // The file is deleted but the deletion is not committed.
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    }
  }
  symlinkSync(join(ROOT, "node_modules"), join(copyDirectory, "node_modules"));
}

function isCaught({ name, file, find, replace, tests }: Mutant): boolean {
  const path = join(copyDirectory, file);
  const source = readFileSync(path, "utf8");
  if (source.split(find).length !== 2) {
    console.log(`STALE: ${name}: the text to replace must occur exactly once in ${file}`);
    return false;
  }
  const began = Date.now();
  writeFileSync(
    path,
    source.replace(find, () => replace),
  );
  const caught = !isPassing(tests);
  writeFileSync(path, source);
  const seconds = Math.round((Date.now() - began) / 1_000);
  console.log(`${caught ? "caught" : "MISSED"} in ${seconds} s: ${name}`);
  return caught;
}

function isPassing(tests: readonly string[]): boolean {
  return runTests(tests, ["--bail", "1"], TEST_TIMEOUT_MS) === 0;
}

/** The files of these tests that fail, all in one run. */
function listFailing(tests: readonly string[]): string[] {
  const report = join(copyDirectory, "report.json");
  if (runTests(tests, ["--reporter", "json", "--outputFile", report]) === 0) return [];
  const { testResults } = JSON.parse(readFileSync(report, "utf8")) as {
    testResults: { name: string; status: string }[];
  };
  const failing = testResults.filter(({ status }) => status !== "passed");
  return failing.length > 0
    ? failing.map(({ name }) => relative(copyDirectory, name))
    : ["none by name, but the run ended with an error"];
}

function runTests(
  tests: readonly string[],
  options: readonly string[],
  timeout?: number,
): number | null {
  const files = tests.map((test) =>
    test.startsWith("unit/") ? `test/${test}.test.ts` : `test/workers/${test}.test.ts`,
  );
  const vitest = join(ROOT, "node_modules/vitest/vitest.mjs");
  const projects = ["workers*", "unit"].flatMap((project) => ["--project", project]);
  const { status } = spawnSync(
    process.execPath,
    [vitest, "run", ...projects, ...options, ...files],
    { cwd: copyDirectory, env: { ...process.env, ...SIZES }, timeout, encoding: "utf8" },
  );
  return status;
}
