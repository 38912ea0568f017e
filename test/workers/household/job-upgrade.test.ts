/** The upgrade of a household of the version that had a table for each kind of pending work. */
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, expect, it, vi } from "vitest";
import { initializeCleanup } from "../../../src/household/jobs/blob-cleanup.ts";
import { MIGRATIONS } from "../../../src/household/migrations.ts";
import { createStores } from "../../../src/household/stores.ts";
import { runMigrations } from "../../../src/object/migrations.ts";
import { ok } from "../../../src/mess/result.ts";
import { ThreadObject } from "../../../src/thread/thread-object.ts";
import { getHouseholdStub } from "../../../src/stubs.ts";
import { createName } from "./support.ts";

const MIGRATIONS_BEFORE_JOBS = 11;
const FIRST = "2031-05-04-001";
const SECOND = "2031-05-04-002";
const UNCREATED_REF = "2031-05-04-003";

afterEach(() => {
  vi.restoreAllMocks();
});

/** Records the calls of threads, and responds as a thread that accepts them. */
function recordThreadCalls(): unknown[][] {
  const calls: unknown[][] = [];
  const prototype = ThreadObject.prototype;
  vi.spyOn(prototype, "create").mockImplementation(async (input) => {
    calls.push(["create", input]);
    return ok({} as never);
  });
  vi.spyOn(prototype, "supersede").mockImplementation(async (by) => {
    calls.push(["supersede", by]);
    return true;
  });
  vi.spyOn(prototype, "replaceDependency").mockImplementation(async (of, instead) => {
    calls.push(["await", of, instead]);
  });
  vi.spyOn(prototype, "postSystemMessage").mockImplementation(async (message) => {
    calls.push(["say", message]);
    return true;
  });
  vi.spyOn(prototype, "readThread").mockImplementation(async () =>
    ok({ envelope: { status: "expired" }, messages: [] } as never),
  );
  vi.spyOn(prototype, "resolveDependency").mockImplementation(async (dependency, status) => {
    calls.push(["unblock", dependency, status]);
  });
  vi.spyOn(prototype, "endAccess").mockImplementation(async (end) => {
    calls.push(["revokeLinks", end]);
  });
  return calls;
}

const CREATE = { ref: SECOND, requestor: "scout", message: { blocks: [] } };
const SUPERSEDE = { superseded_by: SECOND, reason: "merge" };

/** Creates the household as an earlier version left it, with pending rows in each of its old tables. */
async function createOldHousehold(id: string): Promise<void> {
  await runInDurableObject(env.HOUSEHOLDS.getByName(id), async (_object, { storage }) => {
    const { sql } = storage;
    const now = Date.now();
    runMigrations(sql, MIGRATIONS.slice(0, MIGRATIONS_BEFORE_JOBS));
    const stores = createStores(sql);
    stores.settings.set("id", id);
    stores.settings.set("time_zone", "UTC");
    initializeCleanup(stores, now);
    for (const ref of [FIRST, SECOND, UNCREATED_REF])
      sql.exec(
        `INSERT INTO threads (ref, requestor, opened, heard, seq, status, participants)
         VALUES (?1, 'scout', ?2, ?2, 0, 'pending', '["scout"]')`,
        ref,
        now,
      );
    sql.exec("UPDATE threads SET seq = 1 WHERE ref <> ?", UNCREATED_REF);
    const addErrand = (bundle: string, ref: string, errand: object, due = now) =>
      sql.exec(
        "INSERT INTO errands (bundle, ref, errand, due) VALUES (?, ?, ?, ?)",
        bundle,
        ref,
        JSON.stringify(errand),
        due,
      );
    addErrand("merge", FIRST, { do: "await", of: FIRST, instead: [SECOND] });
    addErrand("merge", SECOND, { do: "create", input: CREATE });
    addErrand("merge", FIRST, { do: "supersede", by: SUPERSEDE });
    addErrand("say", FIRST, { do: "say", told: { key: "k", message: "It cannot be." } });
    addErrand("inform", FIRST, { do: "inform", of: SECOND });
    addErrand("later", FIRST, { do: "supersede", by: SUPERSEDE }, now + 3_600_000);
    const addUnblock = (ref: string) =>
      sql.exec("INSERT INTO unblocks VALUES (?, ?, 'failed', 2, ?)", ref, SECOND, now);
    addUnblock(FIRST);
    addUnblock(UNCREATED_REF);
    sql.exec(
      `INSERT INTO access_ends (ref, subject, membership, attempts, due)
       VALUES (?1, 'key:k1', NULL, 0, ?2), (?1, 'ann', 3, 1, ?2)`,
      FIRST,
      now,
    );
  });
}

it("pending work of a household of an earlier version is done after the upgrade", async () => {
  const id = createName();
  const calls = recordThreadCalls();
  await createOldHousehold(id);
  const household = env.HOUSEHOLDS.getByName(id);
  await evictDurableObject(household);

  await getHouseholdStub(env, id).settings.configure({ executors: { ann: {} } });
  await runDurableObjectAlarm(household);

  await vi.waitFor(() => expect(calls).toHaveLength(8));
  const kinds = calls.map(([kind]) => kind);
  expect(kinds.filter((kind) => ["await", "create", "supersede"].includes(kind as string))).toEqual(
    ["await", "create", "supersede"],
  );
  expect(calls).toEqual(
    expect.arrayContaining([
      ["await", FIRST, [SECOND]],
      ["create", CREATE],
      ["supersede", SUPERSEDE],
      ["say", { key: "k", message: "It cannot be." }],
      ["say", expect.objectContaining({ key: `joined ${SECOND}`, joined: SECOND })],
      ["unblock", SECOND, "failed"],
      ["revokeLinks", { credential: "key:k1" }],
      ["revokeLinks", { executor: "ann", membership: 3 }],
    ]),
  );
  await runInDurableObject(household, (_object, { storage }) => {
    const left = storage.sql.exec("SELECT kind, queue FROM jobs").toArray();
    expect(left).toEqual([{ kind: "supersede", queue: "later" }]);
  });
});

it("a dependent that was not created before the upgrade is notified once it is", async () => {
  const id = createName();
  const calls = recordThreadCalls();
  await createOldHousehold(id);
  const household = env.HOUSEHOLDS.getByName(id);
  await runInDurableObject(household, (_object, { storage }) => {
    storage.sql.exec("DELETE FROM errands");
    storage.sql.exec("DELETE FROM access_ends");
    storage.sql.exec("UPDATE threads SET status = 'failed' WHERE ref = ?", SECOND);
    createStores(storage.sql).dependencies.add(UNCREATED_REF, SECOND, "hold");
  });
  await evictDurableObject(household);

  await getHouseholdStub(env, id).threads.recordSummary({
    household: id,
    ref: UNCREATED_REF,
    client_id: null,
    seq: 1,
    status: "pending",
    executor: null,
    requestor: "scout",
    participants: ["scout"],
    created: Date.now(),
    updated: Date.now(),
  } as never);
  await runDurableObjectAlarm(household);

  await vi.waitFor(() => expect(calls).toHaveLength(2));
  expect(calls).toEqual([
    ["unblock", SECOND, "failed"],
    ["unblock", SECOND, "failed"],
  ]);
});
