/** A thread stored by the version that had the first six migrations, read and continued by this one. */
import { defined } from "../../../src/mess/defined.ts";
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { getThreadStub } from "../../../src/stubs.ts";
import { runMigrations } from "../../../src/object/migrations.ts";
import {
  createThreadTables,
  FIRST_MIGRATIONS,
  OPTIONAL_TABLES,
} from "../../../src/thread/migrations.ts";
import { ThreadLog } from "../../../src/thread/thread-log.ts";
import previous from "../../fixtures/previous-version/state.json";
import { buildMessage, createFreshThread, createName, REF } from "./support.ts";

/** Migrations that the version had which stored the fixture. */
const FIXTURE_MIGRATION_COUNT = 6;
const { ref, read } = previous;

/** Stores the thread's rows with the tables that an earlier version had. */
async function storePreviousThread(household: string): Promise<void> {
  await runInDurableObject(
    env.THREADS.getByName(`${household}/${ref}`),
    (_object, { storage: { sql } }) => {
      runMigrations(sql, FIRST_MIGRATIONS.slice(0, FIXTURE_MIGRATION_COUNT));
      for (const [table, rows] of Object.entries(previous.thread))
        for (const row of rows) {
          const columns = Object.keys(row);
          sql.exec(
            `INSERT INTO ${table} (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`,
            ...(Object.values(row) as SqlStorageValue[]),
          );
        }
      sql.exec("UPDATE thread SET household = ?", household);
    },
  );
}

async function openPreviousThread() {
  const household = createName();
  await storePreviousThread(household);
  const stub = getThreadStub(env, household, ref);
  const scout = { household, actor: "scout", role: "agent" as const };
  const ann = { household, actor: "ann", role: "executor" as const };
  return { household, stub, scout, ann };
}

it("a thread of an earlier version reads unchanged", async () => {
  const { stub, scout } = await openPreviousThread();

  const view = await stub.readThread(scout);
  const route = await stub.getRoute(scout);
  const deliveries = await stub.listDeliveries(scout);
  const file = await stub.findAttachment(scout, "att-002-image-shed.png");

  if (!view.ok) throw new Error(view.error.message);
  expect(view.value.envelope).toEqual(read.envelope);
  expect(view.value.messages).toEqual(read.messages);
  expect(view.value.cursor).toBe(read.cursor);
  expect(view.value.attachments).toMatchObject([
    { name: "att-002-image-shed.png", original: "shed.png", size: 8 },
  ]);
  expect(route).toMatchObject({ ok: true, value: { candidates: [{ id: "ann" }] } });
  expect(deliveries).toMatchObject({ ok: true, value: [{ executor: "ann", state: "delivered" }] });
  expect(file).toMatchObject({ ok: true, value: view.value.attachments[0] });
});

it("a thread of an earlier version continues with its history in order, and its text is found", async () => {
  const { household, stub, scout, ann } = await openPreviousThread();
  const append = (code: string, idempotency?: { key: string; digest: string }) =>
    stub.append({
      actor: ann,
      channel: "http",
      message: buildMessage({ status: { code, message: "nearly there" } }),
      blobs: [],
      ...defined({ idempotency }),
    });

  const first = await append("in_progress", { key: "ann/0/new", digest: "d" });
  const again = await append("in_progress", { key: "ann/0/new", digest: "d" });
  await append("completed");
  const view = await stub.readThread(scout);
  const summary = await stub.getSummary();
  const earlier = await stub.findReceipt(ann, previous.thread.idempotency[0]!.key);

  if (!view.ok) throw new Error(view.error.message);
  expect(first).toMatchObject({ ok: true, value: { fresh: true } });
  expect(again).toMatchObject({ ok: true, value: { fresh: false } });
  expect(earlier).toMatchObject({ ok: true, value: { seq: 3 } });
  const { history } = view.value.envelope;
  expect(history.slice(0, 4)).toEqual(read.envelope.history);
  expect(history.slice(4).map(({ action }) => action)).toEqual(["in_progress", "completed"]);
  expect(summary?.text).toContain("blue bucket");
  expect(summary?.text).toContain("behind the shed");
  await runInDurableObject(
    env.THREADS.getByName(`${household}/${ref}`),
    (_object, { storage: { sql } }) => {
      const log = new ThreadLog(sql, createThreadTables(sql));
      log.insertHistory({ action: "dispatched", at: "later", by: "exchange" });
      expect(log.readHistory().at(-1)).toMatchObject({ at: "later" });
    },
  );
});

const OPTIONAL = Object.keys(OPTIONAL_TABLES) as (keyof typeof OPTIONAL_TABLES)[];

it("a new thread has every column that an upgraded one has", async () => {
  const { household } = await openPreviousThread();
  const listColumns = async (name: string) =>
    await runInDurableObject(env.THREADS.getByName(name), (_object, { storage: { sql } }) => {
      for (const table of OPTIONAL) createThreadTables(sql).insert(table, "SELECT 1");
      const tables = sql
        .exec<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table'")
        .toArray()
        .filter((table) => !/^_cf|^sqlite|^migrations$/.test(table.name));
      return Object.fromEntries(
        tables.map((table) => [
          table.name,
          sql
            .exec<{ name: string }>(`SELECT name FROM pragma_table_info('${table.name}')`)
            .toArray()
            .map((column) => column.name)
            .toSorted(),
        ]),
      );
    });
  const stub = getThreadStub(env, household, ref);
  await stub.getSummary();
  const fresh = await createFreshThread();

  const upgraded = await listColumns(`${household}/${ref}`);
  const made = await listColumns(`${fresh.household}/${REF}`);

  expect(Object.keys(made)).toHaveLength(OPTIONAL.length + 2);
  expect(made).toEqual(upgraded);
});
