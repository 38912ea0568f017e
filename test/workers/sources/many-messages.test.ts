/** A source with 10,000 messages: what a call reads must not depend on their number. */
import { runInDurableObject } from "cloudflare:test";
import { expect, it } from "vitest";
import type { SourceObject } from "../../../src/sources/source-object.ts";
import { buildIncoming, createSource, type TestSource } from "./support.ts";

const FILL_SQL = `WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
  INSERT INTO messages (seq, id, external_id, received, timestamp, status, progress, tier, waiting, provisional,
    urgency, seen, flagged, sender, excerpt, attachments, details, body)
  SELECT i, 'm_' || i, 'e' || i, i, i, 'classified', 'classified', 'DEFER', 0, 0, 0, 1, 0, sender, excerpt, 0, details, body
    FROM n, messages WHERE seq = 1`;

async function createFullSource(): Promise<{ source: TestSource; id: string }> {
  const source = await createSource();
  const [id] = await source.receive(buildIncoming(1));
  await source.changeInside(({ changes }) => {
    changes.classify(1, { tier: "NOTIFY", reason: "r", urgency: 3, by: "rule" });
    changes.mark(1, "flag");
  });
  await source.query("UPDATE messages SET received = 1");
  await source.query(FILL_SQL);
  await source.query("UPDATE state SET newest = 10000, newest_at = 10000, messages = 10000");
  return { source, id: id! };
}

/** Rows that the call reads in the object's tables. */
async function countRowsRead(
  source: TestSource,
  work: (object: SourceObject) => Promise<unknown>,
): Promise<number> {
  return await runInDurableObject(source.getObject(), async (object, { storage }) => {
    const exec = storage.sql.exec.bind(storage.sql);
    const cursors: SqlStorageCursor<Record<string, SqlStorageValue>>[] = [];
    storage.sql.exec = ((query: string, ...values: SqlStorageValue[]) => {
      const cursor = exec(query, ...values);
      cursors.push(cursor);
      return cursor;
    }) as typeof exec;
    try {
      await work(object as SourceObject);
    } finally {
      storage.sql.exec = exec;
    }
    return cursors.reduce((sum, { rowsRead }) => sum + rowsRead, 0);
  });
}

it.each<[string, number, (object: SourceObject, id: string) => Promise<unknown>]>([
  ["status", 10, (object) => object.callFacet("messages", "status", [])],
  ["the newest page", 40, (object) => object.callFacet("messages", "list", [{ limit: 20 }])],
  [
    "a page in the middle",
    40,
    (object) => object.callFacet("messages", "list", [{ limit: 20, cursor: "5000" }]),
  ],
  [
    "the page of a time",
    120,
    (object) => object.callFacet("messages", "list", [{ limit: 20, from: 3_000, to: 3_100 }]),
  ],
  [
    "the only urgent one",
    30,
    (object) => object.callFacet("messages", "list", [{ limit: 20, tier: "NOTIFY" }]),
  ],
  [
    "the only flagged one",
    30,
    (object) => object.callFacet("messages", "list", [{ limit: 20, flagged: true }]),
  ],
  [
    "those that nobody has seen",
    30,
    (object) => object.callFacet("messages", "list", [{ limit: 20, seen: false }]),
  ],
  [
    "those that wait for a classifier",
    10,
    (object) => object.callFacet("messages", "list", [{ limit: 20, unclassified: true }]),
  ],
  ["one message", 10, (object, id) => object.callFacet("messages", "read", [id])],
  ["a mark", 30, (object, id) => object.callFacet("messages", "mark", [id, "archive"])],
  ["receiving", 40, (object) => object.callFacet("messages", "receive", [[buildIncoming(20_000)]])],
])("of 10,000 messages, %s reads at most %i rows", async (_name, most, work) => {
  const { source, id } = await createFullSource();

  const rows = await countRowsRead(source, (object) => work(object, id));

  expect(rows).toBeGreaterThan(0);
  expect(rows).toBeLessThanOrEqual(most);
});
