import { householdStub } from "../../../src/stubs.ts";
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { naming } from "../../support/naming.ts";
import { codeOf, freshHome, freshName, hash, opening, request, summary } from "./support.ts";

const OLGA = { actor: "olga", role: "owner" } as const;

const tables = (id: string) =>
  runInDurableObject(env.HOUSEHOLDS.getByName(id), (_object, state) =>
    state.storage.sql
      .exec<{ name: string }>(
        "SELECT name FROM sqlite_master WHERE name NOT LIKE '\\_cf%' ESCAPE '\\'",
      )
      .toArray()
      .map(({ name }) => name),
  );

describe("a household that does not exist", () => {
  it("calls to a household that does not exist are answered, and leave no table and no alarm", async () => {
    const id = freshName();
    const rpc = householdStub(env, id);
    const home = { id, rpc };
    expect(await rpc.authenticate(hash("a9"))).toBeNull();
    expect(await rpc.settings()).toBeNull();
    expect(await rpc.keys()).toEqual([]);
    expect(await rpc.executors()).toEqual([]);
    expect(await rpc.refs(null, 10)).toEqual([]);
    expect(await rpc.configuration()).toEqual({});
    expect(await rpc.query({ type: "executors" }, OLGA)).toEqual({ executors: [] });
    expect((await rpc.dryRun(request())).by).toBe("nobody");
    expect(await rpc.events({ actor: "olga", role: "owner" }, 0, 10)).toEqual({
      events: [],
      cursor: 0,
    });
    await rpc.changed(summary(home, "2031-01-01-001"));
    const refused = [
      await rpc.open(opening("scout", [request()], "k1")),
      await rpc.resolve("scout", "last", "k1"),
      await rpc.candidate("ada"),
      await rpc.configure({ executors: { ada: {} } }),
      await rpc.addKey({ actor: "ada", role: "agent", key_hash: hash("1") }),
      await rpc.revokeKey("any"),
      await rpc.adopt(summary(home, "2031-01-01-001")),
    ];
    expect(new Set(refused.map(codeOf))).toEqual(new Set(["not_found", "unknown_executor"]));
    expect(await tables(id)).toEqual([]);
    const stub = env.HOUSEHOLDS.getByName(id);
    expect(await runInDurableObject(stub, (_object, state) => state.storage.getAlarm())).toBeNull();
  });

  it("a household is set up once, and not with bad names", async () => {
    const id = freshName();
    const rpc = householdStub(env, id);
    const owner = { actor: "olga", key_hash: hash("0e") };
    const bad = [
      await rpc.setUp({ id, time_zone: "Nowhere" }, owner),
      await rpc.setUp({ id: "Big House", time_zone: "UTC" }, owner),
      await rpc.setUp({ id: freshName(), time_zone: "UTC" }, owner),
      await rpc.setUp({ id, time_zone: "UTC" }, { ...owner, actor: "system" }),
      await rpc.setUp({ id, time_zone: "UTC" }, { ...owner, key_hash: "secret" }),
    ];
    expect(bad.map(codeOf)).toEqual([
      "bad_field",
      "bad_field",
      "bad_field",
      "reserved_id",
      "bad_field",
    ]);
    expect(await tables(id)).toEqual([]);
    const made = await rpc.setUp({ id, name: "Nest", time_zone: "Europe/Rome" }, owner);
    expect(made).toEqual({ ok: true, value: { id, name: "Nest", time_zone: "Europe/Rome" } });
    expect(codeOf(await rpc.setUp({ id, time_zone: "UTC" }, owner))).toBe("already_exists");
    expect(await rpc.settings()).toEqual({ id, name: "Nest", time_zone: "Europe/Rome" });
  });
});

