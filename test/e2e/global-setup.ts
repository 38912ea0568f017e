/** The empty index with its tables, made once: every exchange that a test starts would spend seconds on it. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const resolvePath = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

export default function setUp(): () => void {
  const directory = mkdtempSync(join(tmpdir(), "mess-migrated-"));
  // By a program of its own: what it starts is found as Node finds it.
  const node = resolvePath("../../node_modules/.bin/node");
  execFileSync(node, [resolvePath("../support/migrate-state.ts"), directory], { stdio: "inherit" });
  process.env["MESS_TEST_MIGRATED"] = directory;
  return () => rmSync(directory, { recursive: true, force: true });
}
