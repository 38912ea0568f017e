import { runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { getConfig } from "../../../src/config.ts";
import { QUOTA_NAMES, type QuotaName, QUOTAS } from "../../../src/mess/quotas.ts";
import { getHouseholdStub } from "../../../src/stubs.ts";
import {
  type Answered,
  Caller,
  countThreads,
  createFreshHousehold,
  expectOkJson,
  OPERATOR_KEY,
  readRefusal,
  type TestHousehold,
} from "../support.ts";

const operator = new Caller("operator", OPERATOR_KEY);

afterEach(() => {
  vi.useRealTimers();
});

const putLimits = (id: string, limits: object): Promise<Response> =>
  operator.fetch(`/api/v1/households/${id}/limits`, {
    method: "PUT",
    body: JSON.stringify(limits),
    headers: { "Content-Type": "application/json" },
  });

async function withLimits(limits: Partial<Record<QuotaName, number>>): Promise<TestHousehold> {
  const household = await createFreshHousehold();
  await expectOkJson(await putLimits(household.id, limits));
  return household;
}

const readUse = async ({ owner }: TestHousehold, name: QuotaName): Promise<Answered> =>
  (await owner.read("/api/v1/limits")).limits.find((one: Answered) => one.name === name);

/** The refusal with the quota that it names and the time to wait. */
async function readQuotaRefusal(response: Response) {
  const { error } = await response.json<Answered>();
  return {
    status: response.status,
    code: error.code,
    reason: error.reason,
    waits: Number(response.headers.get("Retry-After")) === error.retry_after,
    hint: error.hint,
  };
}

const expectQuota = (name: QuotaName, status: number) => ({
  status,
  code: QUOTAS[name].code,
  reason: name,
  waits: true,
  hint: QUOTAS[name].hint,
});

const request = (intent: string, more: object = {}) => ({ request: { intent, ...more } });

const upload = (caller: Caller, ref: string, bytes: number, headers: Record<string, string> = {}) =>
  caller.fetch(`/mess/${ref}/attachments?name=a.txt`, {
    method: "POST",
    body: "x".repeat(bytes),
    headers: { "Content-Type": "text/plain", ...headers },
  });

const listBlobs = async (id: string) =>
  (await env.BLOBS.list({ prefix: `${id}/` })).objects.map(({ size }) => size);

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

describe("files", () => {
  it("a household's stored bytes are limited, and a refused file leaves none", async () => {
    const home = await withLimits({ stored_bytes_per_household: 100 });
    const ref = await home.agent.createThread("one");
    expect((await upload(home.agent, ref, 60)).status).toBe(201);

    const refused = await upload(home.agent, ref, 60);

    expect(await readQuotaRefusal(refused)).toEqual(expectQuota("stored_bytes_per_household", 413));
    expect(await listBlobs(home.id)).toEqual([60]);
    expect(await readUse(home, "stored_bytes_per_household")).toMatchObject({ used: 60 });
    expect((await upload(home.agent, ref, 40)).status).toBe(201);
  });

  it.each([
    ["uploads_per_member", 1, 10],
    ["upload_bytes_per_member", 15, 10],
  ] as const)(
    "the quota %s of a member starts again on the next day",
    async (name, limit, size) => {
      vi.setSystemTime(new Date("2041-05-04T23:00:00Z"));
      const home = await withLimits({ [name]: limit });
      const ref = await home.agent.createThread("one");
      expect((await upload(home.agent, ref, size)).status).toBe(201);

      const refused = await upload(home.agent, ref, size);

      expect(refused.headers.get("Retry-After")).toBe("3600");
      expect(await readQuotaRefusal(refused)).toEqual(expectQuota(name, 429));
      expect((await upload(home.owner, ref, size)).status).toBe(201);
      vi.setSystemTime(new Date("2041-05-05T00:00:01Z"));
      expect((await upload(home.agent, ref, size)).status).toBe(201);
    },
  );

  it("a repeated upload counts once", async () => {
    const home = await createFreshHousehold();
    const ref = await home.agent.createThread("one");
    const send = () => upload(home.agent, ref, 10, { "Idempotency-Key": "a" });

    await expectOkJson(await send());
    await expectOkJson(await send());

    expect(await readUse(home, "stored_bytes_per_household")).toMatchObject({ used: 10 });
    expect(await readUse(home, "uploads_per_member")).toMatchObject({ used_by: { scout: 1 } });
  });

  it.each([
    ["stored_bytes_per_household", 15],
    ["uploads_per_member", 1],
  ] as const)("a repeated upload passes although the quota %s is used up", async (name, limit) => {
    const home = await withLimits({ [name]: limit });
    const ref = await home.agent.createThread("one");
    const send = (bytes: number, key: string) =>
      upload(home.agent, ref, bytes, { "Idempotency-Key": key });
    const first = await expectOkJson(await send(10, "a"));

    const repeated = await expectOkJson(await send(10, "a"));
    const changed = await send(11, "a");
    const other = await send(10, "b");

    expect(repeated).toEqual(first);
    expect(await readRefusal(changed)).toBe("409 idempotency_conflict");
    expect((await readQuotaRefusal(other)).reason).toBe(name);
    expect(await listBlobs(home.id)).toEqual([10]);
    expect(await readUse(home, "stored_bytes_per_household")).toMatchObject({ used: 10 });
  });

  it("an upload in parts counts when it begins, and once if it is begun again", async () => {
    const home = await withLimits({ stored_bytes_per_household: 100 });
    const ref = await home.agent.createThread("one");
    const begin = (size: number, key: string) =>
      home.agent.post(`/mess/${ref}/uploads`, { name: "a.bin", size }, { "Idempotency-Key": key });

    expect((await begin(80, "a")).status).toBe(201);
    expect((await begin(80, "a")).status).toBe(201);

    expect(await readQuotaRefusal(await begin(80, "b"))).toEqual(
      expectQuota("stored_bytes_per_household", 413),
    );
    expect(await readUse(home, "stored_bytes_per_household")).toMatchObject({ used: 80 });
  });

  const postForm = (caller: Caller, message: object, bytes: number, key: string) => {
    const form = new FormData();
    form.set("message", JSON.stringify({ MESS: [message] }));
    form.set("file", new File(["x".repeat(bytes)], "a.txt", { type: "text/plain" }));
    return caller.fetch("/mess", {
      method: "POST",
      body: form,
      headers: { "Idempotency-Key": key },
    });
  };
  const withFile = { context: [{ file: { file: "a.txt" } }] };

  it("files of a message count with it, and a repeated message passes although there is no space", async () => {
    const home = await withLimits({ stored_bytes_per_household: 25 });
    const ref = await home.agent.createThread("one");
    const note = { followup: { re: ref, message: "see", ...withFile } };

    await expectOkJson(await postForm(home.agent, note, 20, "a"));
    await expectOkJson(await postForm(home.agent, note, 20, "a"));
    const refused = await postForm(home.agent, note, 20, "b");

    expect(await readQuotaRefusal(refused)).toEqual(expectQuota("stored_bytes_per_household", 413));
    expect(await listBlobs(home.id)).toEqual([20]);
    expect(await readUse(home, "stored_bytes_per_household")).toMatchObject({ used: 20 });
  });

  it("files of a request count with its thread, and a repeated request passes although there is no space", async () => {
    const home = await withLimits({ stored_bytes_per_household: 25 });
    const asked = request("read this", withFile);

    await expectOkJson(await postForm(home.agent, asked, 20, "a"));
    await expectOkJson(await postForm(home.agent, asked, 20, "a"));
    const refused = await postForm(home.agent, asked, 20, "b");

    expect(await readQuotaRefusal(refused)).toEqual(expectQuota("stored_bytes_per_household", 413));
    expect(await listBlobs(home.id)).toEqual([20]);
    expect(await readUse(home, "stored_bytes_per_household")).toMatchObject({ used: 20 });
    expect(await countThreads(home.agent)).toBe(1);
  });

  it("the cleanup of a day counts what is left, so a file that a crash left behind is not counted for ever", async () => {
    vi.setSystemTime(new Date("2041-05-04T10:00:00Z"));
    const home = await createFreshHousehold();
    const ref = await home.agent.createThread("one");
    await expectOkJson(await upload(home.agent, ref, 10));
    const quotas = getHouseholdStub(env, home.id).quotas;
    await quotas.reserveFiles({ actor: "scout", files: 1, bytes: 500 });
    expect(await readUse(home, "stored_bytes_per_household")).toMatchObject({ used: 510 });

    vi.setSystemTime(new Date("2041-05-08T23:59:00Z"));
    await env.BLOBS.put(`${home.id}/2041-05-04/kept`, "12345");
    vi.spyOn(
      (await import("../../../src/thread/thread-object.ts")).ThreadObject.prototype,
      "listBlobKeys",
    ).mockResolvedValue([`${home.id}/2041-05-04/kept`]);
    await runDurableObjectAlarm(env.HOUSEHOLDS.getByName(home.id));
    vi.restoreAllMocks();

    expect(await readUse(home, "stored_bytes_per_household")).toMatchObject({ used: 5 });
  });

  it.each([
    ["thread", ""],
    ["file", "/attachments/att-000-file-a.txt"],
  ])("the bytes of a deleted %s no longer count after the next cleanup", async (kind, path) => {
    vi.setSystemTime(new Date("2041-05-04T10:00:00Z"));
    const home = await createFreshHousehold();
    const ask = async (bytes: number, key: string) =>
      (await expectOkJson(await postForm(home.agent, request(key, withFile), bytes, key))).MESS[0]
        .ack.ref as string;
    const ref = await ask(20, "first");
    await ask(5, "second");
    vi.setSystemTime(new Date("2041-05-08T23:59:00Z"));
    await runDurableObjectAlarm(env.HOUSEHOLDS.getByName(home.id));
    expect(await readUse(home, "stored_bytes_per_household")).toMatchObject({ used: 25 });

    await expectOkJson(await home.owner.fetch(`/mess/${ref}${path}`, { method: "DELETE" }));
    await vi.waitFor(async () => {
      expect(await listBlobs(home.id)).toEqual([5]);
      const { entries } = await home.owner.read<{ entries: Answered[] }>("/api/v1/audit");
      expect(entries.map(({ action }) => action)).toContain(`${kind}_deleted`);
    });
    vi.setSystemTime(new Date("2041-05-09T23:59:00Z"));
    await runDurableObjectAlarm(env.HOUSEHOLDS.getByName(home.id));

    expect(await readUse(home, "stored_bytes_per_household")).toMatchObject({ used: 5 });
  });
});

describe("limits", () => {
  it("an owner sees every quota with its limit and its use", async () => {
    const { owner } = await createFreshHousehold();

    const { limits } = await owner.read("/api/v1/limits");

    expect(
      limits.map(({ name, limit, unit, code }: Answered) => [name, { limit, unit, code }]),
    ).toEqual(
      QUOTA_NAMES.map((name) => {
        const { unit, code } = QUOTAS[name];
        const limit = getConfig(env).limits[name];
        return [name, { limit: limit === Infinity ? null : limit, unit, code }];
      }),
    );
    expect(limits.find(({ name }: Answered) => name === "keys_per_household")).toMatchObject({
      used: 5,
    });
  });

  it("only owners see the quotas, and only the operator changes them", async () => {
    const { id, agent, owner } = await createFreshHousehold();

    expect(await readRefusal(await agent.fetch("/api/v1/limits"))).toBe("403 wrong_role");
    const byOwner = await owner.fetch(`/api/v1/households/${id}/limits`, {
      method: "PUT",
      body: "{}",
    });
    expect(await readRefusal(byOwner)).toBe("401 unauthenticated");
  });

  it("the operator's changes replace the earlier ones", async () => {
    const { id } = await createFreshHousehold();
    const find = (body: Answered, name: QuotaName) =>
      body.limits.find((one: Answered) => one.name === name);

    const first = await expectOkJson(await putLimits(id, { keys_per_member: 3 }));
    const second = await expectOkJson(await putLimits(id, { schedules_per_member: 4 }));

    expect(find(first, "keys_per_member")).toMatchObject({ limit: 3, changed: true });
    expect(find(second, "keys_per_member")).toMatchObject({
      limit: getConfig(env).limits.keys_per_member,
    });
    expect(find(second, "schedules_per_member")).toMatchObject({ limit: 4, changed: true });
  });

  it.each([
    [{ keys: 3 }, "400 bad_field"],
    [{ keys_per_member: -1 }, "400 bad_field"],
    [{ requests_per_credential: 1 }, "400 bad_field"],
  ])("an unknown or invalid change is refused: %j", async (limits, refusal) => {
    const { id } = await createFreshHousehold();

    expect(await readRefusal(await putLimits(id, limits))).toBe(refusal);
  });

  it("a household that does not exist has no limits, and none are stored for it", async () => {
    expect(await readRefusal(await putLimits("no-such-household", {}))).toBe("404 not_found");
    expect(await readRefusal(await putLimits("No_Household", {}))).toBe("404 not_found");
  });
});