describe("keys", () => {
  it("a key authenticates by its hash until it is revoked", async () => {
    const { id, rpc } = await freshHome();
    const added = await rpc.addKey({
      actor: "ada",
      role: "executor",
      key_hash: hash("ada"),
      label: "phone",
    });
    if (!added.ok) throw new Error(added.error.message);
    expect(added.value).toMatchObject({ actor: "ada", role: "executor", label: "phone" });
    expect(await rpc.authenticate(hash("ada"))).toEqual({
      id: expect.any(String),
      actor: "ada",
      role: "executor",
    });
    expect(await rpc.authenticate(hash("adb"))).toBeNull();
    expect(JSON.stringify(await rpc.keys())).not.toContain(hash("ada"));
    expect((await rpc.keys()).map(({ actor }) => actor).toSorted()).toEqual([
      "ada",
      "olga",
      "scout",
    ]);

    expect(codeOf(await rpc.revokeKey(added.value.id))).toBe("ok");
    await evictDurableObject(env.HOUSEHOLDS.getByName(id));
    expect(await rpc.authenticate(hash("ada"))).toBeNull();
    expect(codeOf(await rpc.revokeKey(added.value.id))).toBe("not_found");
    const again = await rpc.addKey({ actor: "ada", role: "executor", key_hash: hash("ada") });
    expect(codeOf(again)).toBe("already_exists");
  });

  it("a key may be added again for its member, but not for another", async () => {
    const { rpc } = await freshHome();
    const key = { actor: "ada", role: "agent", key_hash: hash("ada") } as const;
    expect(await rpc.addKey(key)).toEqual(await rpc.addKey(key));
    expect(codeOf(await rpc.addKey({ ...key, actor: "ben" }))).toBe("already_exists");
    expect(codeOf(await rpc.addKey({ ...key, key_hash: hash("b"), actor: "all" }))).toBe(
      "reserved_id",
    );
  });

  it("the last owner's key cannot be revoked", async () => {
    const { rpc } = await freshHome();
    const [owner] = (await rpc.keys()).filter(({ role }) => role === "owner");
    expect(codeOf(await rpc.revokeKey(owner!.id))).toBe("last_owner_key");
    await rpc.addKey({ actor: "olga", role: "owner", key_hash: hash("0f") });
    expect(codeOf(await rpc.revokeKey(owner!.id))).toBe("ok");
  });

  it("a key for an unknown executor makes a member without capabilities", async () => {
    const { rpc } = await freshHome();
    await rpc.addKey({ actor: "ada", role: "executor", key_hash: hash("ada") });
    expect(await rpc.executors()).toEqual([{ id: "ada", kind: "person", capabilities: [] }]);
    expect(await rpc.candidate("ada")).toEqual({
      ok: true,
      value: { id: "ada", kind: "person", lease: 7_200 },
    });
    expect(await rpc.candidate("scout")).toMatchObject({
      ok: false,
      error: { code: "unknown_executor", valid: ["ada"] },
    });
  });
});

describe("configuration (decision 50)", () => {
  const block = {
    executors: {
      ada: { capabilities: ["drive"], notify: { sms: "+15550100" }, hours: "07:00-21:00" },
      mower: { capabilities: ["mow"], notify: { webhook: "https://mower.example" } },
    },
    routing: [
      { match: { capability: "mow" }, prefer: ["mower"] },
      { default: { prefer: ["ada"] } },
    ],
    capabilities: [{ id: "mow", description: "Cut the grass", tags: ["garden"] }],
    dispatch: { sms: { account_sid: "AC1", from: "+15550199", auth_token: "${TWILIO_TOKEN}" } },
  };

  it("an exported configuration can be set in another household, and survives eviction", async () => {
    const first = await freshHome("Europe/Rome");
    await first.rpc.putSecret("TWILIO_TOKEN", "t0");
    expect(await first.rpc.configure(block)).toEqual({ ok: true, value: { warnings: [] } });
    const written = await first.rpc.configuration();
    const second = await freshHome();
    await second.rpc.configure(written);
    expect(await second.rpc.configuration()).toEqual(written);
    expect(written).toMatchObject({
      dispatch: block.dispatch,
      settings: { time_zone: "Europe/Rome" },
    });
    await evictDurableObject(env.HOUSEHOLDS.getByName(first.id));
    expect(await first.rpc.configuration()).toEqual(written);
  });

  it("configuring one executor leaves the others unchanged", async () => {
    const { rpc } = await freshHome();
    await rpc.configure(block);
    await rpc.configure({ executor: { id: "ada", capabilities: ["swim"] } });
    expect((await rpc.executors()).map(({ id, capabilities }) => [id, capabilities])).toEqual([
      ["ada", ["swim"]],
      ["mower", ["mow"]],
    ]);
  });

  it("removing an executor removes its keys, and warns where routing still names it", async () => {
    const { rpc } = await freshHome();
    await rpc.configure(block);
    await rpc.addKey({ actor: "ada", role: "executor", key_hash: hash("ada") });
    const outcome = await rpc.configure({ executors: { ada: null } });
    expect(outcome).toEqual({
      ok: true,
      value: { warnings: [naming("ada")] },
    });
    expect((await rpc.executors()).map(({ id }) => id)).toEqual(["mower"]);
    expect(await rpc.authenticate(hash("ada"))).toBeNull();
  });

  it("a configuration that is refused changes nothing", async () => {
    const { rpc } = await freshHome();
    await rpc.configure(block);
    const before = await rpc.configuration();
    const refused = await rpc.configure({ executors: { ben: {}, exchange: {} }, routing: [] });
    expect(codeOf(refused)).toBe("reserved_id");
    expect(await rpc.configuration()).toEqual(before);
  });

  it("queries answer who can do what (protocol §8.6), and not how they are reached", async () => {
    const { rpc } = await freshHome();
    await rpc.configure(block);
    expect(await rpc.query({ type: "capabilities" }, OLGA)).toEqual({
      capabilities: [
        { id: "drive", executors: ["ada"] },
        { id: "mow", description: "Cut the grass", tags: ["garden"], executors: ["mower"] },
      ],
    });
    const ada = { id: "ada", kind: "person", capabilities: ["drive"], schedule: "07:00-21:00" };
    expect(await rpc.query({ type: "executors", filter: { executor: "ada" } }, OLGA)).toEqual({
      executors: [{ ...ada, available: expect.any(Boolean) }],
    });
  });
});
