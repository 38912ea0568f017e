import { execFileSync } from "node:child_process";
import { existsSync, statfsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-pool-workers";
import { defineConfig } from "vitest/config";
import { NO_LIMITS } from "./scripts/lib/no-limits.ts";
import { LongestFirstSequencer } from "./test/longest-first-sequencer.ts";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

// Creates `public/vendor/`, which the Worker serves.
execFileSync(process.execPath, [here("./scripts/copy-vendor.js")]);

/** Stores of tests are kept in memory if there is enough free space, since every commit waits for the disk. */
const MEMORY_PATH = "/dev/shm";
const MIN_FREE_BYTES = 4 * 1024 ** 3;
if (getFreeBytes(MEMORY_PATH) > MIN_FREE_BYTES) process.env["TMPDIR"] = MEMORY_PATH;

function getFreeBytes(path: string): number {
  if (!existsSync(path)) return 0;
  const { bavail, bsize } = statfsSync(path);
  return bavail * bsize;
}

/** Tests in workerd. */
const inWorkerd = () =>
  cloudflareTest(async () => ({
    wrangler: { configPath: here("./wrangler.toml") },
    miniflare: {
      bindings: {
        MESS_SECRET: "test-secret-of-at-least-thirty-two-bytes",
        MESS_OPERATOR_KEY: "test-operator-key",
        PUBLIC_ORIGIN: "https://mess.test",
        EGRESS_LOOPBACK: "allow",
        // Tests of limits set their own.
        LIMITS: NO_LIMITS,
        RELIABILITY_SCHEDULES: process.env["RELIABILITY_SCHEDULES"] ?? "2000",
        RELIABILITY_THREADS: process.env["RELIABILITY_THREADS"] ?? "1000",
        RELIABILITY_CASES: process.env["RELIABILITY_CASES"] ?? "200",
        RELIABILITY_SIMULATIONS: process.env["RELIABILITY_SIMULATIONS"] ?? "3",
        RELIABILITY_SEED: process.env["RELIABILITY_SEED"] ?? "1",
        TEST_MIGRATIONS: await readD1Migrations(here("./migrations")),
      },
    },
  }));

/** Tests that break stores, read all of their contents or exhaust rate limits, so each file needs a separate workerd. */
const ALONE = [
  ...[
    "crash-schedules-*",
    "deliveries",
    "duplicates",
    "groups/*",
    "index-outage",
    "sources/*",
    "secrets",
  ].map((tests) => `reliability/${tests}`),
  "respond/abuse",
].map((tests) => `test/workers/${tests}.test.ts`);

export default defineConfig({
  test: {
    // Two more than the cores of a small machine, since tests spend time waiting.
    maxWorkers: 4,
    sequence: { sequencer: LongestFirstSequencer },
    // The Worker logs thousands of lines.
    silent: "passed-only",
    projects: [
      {
        test: {
          name: "unit",
          include: ["test/unit/**/*.test.ts", "test/conformance/**/*.test.ts"],
          testTimeout: 30_000,
          isolate: false,
        },
      },
      {
        plugins: [inWorkerd()],
        test: {
          name: "workers",
          include: ["test/workers/**/*.test.ts"],
          exclude: ALONE,
          globalSetup: ["./test/support/mailboxes/serve-mailboxes.ts"],
          setupFiles: ["./test/workers/setup.ts"],
          testTimeout: 30_000,
          // Each test has its own household, so files can share a workerd, which takes a second to start.
          isolate: false,
        },
      },
      {
        plugins: [inWorkerd()],
        test: {
          name: "workers-alone",
          include: ALONE,
          setupFiles: ["./test/workers/setup.ts"],
          testTimeout: 30_000,
        },
      },
      {
        test: {
          name: "e2e",
          include: ["test/e2e/**/*.test.ts"],
          globalSetup: ["./test/e2e/global-setup.ts"],
          testTimeout: 60_000,
          hookTimeout: 120_000,
          // The default of one second is too short for a browser on a busy machine.
          expect: { poll: { timeout: 15_000 } },
        },
      },
    ],
  },
});
