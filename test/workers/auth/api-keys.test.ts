import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import {
  authenticateKey,
  clearCachedKeys,
  readKeyHousehold,
  generateKey,
  deriveKey,
} from "../../../src/auth/api-keys.ts";

afterEach(() => {
  vi.useRealTimers();
});

/** Households with these key hashes, and a count of the look-ups. */
function households(hashes: string[]) {
  const asked: string[] = [];
  const env = {
    HOUSEHOLDS: {
      getByName: (name: string) => ({
        callFacet: async (_facet: string, _method: string, [hash]: [string]) => {
          asked.push(name);
          return hashes.includes(hash) ? { id: "key-1", actor: "scout", role: "agent" } : null;
        },
      }),
    },
    MESS_SECRET: "a-worker-secret-of-at-least-32-bytes",
    MESS_OPERATOR_KEY: "an-operator-key-of-16",
    INDEX: { prepare: () => ({ bind: () => ({ first: async () => ({ listed: 1 }) }) }) },
  } as unknown as Parameters<typeof authenticateKey>[0];
  return { env, asked };
}

describe("an API key", () => {
  it("an API key contains its household's id, and is stored as a digest", async () => {
    const { key, hash } = await generateKey("villa-4");

    expect(key).toMatch(/^mess_villa-4_[0-9a-f]{64}$/);
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
    expect(key).not.toContain(hash);
    expect(readKeyHousehold(key)).toBe("villa-4");
  });

  it("an API key is new each time, unless it is created for a repeated call", async () => {
    const random = await Promise.all([generateKey("villa"), generateKey("villa")]);
    const secret = "a-secret-of-at-least-thirty-two-bytes";
    const repeated = await Promise.all([
      deriveKey(secret, "villa", "owner one"),
      deriveKey(secret, "villa", "owner one"),
      deriveKey(secret, "villa", "owner two"),
      deriveKey(`${secret}!`, "villa", "owner one"),
    ]);

    expect(random[0].key).not.toBe(random[1].key);
    expect(repeated[0]).toEqual(repeated[1]);
    expect(new Set(repeated.map(({ key }) => key)).size).toBe(3);
  });

  it("an API key is checked with the household once in 30 seconds", async () => {
    vi.useFakeTimers({ now: Date.UTC(2026, 4, 4), toFake: ["Date"] });
    const { key, hash } = await generateKey("villa");
    const { env, asked } = households([hash]);

    await authenticateKey(env, key);
    vi.advanceTimersByTime(29_999);
    const remembered = await authenticateKey(env, key);
    const before = asked.length;
    vi.advanceTimersByTime(1);
    await authenticateKey(env, key);

    expect(remembered).toEqual({
      ok: true,
      value: { household: "villa", actor: "scout", role: "agent", credential: "key:key-1" },
    });
    expect([before, asked.length]).toEqual([1, 2]);
  });

  it("a revoked API key is refused within 30 seconds, and at once where it was revoked", async () => {
    vi.useFakeTimers({ now: Date.UTC(2026, 4, 4), toFake: ["Date"] });
    const { key, hash } = await generateKey("villa");
    const hashes = [hash];
    const { env } = households(hashes);
    await authenticateKey(env, key);
    hashes.pop();

    const elsewhere = await authenticateKey(env, key);
    vi.advanceTimersByTime(30_000);
    const later = await authenticateKey(env, key);
    hashes.push(hash);
    await authenticateKey(env, key);
    hashes.pop();
    clearCachedKeys("villa");
    const here = await authenticateKey(env, key);

    expect([elsewhere.ok, later.ok, here.ok]).toEqual([true, false, false]);
  });

  it("a wrong API key is never cached", async () => {
    const { key, hash } = await generateKey("villa");
    const hashes: string[] = [];
    const { env } = households(hashes);

    const before = await authenticateKey(env, key);
    hashes.push(hash);
    const after = await authenticateKey(env, key);

    expect([before.ok, after.ok]).toEqual([false, true]);
  });

  it("an API key is dropped from the cache after many other keys", async () => {
    const made = await Promise.all(Array.from({ length: 2_001 }, () => generateKey("many")));
    const { env, asked } = households(made.map(({ hash }) => hash));
    for (const { key } of made) await authenticateKey(env, key);

    await authenticateKey(env, made.at(-1)!.key);
    const newest = asked.length;
    await authenticateKey(env, made[0]!.key);

    expect([newest, asked.length]).toEqual([2_001, 2_002]);
  });

  it("a malformed API key is refused like any other, without a look-up", async () => {
    const { env, asked } = households([]);
    const secret = "a".repeat(64);
    const refused = await authenticateKey(env, "");

    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.string(),
          fc.string().map((text) => `mess_${text}_${secret}`),
          fc.string().map((text) => `mess_villa_${text}`),
        ),
        async (key) => {
          fc.pre(!/^mess_[a-z0-9](?:[a-z0-9-]*[a-z0-9])?_[0-9a-f]{64}$/.test(key));
          expect(await authenticateKey(env, key)).toEqual(refused);
        },
      ),
      { numRuns: 500 },
    );

    expect(asked).toEqual([]);
  });
});
