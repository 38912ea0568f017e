import { getHouseholdStub } from "../../../src/stubs.ts";
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { expectNaming } from "../../support/naming.ts";
import {
  getCode,
  createHousehold,
  createName,
  buildFakeHash,
  buildOpenInput,
  buildRequest,
  buildSummary,
} from "./support.ts";

const OLGA = { actor: "olga", role: "owner" } as const;

const parseTables = (id: string) =>
  runInDurableObject(env.HOUSEHOLDS.getByName(id), (_object, state) =>
    state.storage.sql
      .exec<{ name: string }>(
        "SELECT name FROM sqlite_master WHERE name NOT LIKE '\\_cf%' ESCAPE '\\'",
      )
      .toArray()
      .map(({ name }) => name),
  );

describe("a household that does not exist", () => {
  it("calls to a household that does not exist are answered, and create no table and no alarm", async () => {
    const id = createName();
    const rpc = getHouseholdStub(env, id);
    const home = { id, rpc };
    expect(await rpc.identity.authenticateKey(buildFakeHash("a9"))).toBeNull();
    expect(await rpc.settings.getSettings()).toBeNull();
    expect(await rpc.identity.listKeys()).toEqual([]);
    expect(await rpc.settings.listExecutors()).toEqual([]);
    expect(await rpc.threads.listRefs(null, 10)).toEqual([]);
    expect(await rpc.settings.exportConfiguration()).toEqual({});
    expect(await rpc.threads.answerQuery({ type: "executors" }, OLGA)).toEqual({ executors: [] });
    expect((await rpc.threads.previewRoute(buildRequest())).by).toBe("nobody");
    expect(await rpc.events.listEvents({ actor: "olga", role: "owner" }, 0, 10)).toEqual({
      events: [],
      cursor: 0,
    });
    await rpc.threads.recordSummary(buildSummary(home, "2031-01-01-001"));
    const refused = [
      await rpc.threads.openThreads(buildOpenInput("scout", [buildRequest()], "k1")),
      await rpc.threads.resolveTarget("scout", "last", { key: "k1" }),
      await rpc.threads.findCandidate("ada"),
      await rpc.settings.configure({ executors: { ada: {} } }),
      await rpc.identity.addKey({ actor: "ada", role: "agent", key_hash: buildFakeHash("1") }),
      await rpc.identity.revokeKey("any"),
      await rpc.threads.adoptThread(buildSummary(home, "2031-01-01-001")),
    ];
    expect(new Set(refused.map(getCode))).toEqual(new Set(["not_found", "unknown_executor"]));
    expect(await parseTables(id)).toEqual([]);
    const stub = env.HOUSEHOLDS.getByName(id);
    expect(await runInDurableObject(stub, (_object, state) => state.storage.getAlarm())).toBeNull();
  });

  it("a household is set up once, and not with invalid names", async () => {
    const id = createName();
    const rpc = getHouseholdStub(env, id);
    const owner = { actor: "olga", key_hash: buildFakeHash("0e") };
    const bad = [
      await rpc.settings.setUp({ id, time_zone: "Nowhere" }, owner),
      await rpc.settings.setUp({ id: "Big House", time_zone: "UTC" }, owner),
      await rpc.settings.setUp({ id: createName(), time_zone: "UTC" }, owner),
      await rpc.settings.setUp({ id, time_zone: "UTC" }, { ...owner, actor: "system" }),
      await rpc.settings.setUp({ id, time_zone: "UTC" }, { ...owner, key_hash: "secret" }),
    ];
    expect(bad.map(getCode)).toEqual([
      "bad_field",
      "bad_field",
      "bad_field",
      "reserved_id",
      "bad_field",
    ]);
    expect(await parseTables(id)).toEqual([]);
    const made = await rpc.settings.setUp({ id, name: "Nest", time_zone: "Europe/Rome" }, owner);
    expect(made).toEqual({ ok: true, value: { id, name: "Nest", time_zone: "Europe/Rome" } });
    expect(getCode(await rpc.settings.setUp({ id, time_zone: "UTC" }, owner))).toBe(
      "already_exists",
    );
    expect(await rpc.settings.getSettings()).toEqual({
      id,
      name: "Nest",
      time_zone: "Europe/Rome",
    });
  });
});

