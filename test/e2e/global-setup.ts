/**
 * Creates the migrated, empty index and bundles the Worker once, since this would take seconds for every exchange that
 * a test starts.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const resolvePath = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

export default function setUp(): () => void {
  const directory = mkdtempSync(join(tmpdir(), "mess-prepared-"));
  // Runs in a separate program, whose child processes inherit the project's Node.
  const node = resolvePath("../../node_modules/.bin/node");
  execFileSync(node, [resolvePath("../support/prepare-exchange.ts"), directory], {
    stdio: "inherit",
  });
  process.env["MESS_TEST_MIGRATED"] = join(directory, "state");
  process.env["MESS_TEST_BUNDLE"] = join(directory, "worker");
  process.env["MESS_WRANGLER_CONFIG"] = join(directory, "worker", "wrangler.toml");
  return () => rmSync(directory, { recursive: true, force: true });
}
