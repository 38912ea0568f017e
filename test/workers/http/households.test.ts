import { afterEach, describe, expect, it, vi } from "vitest";
import {
  type Answered,
  Caller,
  waitUntil,
  expectOkJson,
  createFreshHousehold,
  OPERATOR_KEY,
  readRefusal,
} from "../support.ts";

const operator = new Caller("operator", OPERATOR_KEY);
const make = (body: object, headers: Record<string, string> = {}) =>
  operator.post("/api/v1/households", body, headers);
const createId = (): string => `h-${crypto.randomUUID().slice(0, 13)}`;

afterEach(() => {
  vi.useRealTimers();
});

describe("POST /api/v1/households", () => {
  it("a new household is returned with the key of its owner", async () => {
    const id = createId();

    const response = await make({ id, name: "The villa", time_zone: "Europe/Rome" });

    expect(response.status).toBe(201);
    const { household, owner } = await expectOkJson(response);
    expect(household).toEqual({ id, name: "The villa", time_zone: "Europe/Rome" });
    expect(owner).toEqual({
      id: "owner",
      key: expect.stringMatching(new RegExp(`^mess_${id}_[0-9a-f]{64}$`)),
    });
    expect(await new Caller("owner", owner.key).read("/api/v1/household")).toEqual({
      household,
      you: { actor: "owner", role: "owner" },
    });
  });

  it("a household id that exists is refused", async () => {
    const id = createId();
    await make({ id });

    expect(await readRefusal(await make({ id }))).toBe("409 already_exists");
  });

  it("a repeated call gets the same owner key, and another call does not", async () => {
    const id = createId();

    const first = await (await make({ id }, { "Idempotency-Key": "one" })).text();
    const again = await (await make({ id }, { "Idempotency-Key": "one" })).text();
    const other = await make({ id }, { "Idempotency-Key": "two" });

    expect(again).toBe(first);
    expect(await readRefusal(other)).toBe("409 already_exists");
  });

  it.each([
    [{}, "id"],
    [{ id: "" }, "id"],
    [{ id: "With Capitals" }, "id"],
    [{ id: "under_score" }, "id"],
    [{ id: "a/b" }, "id"],
    [{ id: "-a" }, "id"],
    [{ id: "x".repeat(64) }, "id"],
    [{ id: 7 }, "id"],
    [{ id: "ok", time_zone: "Mars/Olympus" }, "time_zone"],
    [{ id: "ok", name: "" }, "name"],
    [{ id: "ok", colour: "red" }, "colour"],
  ])("a new household with %j is refused with the name of the field", async (body, path) => {
    const { error } = await (await make(body)).json<{ error: Answered }>();

    expect([error.code, error.path]).toEqual(["bad_field", path]);
  });

  it("a household id that is reserved for the exchange is refused", async () => {
    expect(await readRefusal(await make({ id: "exchange" }))).toBe("400 reserved_id");
  });

  it("only the operator may create households", async () => {
    const { owner } = await createFreshHousehold();

    for (const caller of [owner, new Caller("x", "wrong-operator-key"), new Caller("x", "")])
      expect(await readRefusal(await caller.post("/api/v1/households", { id: createId() }))).toBe(
        "401 unauthenticated",
      );
  });
});

