/** Rows written are the largest part of a task's cost, so each step has a budget; entries of indexes count. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it, vi } from "vitest";
import { getThreadStub } from "../../../src/stubs.ts";
import { buildRequest, buildSummary, createHousehold, openAll } from "../household/support.ts";
import { buildCreation, buildMessage, buildPrincipal, createName, REF } from "../thread/support.ts";

/** Counts the rows that the object's statements write from now on; one statement at a time. */
async function countRowsOf(stub: DurableObjectStub): Promise<() => number> {
  const cursors: SqlStorageCursor<Record<string, SqlStorageValue>>[] = [];
  await runInDurableObject(stub, (_object, { storage: { sql } }) => {
    const exec = sql.exec.bind(sql);
    vi.spyOn(sql, "exec").mockImplementation(((query: string, ...values: SqlStorageValue[]) => {
      // A cursor counts the last of several statements only.
      const statements = values.length > 0 ? [query] : query.split(/;\s*(?=\S)/);
      const made = statements.map((statement) => exec(statement, ...values));
      cursors.push(...made);
      return made.at(-1)!;
    }) as typeof sql.exec);
  });
  return () => cursors.splice(0).reduce((sum, { rowsWritten }) => sum + rowsWritten, 0);
}

it("a thread writes six rows when it is created, four of them for its tables, and two for a message", async () => {
  const household = createName();
  const countRows = await countRowsOf(env.THREADS.getByName(`${household}/${REF}`));
  const stub = getThreadStub(env, household, REF);
  const append = async (code: string) => {
    const message = buildMessage({ status: { code } });
    const actor = buildPrincipal(household, "ann");
    return (await stub.append({ actor, channel: "http", message, blobs: [] })).ok;
  };

  // Nobody is reached, so that the thread has no deliveries.
  expect((await stub.create(buildCreation(household, {}, { unreached: true }))).ok).toBe(true);
  expect(countRows()).toBe(6);
  expect(await append("claimed")).toBe(true);
  expect(countRows()).toBe(2);
  expect(await append("completed")).toBe(true);
  expect(countRows()).toBe(2);
});

it("a household writes three rows for a new thread, and three for a change of its status", async () => {
  const home = await createHousehold();
  await openAll(home, [buildRequest({ id: "first" })]);
  const countRows = await countRowsOf(env.HOUSEHOLDS.getByName(home.id));

  const [opened] = await openAll(home, [buildRequest({ id: "second" })]);
  expect(countRows()).toBe(3);
  const record = (seq: number, status: "pending" | "claimed" | "in_progress" | "completed") => {
    const executor = status === "pending" ? null : "ann";
    return home.rpc.threads.recordSummary(
      buildSummary(home, opened!.ref, { seq, status, executor, client_id: "second" }),
    );
  };
  await record(1, "pending");
  expect(countRows()).toBe(3);
  await record(2, "claimed");
  // One more for the holder's load.
  expect(countRows()).toBe(4);
  await record(3, "in_progress");
  expect(countRows()).toBe(3);
  await record(4, "completed");
  expect(countRows()).toBe(3);
});
