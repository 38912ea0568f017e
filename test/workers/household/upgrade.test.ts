/** A household stored by the version that had the first 12 migrations, read and continued by this one. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { MIGRATIONS } from "../../../src/household/migrations.ts";
import { createStores } from "../../../src/household/stores.ts";
import { runMigrations } from "../../../src/object/migrations.ts";
import { getHouseholdStub } from "../../../src/stubs.ts";
import previous from "../../fixtures/previous-version/state.json";
import { buildRequest, createName } from "./support.ts";

/** Migrations that the version had which stored the fixture. */
const FIXTURE_MIGRATION_COUNT = 12;
const OWNER = { actor: "olga", role: "owner" } as const;
const { ref, second } = previous;

beforeEach(() => {
  vi.setSystemTime(Date.parse("2051-03-04T12:00:00Z"));
});
afterEach(() => {
  vi.useRealTimers();
});

/** Stores the household's rows with the tables that an earlier version had. */
async function openPreviousHousehold() {
  const household = createName();
  const object = env.HOUSEHOLDS.getByName(household);
  await runInDurableObject(object, (_object, { storage: { sql } }) => {
    runMigrations(sql, MIGRATIONS.slice(0, FIXTURE_MIGRATION_COUNT));
    for (const [table, rows] of Object.entries(previous.tables))
      for (const row of rows) {
        const columns = Object.keys(row);
        sql.exec(
          `INSERT INTO ${table} (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`,
          ...(Object.values(row) as SqlStorageValue[]),
        );
      }
    sql.exec("UPDATE settings SET value = json_quote(?) WHERE key = 'id'", household);
  });
  return { household, object, rpc: getHouseholdStub(env, household) };
}

it("a household of an earlier version has its threads, events, client ids and dependencies", async () => {
  const { object, rpc } = await openPreviousHousehold();

  expect(await rpc.threads.listRefs(null, 10)).toEqual([ref, second]);
  expect(await rpc.threads.findTasks("ann", undefined, 10)).toMatchObject({ refs: [ref] });
  expect(await rpc.threads.findTasks("ann", 3, 10)).toMatchObject({ refs: [] });
  const { events, cursor } = await rpc.events.listEvents(OWNER, 0, 10);
  expect(events.map((one) => [one.ref, one.status])).toEqual([
    [ref, "pending"],
    [ref, "claimed"],
    [second, "pending"],
  ]);
  expect(cursor).toBe(3);
  const seen = await rpc.events.listEvents({ actor: "ann", role: "executor" }, 0, 10);
  expect(seen.events.map((one) => one.ref)).toEqual([ref, ref]);
  expect(await rpc.threads.resolveTarget("scout", "bucket")).toEqual({ ok: true, value: ref });
  expect(await rpc.threads.resolveTarget("scout", "last")).toEqual({ ok: true, value: second });
  const short = await rpc.threads.resolveTarget("scout", "2051-03-04-0001");
  expect(short).toEqual({ ok: true, value: ref });
  await runInDurableObject(object, (_object, { storage: { sql } }) => {
    const stores = createStores(sql);
    expect(stores.dependencies.listBlocking(second)).toEqual([ref]);
    expect(stores.threadCatalog.countHeldThreads()).toEqual({ ann: 1 });
    expect(stores.serials.getNext("2051-03-04")).toBe(3);
  });
});

it("a household of an earlier version records the end of its thread, and opens another one", async () => {
  const { household, object, rpc } = await openPreviousHousehold();
  const [row] = previous.index;
  const { participants, words: text } = row!;

  await rpc.threads.recordSummary({
    ...row!,
    household,
    seq: 4,
    status: "completed",
    partition: "finished",
    priority: "normal",
    participants: JSON.parse(participants) as string[],
    text,
  });
  const opened = await rpc.threads.openThreads({
    actor: "scout",
    requests: [{ request: buildRequest({ id: "bucket" }), digest: "another" }],
  });

  if (!opened.ok) throw new Error(opened.error.message);
  const next = await rpc.threads.findTasks("ann", 4, 10);
  expect(next).toEqual({ refs: [ref], cursor: 5 });
  const { events } = await rpc.events.listEvents(OWNER, 3, 10);
  expect(events).toMatchObject([{ cursor: 4, ref, status: "completed" }]);
  await runInDurableObject(object, (_object, { storage: { sql } }) => {
    const stores = createStores(sql);
    expect(stores.threadCatalog.countHeldThreads()).toEqual({});
    expect(stores.dependencies.listBlocking(second)).toEqual([]);
    expect(stores.clientIds.findNewest("scout", "bucket")).toBe(opened.value.threads[0]!.ref);
    expect(stores.threadCatalog.getOldestUncreated()).toBeGreaterThan(0);
  });
});
