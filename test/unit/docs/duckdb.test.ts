/** The queries of docs/files.md in a real DuckDB, on the files of an export. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readArchive } from "../../../src/attachments/archive-reader.ts";
import { type ArchivedThread, buildHouseholdZip } from "../../../src/attachments/archive-writer.ts";
import type { Status } from "../../../src/mess/status.ts";
import { runDocumentedQueries } from "../../support/documented-queries.ts";

const AT = "2026-05-06T07:08:10+00:00";
const CONFIG = { name: "config.yaml", text: "executors: {}\n" };

const buildThread = (number: number, status: Status, executor: string | null): ArchivedThread => ({
  envelope: {
    ref: `2026-05-06-00${number}-meter`,
    requestor: "planner",
    executor,
    status,
    created: AT,
    updated: AT,
    intent: `read the "gas: meter" ${number}`,
    priority: "normal",
    history: [{ action: "created", at: AT, by: "planner" }],
  },
  // The words of a message must not be mistaken for the envelope's.
  messages: [{ from: "planner", received: AT, MESS: [{ request: { intent: "status: failed" } }] }],
  attachments: [],
});

async function* listThreads(): AsyncGenerator<ArchivedThread> {
  yield buildThread(1, "pending", null);
  yield buildThread(2, "in_progress", "mira");
  yield buildThread(3, "completed", "mira");
  yield buildThread(4, "completed", "mira");
  yield buildThread(5, "partial", "ben");
  yield buildThread(6, "failed", "ben");
  yield buildThread(7, "cancelled", null);
}

let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "mess-duckdb-"));
  const zip = buildHouseholdZip(
    listThreads(),
    async () => null,
    () => new Date(AT),
    [CONFIG],
  );
  const entries = await readArchive(zip);
  if (!entries.ok) throw new Error(entries.error.message);
  for (const [name, bytes] of entries.value) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), bytes);
  }
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

describe("the queries of the documentation in DuckDB", () => {
  it("each documented query finds the threads that it is described to find", async () => {
    const answers = await runDocumentedQueries(folder);

    const [waiting, executing, completed, failed] = answers;
    const updated = expect.stringContaining("2026-05-06");
    expect(waiting).toEqual([
      {
        ref: "2026-05-06-001-meter",
        intent: 'read the "gas: meter" 1',
        created: updated,
        priority: "normal",
      },
    ]);
    expect(executing).toMatchObject([{ ref: "2026-05-06-002-meter", executor: "mira", updated }]);
    expect(completed).toEqual([
      { executor: "ben", completed: "1" },
      { executor: "mira", completed: "2" },
    ]);
    expect(failed).toMatchObject([{ ref: "2026-05-06-006-meter", status: "failed", updated }]);
    expect(answers).toHaveLength(4);
  });
});
