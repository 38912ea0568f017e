import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { deleteUnreferencedBlobs } from "../../../src/attachments/unreferenced-blobs.ts";
import { createFreshHousehold, listKeys } from "./support.ts";

const DAY = "2026-02-03";
const getLater = (): Date => new Date(Date.now() + 60_000);

async function storeBlobs(...keys: string[]): Promise<void> {
  for (const key of keys) await env.BLOBS.put(key, "x");
}

describe("the cleanup of unreferenced blobs", () => {
  it("the cleanup deletes blobs that no thread refers to, and counts the bytes of the others", async () => {
    const household = createFreshHousehold();
    const [kept, one, two] = ["a", "b", "c"].map((id) => `${household}/${DAY}/${id}`);
    await storeBlobs(kept!, one!, two!);

    const keptBytes = await deleteUnreferencedBlobs(
      env.BLOBS,
      household,
      DAY,
      new Set([kept!]),
      getLater(),
    );

    expect(keptBytes).toBe(1);
    expect(await listKeys(household)).toEqual([kept]);
  });

  it("the cleanup keeps blobs that are too recent", async () => {
    const household = createFreshHousehold();
    await storeBlobs(`${household}/${DAY}/a`);
    const [object] = (await env.BLOBS.list({ prefix: household })).objects;

    expect(
      await deleteUnreferencedBlobs(env.BLOBS, household, DAY, new Set(), object!.uploaded),
    ).toBe(1);
    expect(await listKeys(household)).toHaveLength(1);
  });

  it("the cleanup keeps blobs of other days and other households", async () => {
    const household = createFreshHousehold();
    const others = [
      `${household}/2026-02-04/a`,
      `${household}/${DAY}1/a`,
      `${household}-x/${DAY}/a`,
      household,
    ];
    await storeBlobs(...others, `${household}/${DAY}/a`);

    await deleteUnreferencedBlobs(env.BLOBS, household, DAY, new Set(), getLater());

    for (const key of others) expect(await env.BLOBS.head(key), key).not.toBeNull();
    expect(await env.BLOBS.head(`${household}/${DAY}/a`)).toBeNull();
  });

  it("the cleanup covers every page of the day", async () => {
    const household = createFreshHousehold();
    const keys = Array.from({ length: 7 }, (_, at) => `${household}/${DAY}/${at}`);
    await storeBlobs(...keys);
    const paged = {
      list: (options: R2ListOptions) => env.BLOBS.list({ ...options, limit: 2 }),
      delete: (gone: string[]) => env.BLOBS.delete(gone),
    } as unknown as R2Bucket;

    expect(
      await deleteUnreferencedBlobs(paged, household, DAY, new Set([keys[3]!]), getLater()),
    ).toBe(1);
    expect(await listKeys(household)).toEqual([keys[3]]);
  });
});
