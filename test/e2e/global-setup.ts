/**
 * Creates the migrated, empty index and bundles the Worker once, since this would take seconds for every exchange that
 * a test starts. Starts an exchange for all tests that need no separate one.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { removeDirectories, startStack } from "../support/exchange-process.ts";

const resolvePath = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

export default async function setUp(): Promise<() => Promise<void>> {
  const directory = mkdtempSync(join(tmpdir(), "mess-prepared-"));
  // Runs in a separate program, whose child processes inherit the project's Node.
  const node = resolvePath("../../node_modules/.bin/node");
  execFileSync(node, [resolvePath("../support/prepare-exchange.ts"), directory], {
    stdio: "inherit",
  });
  process.env["MESS_TEST_MIGRATED"] = join(directory, "state");
  process.env["MESS_TEST_BUNDLE"] = join(directory, "worker");
  process.env["MESS_WRANGLER_CONFIG"] = join(directory, "worker", "wrangler.toml");
  const shared = await startStack();
  process.env["MESS_TEST_SHARED_STATE"] = shared.state;
  return async () => {
    await shared.stop();
    removeDirectories();
    rmSync(directory, { recursive: true, force: true });
  };
}
