import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { deleteUnreferencedBlobs } from "../../../src/attachments/unreferenced-blobs.ts";
import { freshHousehold, keysOf } from "./support.ts";

const DAY = "2026-02-03";
const later = (): Date => new Date(Date.now() + 60_000);

async function stored(...keys: string[]): Promise<void> {
  for (const key of keys) await env.BLOBS.put(key, "x");
}

describe("the sweep of unreferenced blobs", () => {
  it("the sweep deletes blobs that nothing refers to, and counts them", async () => {
    const household = freshHousehold();
    const [kept, one, two] = ["a", "b", "c"].map((id) => `${household}/${DAY}/${id}`);
    await stored(kept!, one!, two!);

    const deleted = await deleteUnreferencedBlobs(
      env.BLOBS,
      household,
      DAY,
      new Set([kept!]),
      later(),
    );

    expect(deleted).toBe(2);
    expect(await keysOf(household)).toEqual([kept]);
  });

  it("the sweep leaves blobs that are too young", async () => {
    const household = freshHousehold();
    await stored(`${household}/${DAY}/a`);
    const [object] = (await env.BLOBS.list({ prefix: household })).objects;

    expect(
      await deleteUnreferencedBlobs(env.BLOBS, household, DAY, new Set(), object!.uploaded),
    ).toBe(0);
    expect(await keysOf(household)).toHaveLength(1);
  });

  it("the sweep touches no other day and no other household", async () => {
    const household = freshHousehold();
    const others = [
      `${household}/2026-02-04/a`,
      `${household}/${DAY}1/a`,
      `${household}-x/${DAY}/a`,
      household,
    ];
    await stored(...others, `${household}/${DAY}/a`);

    await deleteUnreferencedBlobs(env.BLOBS, household, DAY, new Set(), later());

    for (const key of others) expect(await env.BLOBS.head(key), key).not.toBeNull();
    expect(await env.BLOBS.head(`${household}/${DAY}/a`)).toBeNull();
  });

  it("the sweep covers every page of the day", async () => {
    const household = freshHousehold();
    const keys = Array.from({ length: 7 }, (_, at) => `${household}/${DAY}/${at}`);
    await stored(...keys);
    const paged = {
      list: (options: R2ListOptions) => env.BLOBS.list({ ...options, limit: 2 }),
      delete: (gone: string[]) => env.BLOBS.delete(gone),
    } as unknown as R2Bucket;

    expect(await deleteUnreferencedBlobs(paged, household, DAY, new Set([keys[3]!]), later())).toBe(
      6,
    );
    expect(await keysOf(household)).toEqual([keys[3]]);
  });
});
