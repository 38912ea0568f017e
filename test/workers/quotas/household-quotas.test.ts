import { env } from "cloudflare:workers";
import { runDurableObjectAlarm } from "cloudflare:test";
import { afterEach, describe, expect, it, vi } from "vitest";
import { Caller, countThreads, expectOkJson } from "../support.ts";
import { expectQuota, readQuotaRefusal, readUse, request, withLimits } from "./quota-support.ts";

afterEach(() => {
  vi.useRealTimers();
});

describe("open threads", () => {
  it("a member with too many open threads is refused until one of them ends", async () => {
    const home = await withLimits({ open_threads_per_member: 2 });
    const { agent, owner } = home;
    const ref = await agent.createThread("one");
    await agent.createThread("two");

    const refused = await agent.postBlocks(request("three"));

    expect(await readQuotaRefusal(refused)).toEqual(expectQuota("open_threads_per_member", 429));
    expect((await owner.postBlocks(request("of another member"))).status).toBe(201);
    await agent.appendBlocks(ref, { cancel: { reason: "no longer needed" } });
    await vi.waitFor(async () =>
      expect((await agent.postBlocks(request("three"))).status).toBe(201),
    );
    expect(await readUse(home, "open_threads_per_member")).toMatchObject({
      limit: 2,
      used_by: { scout: 2, owner: 1 },
    });
  });

  it("a repeated call is not counted and not refused", async () => {
    const { agent } = await withLimits({ open_threads_per_member: 1, new_threads_per_member: 1 });
    const post = (key: string) =>
      agent.post("/mess", { MESS: [request("one", { id: "one" })] }, { "Idempotency-Key": key });

    const first = await expectOkJson(await post("a"));
    const byKey = await expectOkJson(await post("a"));
    const byId = await expectOkJson(await post("b"));

    expect([byKey, byId].map(({ MESS }) => MESS[0].ack.ref)).toEqual(
      Array(2).fill(first.MESS[0].ack.ref),
    );
  });

  it("a batch that exceeds a quota is refused as a whole", async () => {
    const { agent } = await withLimits({ open_threads_per_household: 3 });

    const refused = await agent.postBlocks(...["a", "b", "c", "d"].map((one) => request(one)));

    expect(await readQuotaRefusal(refused)).toEqual(expectQuota("open_threads_per_household", 429));
    expect(await countThreads(agent)).toBe(0);
  });
});

describe("new threads of a day", () => {
  it.each(["new_threads_per_member", "new_threads_per_household"] as const)(
    "the quota %s starts again on the next day",
    async (name) => {
      vi.setSystemTime(new Date("2041-05-04T10:00:00Z"));
      const { agent } = await withLimits({ [name]: 1 });
      await agent.createThread("one");

      const refused = await agent.postBlocks(request("two"));

      expect(refused.headers.get("Retry-After")).toBe(String(14 * 3_600));
      expect(await readQuotaRefusal(refused)).toEqual(expectQuota(name, 429));
      vi.setSystemTime(new Date("2041-05-05T00:00:01Z"));
      expect((await agent.postBlocks(request("two"))).status).toBe(201);
    },
  );

  it("a schedule fires no more threads than its member may create", async () => {
    vi.setSystemTime(new Date("2041-05-04T10:00:30Z"));
    const home = await withLimits({ new_threads_per_member: 1 });
    await home.agent.createThread("one");
    await expectOkJson(
      await home.agent.post("/api/v1/schedules", {
        id: "often",
        cron: "* * * * *",
        request: { intent: "look" },
      }),
    );

    vi.setSystemTime(new Date("2041-05-04T10:01:01Z"));
    await runDurableObjectAlarm(env.HOUSEHOLDS.getByName(home.id));

    const { events } = await home.owner.read("/api/v1/events");
    expect(events.at(-1)).toMatchObject({
      action: "schedule_skipped",
      note: expect.stringContaining("new_threads_per_member"),
    });
  });
});

describe("schedules and keys", () => {
  it("a member with too many schedules is refused, other members are not", async () => {
    const { agent, owner } = await withLimits({
      schedules_per_member: 1,
      schedules_per_household: 2,
    });
    const add = (caller: Caller, id: string) =>
      caller.post("/api/v1/schedules", { id, cron: "@daily", request: { intent: "look" } });
    expect((await add(agent, "a")).status).toBe(201);

    expect(await readQuotaRefusal(await add(agent, "b"))).toEqual(
      expectQuota("schedules_per_member", 429),
    );
    expect((await add(agent, "a")).status).toBe(200);
    expect((await add(owner, "c")).status).toBe(201);
    const configured = await owner.postBlocks({
      config: { schedules: { d: { by: "dana", cron: "@daily", request: { intent: "look" } } } },
    });
    expect(await readQuotaRefusal(configured)).toEqual(expectQuota("schedules_per_household", 429));
  });

  it("a member with too many keys is refused until one is revoked, and no member is added", async () => {
    const home = await withLimits({ keys_per_member: 1, keys_per_household: 6 });
    const { owner } = home;
    const add = (actor: string, key?: string) =>
      owner.post(
        "/api/v1/keys",
        { actor, role: "agent" },
        key === undefined ? {} : { "Idempotency-Key": key },
      );
    const first = await expectOkJson(await add("bot", "one"));

    expect(await readQuotaRefusal(await add("bot"))).toEqual(expectQuota("keys_per_member", 429));
    expect((await add("bot", "one")).status).toBe(201);
    expect(await readQuotaRefusal(await add("newcomer"))).toEqual(
      expectQuota("keys_per_household", 429),
    );
    await owner.fetch(`/api/v1/keys/${first.id}`, { method: "DELETE" });
    expect((await add("bot")).status).toBe(201);
  });
});
