/**
 * Runs the protocol's conformance suite in both revisions: on its fixtures behind our transport, and on the exchange.
 */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ROOT } from "../../../scripts/lib/exchange/wrangler.ts";
import { serveFixtures, serveWithKey, type Served } from "../../support/mcp-conformance/serve.ts";
import {
  removeDirectories,
  type SharedExchange,
  joinExchange,
  createTemporaryDirectory,
} from "../../support/exchange-process.ts";

const NODE = join(ROOT, "node_modules", ".bin", "node");
const SUITE = join(ROOT, "node_modules/@modelcontextprotocol/conformance/dist/index.js");

/** Runs one revision; the suite exits with 1 for an unexpected failure and for an outdated expectation. */
async function conform(url: string, revision: string, expected: string): Promise<string> {
  const file = join(ROOT, "test/support/mcp-conformance/expected", `${expected}-${revision}.yml`);
  const args = ["server", "--url", url, "--requirements", revision, "--expected-failures", file];
  try {
    const { stdout } = await promisify(execFile)(NODE, [SUITE, ...args], {
      cwd: createTemporaryDirectory(),
      maxBuffer: 64 * 1024 * 1024,
    });
    return stdout;
  } catch (error) {
    const { stdout = "", stderr = "" } = error as { stdout?: string; stderr?: string };
    const verdict = /(?:Unexpected|Stale)[\s\S]*$/.exec(stdout)?.[0] ?? stdout.slice(-4_000);
    throw new Error(`${verdict}\n${stderr.slice(-4_000)}`, { cause: error });
  }
}

const readPassedCount = (output: string): number =>
  Number(/Total: (\d+) passed/.exec(output)?.[1] ?? 0);

let fixtures: Served;
let stack: SharedExchange;
let door: Served;

beforeAll(async () => {
  [fixtures, stack] = await Promise.all([serveFixtures(), joinExchange()]);
  door = await serveWithKey(stack.ready.mcp, stack.ready.keys.agent);
});

afterAll(async () => {
  await Promise.all([fixtures?.stop(), door?.stop()]);
  removeDirectories();
});

describe("the conformance suite", () => {
  it.each([
    ["2026-07-28", 180],
    ["2025-11-25", 60],
  ])(
    "the MCP conformance suite (%s) passes on its fixtures behind the exchange's transport",
    async (revision, least) => {
      const output = await conform(fixtures.url, revision, "fixtures");

      expect(readPassedCount(output)).toBeGreaterThanOrEqual(least);
    },
  );

  it.each([
    ["2026-07-28", 100],
    ["2025-11-25", 30],
  ])(
    "the MCP conformance suite (%s) passes on the exchange where it needs no fixtures",
    async (revision, least) => {
      const output = await conform(door.url, revision, "exchange");

      expect(readPassedCount(output)).toBeGreaterThanOrEqual(least);
    },
  );
});
