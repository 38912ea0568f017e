import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { writeTime } from "../../../src/mess/times.ts";
import { createLink } from "../respond/support.ts";
import {
  Caller,
  createFreshHousehold,
  expectOkJson,
  readRefusal,
  sendRequest,
  type TestHousehold,
} from "../support.ts";
import { createOfferedThread } from "./support.ts";

const HOUR_MS = 3_600_000;
/** Longer than an isolate caches a key. */
const CACHE_MS = 31_000;
/** Noon of a day ahead of the real clock, so that alarms fire only when a test runs them. */
const START = Math.ceil(Date.now() / (24 * HOUR_MS)) * 24 * HOUR_MS + 12 * HOUR_MS;
const writeTimeAfter = (ms: number): string => writeTime(START + ms, "UTC");

const setTime = (ms: number) => vi.useFakeTimers({ now: START + ms, toFake: ["Date"] });

afterEach(() => {
  vi.useRealTimers();
});

interface ListedKey {
  id: string;
  actor: string;
  created: string;
  expires?: string;
  last_used?: string;
}

const addKey = async (owner: Caller, actor: string, more: object, role = "agent") => {
  const made = await expectOkJson(await owner.post("/api/v1/keys", { actor, role, ...more }));
  return { caller: new Caller(actor, made.key as string), made };
};

const listKeys = async (owner: Caller) =>
  (await owner.read<{ keys: ListedKey[] }>("/api/v1/keys")).keys;

const findKey = async (owner: Caller, actor: string) =>
  (await listKeys(owner)).find((key) => key.actor === actor);

const useKey = async (caller: Caller) => await caller.fetch("/api/v1/household");

const runAlarm = async ({ id }: Pick<TestHousehold, "id">) =>
  await runDurableObjectAlarm(env.HOUSEHOLDS.getByName(id));

const getAlarm = ({ id }: Pick<TestHousehold, "id">) =>
  runInDurableObject(env.HOUSEHOLDS.getByName(id), (_object, { storage }) => storage.getAlarm());

describe("an API key with an expiry", () => {
  it.each([
    ["expires_in", "2h"],
    ["expires_at", writeTime(START + 2 * HOUR_MS, "Europe/Rome")],
  ])(
    "a key with %s is refused from its expiry on, also where it was cached",
    async (field, value) => {
      setTime(0);
      const { owner } = await createFreshHousehold();
      const { caller, made } = await addKey(owner, "courier", { [field]: value });

      setTime(2 * HOUR_MS - 1);
      const before = await useKey(caller);
      setTime(2 * HOUR_MS);
      const after = await useKey(caller);
      const body = await after.clone().json<{ error: { hint: string } }>();

      expect(made.expires).toBe(writeTimeAfter(2 * HOUR_MS));
      expect(before.status).toBe(200);
      expect(await readRefusal(after)).toBe("401 key_expired");
      expect(after.headers.get("WWW-Authenticate")).toContain("Bearer");
      expect(body.error.hint).toContain("/api/v1/keys");
    },
  );

  it("an expired key stays refused with the same code after the household has ended it", async () => {
    setTime(0);
    const household = await createFreshHousehold();
    const { caller } = await addKey(household.owner, "courier", { expires_in: "1h" });
    setTime(HOUR_MS);

    await runAlarm(household);

    expect(await readRefusal(await useKey(caller))).toBe("401 key_expired");
    expect(await findKey(household.owner, "courier")).toBeUndefined();
  });

  it("a key that is revoked before its expiry is refused like an unknown one", async () => {
    setTime(0);
    const { owner } = await createFreshHousehold();
    const { caller, made } = await addKey(owner, "courier", { expires_in: "1h" });

    await expectOkJson(await owner.fetch(`/api/v1/keys/${made.id}`, { method: "DELETE" }));
    setTime(HOUR_MS);

    expect(await readRefusal(await useKey(caller))).toBe("401 unauthenticated");
  });

  it("an MCP client learns that its key has expired", async () => {
    setTime(0);
    const { owner } = await createFreshHousehold();
    const { caller } = await addKey(owner, "courier", { expires_in: "1h" });
    setTime(HOUR_MS);

    const response = await caller.post("/mcp", { jsonrpc: "2.0", id: 1, method: "ping" });

    expect(response.status).toBe(401);
    expect(response.headers.get("WWW-Authenticate")).toContain("expired");
  });

  it.each([
    [{ expires_in: "soon" }, "400 bad_duration"],
    [{ expires_in: "0s" }, "400 bad_field"],
    [{ expires_at: "tomorrow" }, "400 bad_time"],
    [{ expires_at: "2020-01-01T00:00:00Z" }, "400 bad_field"],
    [{ expires_at: "2126-01-01T00:00:00Z" }, "400 bad_field"],
    [{ expires_in: "1h", expires_at: "2030-01-01T00:00:00Z" }, "400 bad_field"],
  ])("a key with the expiry %j is refused and not stored", async (expiry, refusal) => {
    const { owner } = await createFreshHousehold();

    const response = await owner.post("/api/v1/keys", {
      actor: "courier",
      role: "agent",
      ...expiry,
    });

    expect(await readRefusal(response)).toBe(refusal);
    expect(await findKey(owner, "courier")).toBeUndefined();
  });

  it("a repeated call returns the same key, and one with another expiry is refused", async () => {
    const { owner } = await createFreshHousehold();
    const make = (expires_in: string) =>
      owner.post(
        "/api/v1/keys",
        { actor: "courier", role: "agent", expires_in },
        { "Idempotency-Key": "one" },
      );

    const first = await (await make("1h")).text();
    const again = await (await make("1h")).text();
    const other = await make("2h");

    expect(again).toBe(first);
    expect(await readRefusal(other)).toBe("409 idempotency_conflict");
  });

  it("the last owner key without an expiry cannot be revoked", async () => {
    const { owner } = await createFreshHousehold();
    const { made } = await addKey(owner, "owner", { expires_in: "1h" }, "owner");
    const lasting = (await listKeys(owner)).find(
      (key) => key.actor === "owner" && key.id !== made.id,
    )!;

    const refused = await owner.fetch(`/api/v1/keys/${lasting.id}`, { method: "DELETE" });
    const revoked = await owner.fetch(`/api/v1/keys/${made.id}`, { method: "DELETE" });

    expect(await readRefusal(refused)).toBe("409 last_owner_key");
    expect(revoked.status).toBe(200);
  });
});

