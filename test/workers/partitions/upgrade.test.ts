/** An index of the version that had only the first migration, migrated to this one. */
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import previous from "../../fixtures/previous-version/state.json";
import { upsertThread } from "../../../src/partitions/upsert.ts";
import { buildSummary, listRefs, listThreadsOf } from "./support.ts";

/** Migrations that the version had which stored the fixture. */
const FIXTURE_MIGRATION_COUNT = 1;
const SOURCE_TABLES = ["search_sources", "source_messages"];
const { household, ref, second, index } = previous;

async function migratePreviousIndex(): Promise<void> {
  const db = env.INDEX;
  const tables = [
    "search",
    "participants",
    "threads",
    "households",
    "sealed_households",
    "device_codes",
  ];
  for (const table of [...tables, "search_groups", "group_messages", ...SOURCE_TABLES])
    await db.prepare(`DROP TABLE ${table}`).run();
  const apply = async (migrations: typeof env.TEST_MIGRATIONS) => {
    for (const { queries } of migrations)
      for (const query of queries) await db.prepare(query).run();
  };
  await apply(env.TEST_MIGRATIONS.slice(0, FIXTURE_MIGRATION_COUNT));
  for (const row of index) {
    const columns = Object.keys(row);
    await db
      .prepare(
        `INSERT INTO threads (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`,
      )
      .bind(...Object.values(row))
      .run();
  }
  await apply(env.TEST_MIGRATIONS.slice(FIXTURE_MIGRATION_COUNT));
}

it("an index of an earlier version lists its threads by role, and accepts their changes", async () => {
  await migratePreviousIndex();
  const list = async (filter: Parameters<typeof listThreadsOf>[1]) =>
    listRefs(await listThreadsOf(household, filter));

  expect(await list({})).toEqual([second, ref]);
  expect(await list({ requestor: "scout" })).toEqual([second, ref]);
  expect(await list({ executor: "ann" })).toEqual([ref]);
  expect(await list({ participant: "ann" })).toEqual([ref]);
  expect(await list({ participant: "scout", status: ["pending"] })).toEqual([second]);
  expect(await list({ q: "shed" })).toEqual([ref]);

  const completed = { status: "completed", requestor: "scout", executor: "ann" } as const;
  await upsertThread(
    env.INDEX,
    buildSummary(household, ref, {
      ...completed,
      seq: 4,
      participants: ["ann", "scout"],
      text: "the bucket is green",
      updated: index[0]!.updated + 1,
    }),
  );

  expect(await list({ executor: "ann", status: ["completed"] })).toEqual([ref]);
  expect(await list({ executor: "ann", status: ["claimed"] })).toEqual([]);
  expect(await list({ q: "shed" })).toEqual([]);
  expect(await list({ q: "green" })).toEqual([ref]);
});
