/** Creates the migrated, empty index once, since this would take seconds for every exchange that a test starts. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const resolvePath = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

export default function setUp(): () => void {
  const directory = mkdtempSync(join(tmpdir(), "mess-migrated-"));
  // Runs in a separate program, whose child processes inherit the project's Node.
  const node = resolvePath("../../node_modules/.bin/node");
  execFileSync(node, [resolvePath("../support/migrate-state.ts"), directory], { stdio: "inherit" });
  process.env["MESS_TEST_MIGRATED"] = directory;
  return () => rmSync(directory, { recursive: true, force: true });
}