describe("access made with a key that expires", () => {
  async function createLinkOfExpiringKey() {
    setTime(0);
    const thread = await createOfferedThread();
    const { caller } = await addKey(thread.owner, "ann", { expires_in: "1h" }, "executor");
    const link = await createLink(caller, thread.ref, "ann", { expires: "10d" });
    const read = async () => await sendRequest(`/thread/${thread.ref}?token=${link.token}`);
    return { ...thread, caller, read };
  }

  it("a link ends with the expiry of its key like that of a revoked one", async () => {
    const { id, read } = await createLinkOfExpiringKey();
    const alarm = await getAlarm({ id });
    const before = await read();

    setTime(HOUR_MS);
    await runAlarm({ id });

    expect(alarm).toBeLessThanOrEqual(START + HOUR_MS);
    expect(before.status).toBe(200);
    expect(await readRefusal(await read())).toBe("401 unauthenticated");
  });

  it("a link ends with the expiry of its key after the household's object was stopped", async () => {
    const { id, read } = await createLinkOfExpiringKey();
    await evictDurableObject(env.HOUSEHOLDS.getByName(id));

    setTime(HOUR_MS + 1);
    await runInDurableObject(env.HOUSEHOLDS.getByName(id), (_object, { storage }) =>
      storage.setAlarm(Date.now()),
    );
    await runAlarm({ id });

    expect(await readRefusal(await read())).toBe("401 unauthenticated");
  });

  it("an expired key creates no link, key or sign-in link before the household has ended it", async () => {
    setTime(0);
    const { owner, ref } = await createOfferedThread();
    const { caller } = await addKey(owner, "second", { expires_in: "1h" }, "owner");
    setTime(HOUR_MS);

    const refusals = await Promise.all(
      [
        caller.post(`/mess/${ref}/links`, { executor: "ann" }),
        caller.post("/api/v1/keys", { actor: "third", role: "owner" }),
        caller.post("/api/v1/sign-in-links", { actor: "third", role: "owner" }),
      ].map(async (response) => await readRefusal(await response)),
    );

    expect(refusals).toEqual(Array(3).fill("401 key_expired"));
  });
});

describe("the last use of a key", () => {
  it("the list of keys shows when each was last used, and never the key", async () => {
    setTime(0);
    const { owner } = await createFreshHousehold();
    const { caller, made } = await addKey(owner, "courier", {});
    const unused = await findKey(owner, "courier");

    setTime(5 * 60_000);
    await useKey(caller);
    const listed = await owner.fetch("/api/v1/keys");
    const text = await listed.text();

    expect(unused).not.toHaveProperty("last_used");
    expect(await findKey(owner, "courier")).toEqual({
      id: made.id,
      actor: "courier",
      role: "agent",
      created: writeTimeAfter(0),
      last_used: writeTimeAfter(5 * 60_000),
    });
    expect(text).not.toContain(caller.key);
    expect(text).not.toContain("hash");
  });

  it("the last use is written once an hour, however often the key is used", async () => {
    setTime(0);
    const { owner } = await createFreshHousehold();
    const { caller } = await addKey(owner, "courier", {});
    const uses: (string | undefined)[] = [];

    for (const ms of [0, CACHE_MS, HOUR_MS - 1, HOUR_MS + CACHE_MS]) {
      setTime(ms);
      await useKey(caller);
      uses.push((await findKey(owner, "courier"))?.last_used);
    }

    expect(uses).toEqual([
      writeTimeAfter(0),
      writeTimeAfter(0),
      writeTimeAfter(0),
      writeTimeAfter(HOUR_MS + CACHE_MS),
    ]);
  });
});