describe("keys of a household", () => {
  it("listed keys contain no secrets", async () => {
    const { owner } = await createFreshHousehold();

    const text = await (await owner.fetch("/api/v1/keys")).text();

    const { keys } = JSON.parse(text) as { keys: Answered[] };
    expect(keys.map(({ actor, role }) => [actor, role])).toEqual(
      expect.arrayContaining([
        ["owner", "owner"],
        ["scout", "agent"],
        ["ann", "executor"],
      ]),
    );
    expect(text).not.toMatch(/mess_|[0-9a-f]{64}/);
  });

  it("a key is valid until it is revoked, and ends at once in the isolate that revoked it", async () => {
    const { owner } = await createFreshHousehold();
    const added = await expectOkJson(
      await owner.post("/api/v1/keys", { actor: "temp", role: "agent", label: "for a day" }),
    );
    const temp = new Caller("temp", added.key);
    const before = await temp.fetch("/api/v1/household");

    const revoked = await owner.fetch(`/api/v1/keys/${added.id}`, { method: "DELETE" });

    expect([before.status, revoked.status]).toEqual([200, 200]);
    expect(await readRefusal(await temp.fetch("/api/v1/household"))).toBe("401 unauthenticated");
  });

  it("a repeated call returns the same key, as long as that is not revoked", async () => {
    const { owner } = await createFreshHousehold();
    const add = (body: object) => owner.post("/api/v1/keys", body, { "Idempotency-Key": "one" });

    const first = await expectOkJson(await add({ actor: "temp", role: "agent" }));
    const again = await expectOkJson(await add({ actor: "temp", role: "agent" }));
    const other = await add({ actor: "else", role: "agent" });
    await owner.fetch(`/api/v1/keys/${first.id}`, { method: "DELETE" });
    const late = await add({ actor: "temp", role: "agent" });

    expect(again).toEqual(first);
    expect(await readRefusal(other)).toBe("409 idempotency_conflict");
    expect(await readRefusal(late)).toBe("409 idempotency_conflict");
  });

  it("the same idempotency key creates different keys in different households", async () => {
    const one = await createFreshHousehold();
    const two = await createFreshHousehold();
    const add = async (owner: Caller) =>
      (
        await expectOkJson(
          await owner.post(
            "/api/v1/keys",
            { actor: "temp", role: "agent" },
            { "Idempotency-Key": "one" },
          ),
        )
      ).key as string;

    const secrets = [await add(one.owner), await add(two.owner)].map((key) => key.split("_")[2]);

    expect(secrets[0]).not.toBe(secrets[1]);
  });

  it("the last owner key of a household cannot be revoked", async () => {
    const { owner } = await createFreshHousehold();
    const { keys } = await owner.read("/api/v1/keys");
    const own = keys.find(({ role }: Answered) => role === "owner");

    const response = await owner.fetch(`/api/v1/keys/${own.id}`, { method: "DELETE" });

    expect(response.status).toBe(409);
    await owner.read("/api/v1/household");
  });

  it.each([
    [{ actor: "x" }, "bad_field"],
    [{ actor: "x", role: "king" }, "bad_field"],
    [{ actor: "Not Kebab", role: "agent" }, "bad_field"],
    [{ actor: "exchange", role: "agent" }, "reserved_id"],
    [{ role: "agent" }, "bad_field"],
    [[], "bad_field"],
  ])("a key for %j is refused", async (body, code) => {
    const { owner } = await createFreshHousehold();

    expect(await readRefusal(await owner.post("/api/v1/keys", body))).toBe(`400 ${code}`);
  });

  it("a key that does not exist cannot be revoked", async () => {
    const { owner } = await createFreshHousehold();

    for (const id of ["nothing", "%00", crypto.randomUUID()])
      expect(await readRefusal(await owner.fetch(`/api/v1/keys/${id}`, { method: "DELETE" }))).toBe(
        "404 not_found",
      );
  });
});

describe("the household resource", () => {
  it("a household shows its executors to members, and their addresses only to owners", async () => {
    const { owner, agent } = await createFreshHousehold();
    await expectOkJson(
      await owner.postBlocks({
        config: { executor: { id: "ann", capabilities: ["look"], notify: { sms: "+15550100" } } },
      }),
    );

    const shown = JSON.stringify(await agent.read("/api/v1/executors"));
    const whole = JSON.stringify(await owner.read("/api/v1/executors"));

    expect(shown).toContain('"ann"');
    expect(shown).not.toContain("5550100");
    expect(whole).toContain("5550100");
  });

  it("a household shows its configuration to owners", async () => {
    const { owner } = await createFreshHousehold();

    const { config } = await owner.read("/api/v1/config");

    expect(JSON.stringify(config)).toContain("vacuum-floor");
  });

  it("a household lists the events of the caller's threads after a cursor", async () => {
    const { agent, ann, ben } = await createFreshHousehold();
    const ref = await agent.createThread("look at the basil", { requires: ["look"] });
    const first = await waitUntil(async () => {
      const events = await agent.read("/api/v1/events");
      expect(events.events).toMatchObject([{ ref, status: "pending" }]);
      return events;
    });
    await ann.claim(ref);

    await waitUntil(async () => {
      const next = await agent.read(`/api/v1/events?cursor=${first.cursor}`);
      expect(next.events).toMatchObject([{ ref, status: "claimed", executor: "ann" }]);
    });
    expect((await ben.read("/api/v1/events")).events).toEqual([]);
  });

  it.each(["cursor=x", "limit=0", "limit=501", "limit=x", "since=2020"])(
    "a list of events with %s is refused",
    async (query) => {
      const { agent } = await createFreshHousehold();

      expect(await readRefusal(await agent.fetch(`/api/v1/events?${query}`))).toBe(
        "400 bad_parameter",
      );
    },
  );

  it("a household counts its threads, and its index can be rebuilt", async () => {
    const { owner, agent, ann } = await createFreshHousehold();
    await agent.createThread("water the basil");
    await ann.claim(await agent.createThread("look at the basil", { requires: ["look"] }));

    const rebuilt = await expectOkJson(await owner.post("/api/v1/index/rebuild", {}));

    expect(rebuilt).toEqual({ written: 2 });
    expect(await owner.read("/api/v1/statistics")).toMatchObject({
      threads: 2,
      by_status: { pending: 1, claimed: 1, completed: 0 },
    });
  });
});