describe("keys", () => {
  it("a key authenticates by its hash until it is revoked", async () => {
    const { id, rpc } = await createHousehold();
    const added = await rpc.identity.addKey({
      actor: "ada",
      role: "executor",
      key_hash: buildFakeHash("ada"),
      label: "phone",
    });
    if (!added.ok) throw new Error(added.error.message);
    expect(added.value).toMatchObject({ actor: "ada", role: "executor", label: "phone" });
    expect(await rpc.identity.authenticateKey(buildFakeHash("ada"))).toEqual({
      id: expect.any(String),
      actor: "ada",
      role: "executor",
    });
    expect(await rpc.identity.authenticateKey(buildFakeHash("adb"))).toBeNull();
    expect(JSON.stringify(await rpc.identity.listKeys())).not.toContain(buildFakeHash("ada"));
    expect((await rpc.identity.listKeys()).map(({ actor }) => actor).toSorted()).toEqual([
      "ada",
      "olga",
      "scout",
    ]);

    expect(getCode(await rpc.identity.revokeKey(added.value.id))).toBe("ok");
    await evictDurableObject(env.HOUSEHOLDS.getByName(id));
    expect(await rpc.identity.authenticateKey(buildFakeHash("ada"))).toBeNull();
    expect(getCode(await rpc.identity.revokeKey(added.value.id))).toBe("not_found");
    const again = await rpc.identity.addKey({
      actor: "ada",
      role: "executor",
      key_hash: buildFakeHash("ada"),
    });
    expect(getCode(again)).toBe("already_exists");
  });

  it("a key may be added again for its member, but not for another", async () => {
    const { rpc } = await createHousehold();
    const key = { actor: "ada", role: "agent", key_hash: buildFakeHash("ada") } as const;
    expect(await rpc.identity.addKey(key)).toEqual(await rpc.identity.addKey(key));
    expect(getCode(await rpc.identity.addKey({ ...key, actor: "ben" }))).toBe("already_exists");
    expect(
      getCode(await rpc.identity.addKey({ ...key, key_hash: buildFakeHash("b"), actor: "all" })),
    ).toBe("reserved_id");
  });

  it("the last owner's key cannot be revoked", async () => {
    const { rpc } = await createHousehold();
    const [owner] = (await rpc.identity.listKeys()).filter(({ role }) => role === "owner");
    expect(getCode(await rpc.identity.revokeKey(owner!.id))).toBe("last_owner_key");
    await rpc.identity.addKey({ actor: "olga", role: "owner", key_hash: buildFakeHash("0f") });
    expect(getCode(await rpc.identity.revokeKey(owner!.id))).toBe("ok");
  });

  it("a key for an unknown executor creates a member without capabilities", async () => {
    const { rpc } = await createHousehold();
    await rpc.identity.addKey({ actor: "ada", role: "executor", key_hash: buildFakeHash("ada") });
    expect(await rpc.settings.listExecutors()).toEqual([
      { id: "ada", kind: "person", capabilities: [] },
    ]);
    expect(await rpc.threads.findCandidate("ada")).toEqual({
      ok: true,
      value: { id: "ada", kind: "person", lease: 7_200 },
    });
    expect(await rpc.threads.findCandidate("scout")).toMatchObject({
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
    const first = await createHousehold("Europe/Rome");
    await first.rpc.secrets.putSecret("TWILIO_TOKEN", "t0");
    expect(await first.rpc.settings.configure(block)).toEqual({
      ok: true,
      value: { warnings: [] },
    });
    const written = await first.rpc.settings.exportConfiguration();
    const second = await createHousehold();
    await second.rpc.settings.configure(written);
    expect(await second.rpc.settings.exportConfiguration()).toEqual(written);
    expect(written).toMatchObject({
      dispatch: block.dispatch,
      settings: { time_zone: "Europe/Rome" },
    });
    await evictDurableObject(env.HOUSEHOLDS.getByName(first.id));
    expect(await first.rpc.settings.exportConfiguration()).toEqual(written);
  });

  it("configuring one executor leaves the others unchanged", async () => {
    const { rpc } = await createHousehold();
    await rpc.settings.configure(block);
    await rpc.settings.configure({ executor: { id: "ada", capabilities: ["swim"] } });
    expect(
      (await rpc.settings.listExecutors()).map(({ id, capabilities }) => [id, capabilities]),
    ).toEqual([
      ["ada", ["swim"]],
      ["mower", ["mow"]],
    ]);
  });

  it("removing an executor revokes its keys, and warns if routing still names it", async () => {
    const { rpc } = await createHousehold();
    await rpc.settings.configure(block);
    await rpc.identity.addKey({ actor: "ada", role: "executor", key_hash: buildFakeHash("ada") });
    const outcome = await rpc.settings.configure({ executors: { ada: null } });
    expect(outcome).toEqual({
      ok: true,
      value: { warnings: [expectNaming("ada")] },
    });
    expect((await rpc.settings.listExecutors()).map(({ id }) => id)).toEqual(["mower"]);
    expect(await rpc.identity.authenticateKey(buildFakeHash("ada"))).toBeNull();
  });

  it("a configuration that is refused changes nothing", async () => {
    const { rpc } = await createHousehold();
    await rpc.settings.configure(block);
    const before = await rpc.settings.exportConfiguration();
    const refused = await rpc.settings.configure({
      executors: { ben: {}, exchange: {} },
      routing: [],
    });
    expect(getCode(refused)).toBe("reserved_id");
    expect(await rpc.settings.exportConfiguration()).toEqual(before);
  });

  it("queries return the capabilities of members (protocol §8.6), but not their addresses", async () => {
    const { rpc } = await createHousehold();
    await rpc.settings.configure(block);
    expect(await rpc.threads.answerQuery({ type: "capabilities" }, OLGA)).toEqual({
      capabilities: [
        { id: "drive", executors: ["ada"] },
        { id: "mow", description: "Cut the grass", tags: ["garden"], executors: ["mower"] },
      ],
    });
    const ada = { id: "ada", kind: "person", capabilities: ["drive"], schedule: "07:00-21:00" };
    expect(
      await rpc.threads.answerQuery({ type: "executors", filter: { executor: "ada" } }, OLGA),
    ).toEqual({
      executors: [{ ...ada, available: expect.any(Boolean) }],
    });
  });
});
