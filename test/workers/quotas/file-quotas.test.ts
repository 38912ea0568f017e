import { env } from "cloudflare:workers";
import { runDurableObjectAlarm } from "cloudflare:test";
import { afterEach, describe, expect, it, vi } from "vitest";
import { getHouseholdStub } from "../../../src/stubs.ts";
import {
  type Answered,
  Caller,
  countThreads,
  createFreshHousehold,
  expectOkJson,
  readRefusal,
} from "../support.ts";
import { expectQuota, readQuotaRefusal, readUse, request, withLimits } from "./quota-support.ts";

afterEach(() => {
  vi.useRealTimers();
});

const upload = (caller: Caller, ref: string, bytes: number, headers: Record<string, string> = {}) =>
  caller.fetch(`/mess/${ref}/attachments?name=a.txt`, {
    method: "POST",
    body: "x".repeat(bytes),
    headers: { "Content-Type": "text/plain", ...headers },
  });

const listBlobs = async (id: string) =>
  (await env.BLOBS.list({ prefix: `${id}/` })).objects.map(({ size }) => size);

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

  it("an import of a thread that is stored already passes when the quotas of files are used up", async () => {
    const home = await withLimits({ uploads_per_member: 1, stored_bytes_per_household: 60 });
    const from = await createFreshHousehold();
    const ref = await from.agent.createThread("one");
    const { file } = await expectOkJson(await upload(from.agent, ref, 60));
    await from.agent.appendBlocks(ref, { followup: { context: [{ file: { file } }] } });
    const archive = await (await from.owner.fetch(`/mess/${ref}/archive.zip`)).arrayBuffer();
    const bring = () =>
      home.owner.fetch("/mess/import", {
        method: "POST",
        body: archive,
        headers: { "Content-Type": "application/zip" },
      });
    const first = await expectOkJson(await bring());

    const repeated = await expectOkJson(await bring());

    expect(first.imported).toMatchObject([{ ref, fresh: true }]);
    expect(repeated).toMatchObject({ imported: [{ ref, fresh: false }], refused: [] });
    expect(await listBlobs(home.id)).toEqual([60]);
    expect(await readUse(home, "stored_bytes_per_household")).toMatchObject({ used: 60 });
    expect(await readUse(home, "uploads_per_member")).toMatchObject({
      used_by: { [home.owner.actor]: 1 },
    });
  });

  it("an import of a new thread is refused when the quota of files is used up", async () => {
    const home = await withLimits({ uploads_per_member: 0 });
    const from = await createFreshHousehold();
    const ref = await from.agent.createThread("one");
    const { file } = await expectOkJson(await upload(from.agent, ref, 60));
    await from.agent.appendBlocks(ref, { followup: { context: [{ file: { file } }] } });
    const archive = await (await from.owner.fetch(`/mess/${ref}/archive.zip`)).arrayBuffer();

    const refused = await home.owner.fetch("/mess/import", {
      method: "POST",
      body: archive,
      headers: { "Content-Type": "application/zip" },
    });

    expect((await refused.json<Answered>()).refused).toMatchObject([
      { error: { code: "rate_limited", reason: "uploads_per_member" } },
    ]);
    expect(await listBlobs(home.id)).toEqual([]);
    expect((await home.owner.fetch(`/mess/${ref}`)).status).toBe(404);
  });

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
