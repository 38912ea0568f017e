import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, expect, it, vi } from "vitest";
import { createStores } from "../../../src/household/stores.ts";
import { getNextCleanup, cleanUpBlobs } from "../../../src/household/jobs/blob-cleanup.ts";
import { ThreadObject } from "../../../src/thread/thread-object.ts";
import {
  createHousehold,
  type HouseholdUnderTest,
  openAll,
  buildRequest,
  buildSummary,
} from "./support.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const fireAlarm = (home: HouseholdUnderTest) =>
  runDurableObjectAlarm(env.HOUSEHOLDS.getByName(home.id));
const listLeftKeys = async (home: HouseholdUnderTest) =>
  (await env.BLOBS.list({ prefix: `${home.id}/` })).objects.map(({ key }) => key).toSorted();

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

/** A household of the year 2041 with a thread of its first day, and one blob for each day. */
async function withBlobs() {
  vi.setSystemTime(new Date("2041-05-04T10:00:00Z"));
  const home = await createHousehold();
  const [thread] = await openAll(home, [buildRequest()]);
  const keys = ["2041-05-04/used", "2041-05-04/lost", "2041-05-05/lost", "2041-05-09/lost"].map(
    (key) => `${home.id}/${key}`,
  );
  for (const key of keys) await env.BLOBS.put(key, "bytes");
  const asked = vi.spyOn(ThreadObject.prototype, "listBlobKeys").mockResolvedValue([keys[0]!]);
  // As in an import: the thread is old, but the household learns of it today.
  await home.rpc.threads.recordSummary(buildSummary(home, thread!.ref, { updated: 0 }));
  return { home, keys, asked };
}

it("blobs that no thread refers to are deleted days later", async () => {
  const { home, keys } = await withBlobs();
  vi.setSystemTime(new Date("2041-05-06T23:59:00Z"));
  await fireAlarm(home);
  expect(await listLeftKeys(home)).toEqual(keys.toSorted());
  vi.setSystemTime(new Date("2041-05-09T23:59:00Z"));
  await fireAlarm(home);
  expect(await listLeftKeys(home)).toEqual([keys[0], keys[3]]);
  vi.setSystemTime(Date.now() + 5 * DAY_MS);
  await fireAlarm(home);
  expect(await listLeftKeys(home)).toEqual([keys[0]]);
});

it("the cleanup of blobs keeps those of another household", async () => {
  const { home } = await withBlobs();
  const foreign = `${home.id}-b/2041-05-04/lost`;
  await env.BLOBS.put(foreign, "bytes");
  vi.setSystemTime(Date.now() + 9 * DAY_MS);
  await fireAlarm(home);
  expect(await env.BLOBS.head(foreign)).not.toBeNull();
});

it("the cleanup of blobs calls no thread for a day without blobs", async () => {
  const { home, keys, asked } = await withBlobs();
  await env.BLOBS.delete(keys);
  vi.setSystemTime(Date.now() + 9 * DAY_MS);
  await fireAlarm(home);
  expect(asked).not.toHaveBeenCalled();
});

it("the cleanup of blobs deletes nothing while a thread does not respond, and tries again an hour later", async () => {
  const { home, keys } = await withBlobs();
  const later = Date.now() + 9 * DAY_MS;
  await runInDurableObject(env.HOUSEHOLDS.getByName(home.id), async (_object, state) => {
    const stores = createStores(state.storage.sql);
    const failSilently = async () => {
      throw new Error("no answer");
    };
    const namespace = { getByName: () => ({ blobKeys: failSilently }) };
    const broken = { ...env, THREADS: namespace } as unknown as Env;
    await cleanUpBlobs(broken, stores, later);
    expect(getNextCleanup(stores)).toBe(later + DAY_MS / 24);
    expect(await listLeftKeys(home)).toEqual(keys.toSorted());
    await cleanUpBlobs(env, stores, later + DAY_MS / 24);
  });
  expect(await listLeftKeys(home)).toEqual([keys[0]]);
});
