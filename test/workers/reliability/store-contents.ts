/** Everything that a household has left in every store, as text: what was not meant to be there is found in it. */
import { getHouseholdStub } from "../../../src/stubs.ts";
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { getHouseholdObject, prepare, getThreadObject } from "./real-bindings.ts";

/** Every row of every table of an object. */
async function readTables(stub: DurableObjectStub): Promise<Record<string, unknown[]>> {
  return await runInDurableObject(stub, (_, { storage }) => {
    const tables = storage.sql
      .exec<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table'")
      .toArray()
      .filter(({ name }) => !name.startsWith("_cf_"));
    return Object.fromEntries(
      tables.map(({ name }) => [name, storage.sql.exec(`SELECT * FROM "${name}"`).toArray()]),
    );
  });
}

/** The household's objects, its rows of the index and what R2 tells of its blobs; the index may lag. */
export async function readHouseholdContents(household: string): Promise<Record<string, unknown>> {
  const refs = await getHouseholdStub(env, household).threads.listRefs(null, 1_000);
  const threads: Record<string, unknown> = {};
  for (const ref of refs) {
    // What the others have been told may lag, and is no content.
    const { thread, ...tables } = await readTables(getThreadObject(household, ref));
    const rows = (thread ?? []) as Record<string, unknown>[];
    threads[ref] = { ...tables, thread: rows.map(({ indexed: _i, told: _t, ...row }) => row) };
  }
  const { events: _events, ...rest } = await readTables(getHouseholdObject(household));
  const { objects } = await env.BLOBS.list({
    prefix: `${household}/`,
    include: ["httpMetadata", "customMetadata"],
  });
  return {
    household: { ...rest, threads: refs },
    threads,
    blobs: objects.map(({ key, size, httpMetadata, customMetadata }) => ({
      key,
      size,
      httpMetadata,
      customMetadata,
    })),
  };
}

/** Names of thread objects under the household that hold a table though no thread was made there. */
export async function listObjects(household: string, refs: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const ref of refs)
    if (
      Object.keys(await readTables(getThreadObject(household, decodeURIComponent(ref)))).length > 0
    )
      found.push(ref);
  return found;
}

/** The whole index and the whole of KV, whosever it is. */
export async function readSharedContents(): Promise<unknown> {
  const { results: tables } = await prepare(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '_cf_%' AND name NOT LIKE 'search%'",
  ).all<{ name: string }>();
  const rows: Record<string, unknown> = {};
  for (const { name } of tables)
    rows[name] = (await prepare(`SELECT * FROM "${name}"`).all()).results;
  const { keys } = await env.OAUTH_KV.list();
  const grants = await Promise.all(
    keys.map(async ({ name, metadata }) => ({
      name,
      metadata,
      value: await env.OAUTH_KV.get(name),
    })),
  );
  return { rows, grants };
}
