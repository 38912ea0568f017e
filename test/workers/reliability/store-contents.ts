/** Dumps everything that a household has in every store as text, so that tests can search it. */
import { getHouseholdStub } from "../../../src/stubs.ts";
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import {
  getGroupObject,
  getHouseholdObject,
  getSourceObject,
  getThreadObject,
  prepare,
} from "./real-bindings.ts";

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

/** The household's objects, its rows in the index and its blobs in R2; the index may lag. */
export async function readHouseholdContents(household: string): Promise<Record<string, unknown>> {
  const refs = await getHouseholdStub(env, household).threads.listRefs(null, 1_000);
  const threads: Record<string, unknown> = {};
  for (const ref of refs) {
    // The acknowledged sequence numbers may lag, and are not content.
    const { thread, ...tables } = await readTables(getThreadObject(household, ref));
    const rows = (thread ?? []) as Record<string, unknown>[];
    threads[ref] = { ...tables, thread: rows.map(({ indexed: _i, told: _t, ...row }) => row) };
  }
  const groups: Record<string, unknown> = {};
  for (const id of await getHouseholdStub(env, household).groups.listIds()) {
    // Signs of life, and the position that the index has, are no content.
    const {
      record,
      signs_of_life: _s,
      jobs: _j,
      ...tables
    } = await readTables(getGroupObject(household, id));
    const rows = (record ?? []) as Record<string, unknown>[];
    groups[id] = { ...tables, record: rows.map(({ indexed: _i, ...row }) => row) };
  }
  const sources: Record<string, unknown> = {};
  for (const name of await getHouseholdStub(env, household).sources.listNames()) {
    // The positions that the index does not have yet are no content.
    const {
      jobs: _j,
      unindexed: _u,
      ...tables
    } = await readTables(getSourceObject(household, name));
    sources[name] = tables;
  }
  const { events: _events, ...rest } = await readTables(getHouseholdObject(household));
  // The last use of a key is not content.
  const keys = (rest["credentials"] ?? []) as Record<string, unknown>[];
  const credentials = keys.map(({ used: _used, ...row }) => row);
  const { objects } = await env.BLOBS.list({
    prefix: `${household}/`,
    include: ["httpMetadata", "customMetadata"],
  });
  return {
    household: { ...rest, credentials, threads: refs },
    threads,
    groups,
    sources,
    blobs: objects.map(({ key, size, httpMetadata, customMetadata }) => ({
      key,
      size,
      httpMetadata,
      customMetadata,
    })),
  };
}

/** Names of thread objects in the household that have a table although no thread was created there. */
export async function listObjects(household: string, refs: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const ref of refs)
    if (
      Object.keys(await readTables(getThreadObject(household, decodeURIComponent(ref)))).length > 0
    )
      found.push(ref);
  return found;
}

/** Names of group objects in the household that have a table although no group was created there. */
export async function listGroupObjects(
  household: string,
  groups: readonly string[],
): Promise<string[]> {
  const found: string[] = [];
  for (const group of groups)
    if (Object.keys(await readTables(getGroupObject(household, group))).length > 0)
      found.push(group);
  return found;
}

/** Names of source objects in the household that have a table although no source was registered there. */
export async function listSourceObjects(
  household: string,
  sources: readonly string[],
): Promise<string[]> {
  const found: string[] = [];
  for (const source of sources)
    if (Object.keys(await readTables(getSourceObject(household, source))).length > 0)
      found.push(source);
  return found;
}

/** The complete index and all of KV, of all households. */
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
