import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { unzipSync } from "fflate";
import { afterEach, describe, expect, it, vi } from "vitest";
import { getHouseholdStub, getThreadStub } from "../../../src/stubs.ts";
import { ThreadObject } from "../../../src/thread/thread-object.ts";
import { PNG } from "../../support/media/png.ts";
import { createLink } from "../respond/support.ts";
import {
  type Answered,
  type Caller,
  createFreshHousehold,
  expectOkJson,
  readRefusal,
  sendRequest,
  type TestHousehold,
  waitUntil,
} from "../support.ts";

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const deleteThread = (caller: Caller, ref: string) =>
  caller.fetch(`/mess/${ref}`, { method: "DELETE" });

/** A thread of the agent with a photo of Ann, offered to nobody else. */
async function createThreadWithFile() {
  const home = await createFreshHousehold();
  const { agent, ann } = home;
  const ref = await agent.createThread("photograph the xylophone", { requires: ["take-photo"] });
  const { file } = await expectOkJson(
    await ann.fetch(`/mess/${ref}/attachments?name=shelf.png`, { method: "POST", body: PNG }),
  );
  await ann.appendBlocks(ref, { response: { content: [{ image: { file } }, "two jars"] } });
  return { ...home, ref };
}

const listBlobs = async ({ id }: Pick<TestHousehold, "id">) =>
  (await env.BLOBS.list({ prefix: `${id}/` })).objects;

/** Tables of the thread's object that have rows. */
const listTables = (id: string, ref: string) =>
  runInDurableObject(env.THREADS.getByName(`${id}/${ref}`), (_object, { storage }) =>
    storage.sql
      .exec<{ name: string }>(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB '_cf_*'",
      )
      .toArray()
      .map(({ name }) => name)
      .filter((name) => storage.sql.exec(`SELECT 1 FROM "${name}"`).toArray().length > 0),
  );

const countIndexRows = async (id: string, ref: string) =>
  (
    await env.INDEX.prepare("SELECT count(*) AS rows FROM threads WHERE household = ? AND ref = ?")
      .bind(id, ref)
      .first<{ rows: number }>()
  )?.rows;

/** Everything that the household's tables hold about the ref, outside of tombstones and the audit trail. */
const listHouseholdRows = (id: string, ref: string) =>
  runInDurableObject(env.HOUSEHOLDS.getByName(id), (_object, { storage }) =>
    storage.sql
      .exec<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table'")
      .toArray()
      .map(({ name }) => name)
      .filter((name) => !/^(_cf_|sqlite_|deleted_threads|audit)/.test(name))
      .filter((name) =>
        JSON.stringify(storage.sql.exec(`SELECT * FROM "${name}"`).toArray()).includes(ref),
      ),
  );

describe("DELETE /mess/{ref}", () => {
  it("a deleted thread leaves no message, file, link, index row or entry of the household", async () => {
    const { id, owner, agent, ann, ben, ref } = await createThreadWithFile();
    const link = await createLink(ann, ref);
    await waitUntil(async () => expect(await countIndexRows(id, ref)).toBe(1));
    const blobsBefore = await listBlobs({ id });

    const response = await expectOkJson(await deleteThread(owner, ref));

    expect(response).toEqual({ deleted: ref, at: expect.stringMatching(/\+00:00$/) });
    expect(blobsBefore).toHaveLength(1);
    expect(await listBlobs({ id })).toEqual([]);
    expect(await listTables(id, ref)).toEqual(["deleted"]);
    expect(await countIndexRows(id, ref)).toBe(0);
    expect(await listHouseholdRows(id, ref)).toEqual([]);
    expect((await agent.read("/mess?q=xylophone")).threads).toEqual([]);
    expect((await agent.read("/api/v1/events")).events).toEqual([]);
    const zip = await (await owner.fetch("/mess/export.zip")).arrayBuffer();
    expect(Object.keys(unzipSync(new Uint8Array(zip))).join()).not.toContain(ref);
    for (const caller of [owner, agent, ann]) {
      const refusals = await Promise.all(
        [
          caller.fetch(`/mess/${ref}`),
          caller.fetch(`/mess/${ref}/attachments/att-001-image-shelf.png`),
          caller.fetch(`/mess/${ref}/archive.zip`),
          caller.post(`/thread/${ref}`, { MESS: [{ followup: { message: "hello" } }] }),
        ].map(async (one) => await readRefusal(await one)),
      );
      expect(refusals).toEqual(Array(4).fill("410 thread_deleted"));
    }
    expect(await readRefusal(await ben.fetch(`/mess/${ref}`))).toBe("404 not_found");
    expect(await readRefusal(await sendRequest(`/thread/${ref}?token=${link.token}`))).toBe(
      "410 link_dead",
    );
  });

  it("only owners delete a thread, also not its requestor or its executor", async () => {
    const { agent, ann, ref } = await createThreadWithFile();
    const other = await createFreshHousehold();

    expect(await readRefusal(await deleteThread(agent, ref))).toBe("403 wrong_role");
    expect(await readRefusal(await deleteThread(ann, ref))).toBe("403 wrong_role");
    expect(await readRefusal(await deleteThread(other.owner, ref))).toBe("404 not_found");
    expect((await agent.read(`/mess/${ref}`)).messages).not.toEqual([]);
  });

  it("a repeated deletion returns the same and is recorded once", async () => {
    const { owner, ref } = await createThreadWithFile();

    const first = await expectOkJson(await deleteThread(owner, ref));
    const again = await expectOkJson(await deleteThread(owner, ref));

    expect(again).toEqual(first);
    const { entries } = await owner.read<{ entries: Answered[] }>("/api/v1/audit?limit=500");
    expect(entries.filter(({ action }) => action === "thread_deleted")).toMatchObject([
      { actor: "owner", credential: "key", target: ref },
    ]);
  });

  it.each([
    ["the thread is down", ThreadObject.prototype, "erase"],
    ["the files cannot be deleted", env.BLOBS, "delete"],
  ] as const)("a deletion is completed by the alarm if %s", async (_name, target, method) => {
    const { id, owner, agent, ref } = await createThreadWithFile();
    const failing = vi.spyOn(target as typeof env.BLOBS, method as "delete");
    failing.mockRejectedValue(new Error("down"));

    await expectOkJson(await deleteThread(owner, ref));
    const blobs = await listBlobs({ id });
    failing.mockRestore();
    vi.useFakeTimers({ now: Date.now() + 60_000, toFake: ["Date"] });
    await runDurableObjectAlarm(env.HOUSEHOLDS.getByName(id));

    expect(blobs).toHaveLength(1);
    expect(await listBlobs({ id })).toEqual([]);
    expect(await listTables(id, ref)).toEqual(["deleted"]);
    expect(await readRefusal(await agent.fetch(`/mess/${ref}`))).toBe("410 thread_deleted");
  });

  it("neither a late summary nor an import brings a deleted thread back", async () => {
    const { id, owner, ref } = await createThreadWithFile();
    const summary = (await getThreadStub(env, id, ref).getSummary())!;
    const archive = await (await owner.fetch(`/mess/${ref}/archive.zip`)).arrayBuffer();

    await expectOkJson(await deleteThread(owner, ref));
    await getHouseholdStub(env, id).threads.recordSummary({ ...summary, seq: 99 });
    const imported = await expectOkJson(
      await owner.fetch("/mess/import", {
        method: "POST",
        body: archive,
        headers: { "Content-Type": "application/zip" },
      }),
    );

    expect(imported.imported).toEqual([]);
    expect(imported.refused).toMatchObject([{ error: { code: "thread_deleted" } }]);
    expect(await listHouseholdRows(id, ref)).toEqual([]);
    expect(await listBlobs({ id })).toEqual([]);
    expect(await readRefusal(await owner.fetch(`/mess/${ref}`))).toBe("410 thread_deleted");
  });

  it("a thread that depends on a deleted one is notified", async () => {
    const { owner, agent } = await createFreshHousehold();
    const first = await agent.createThread("lift the chairs", { id: "lift", requires: ["carry"] });
    const second = await agent.createThread("vacuum", {
      requires: ["vacuum-floor"],
      constraints: { depends_on: ["lift"] },
    });
    await waitUntil(async () =>
      expect((await agent.read(`/mess/${second}`)).envelope.blocked_by).toEqual([first]),
    );

    await expectOkJson(await deleteThread(owner, first));

    await waitUntil(async () =>
      expect((await agent.read(`/mess/${second}`)).envelope.status).toBe("held"),
    );
  });

  it("an unknown ref, last, or an id that may name another thread later is not deleted", async () => {
    const { owner, ref } = await createThreadWithFile();
    await owner.createThread("water the basil", { id: "basil" });

    for (const target of ["2020-01-01-001-none", "last", "basil", `${ref}%2Fresponse-001`])
      expect(await readRefusal(await deleteThread(owner, target))).toBe("404 not_found");
    expect((await owner.read("/mess/basil")).messages).not.toEqual([]);
    expect((await owner.read(`/mess/${ref}`)).messages).not.toEqual([]);
  });
});

describe("DELETE /mess/{ref}/attachments/{name}", () => {
  const deleteFile = (caller: Caller, ref: string, name: string) =>
    caller.fetch(`/mess/${ref}/attachments/${name}`, { method: "DELETE" });
  const STORED = "att-001-image-shelf.png";

  it("a deleted file leaves a text in its message, and its bytes nowhere", async () => {
    const { id, owner, agent, ann, ref } = await createThreadWithFile();
    const { cursor } = await agent.read(`/mess/${ref}`);

    const response = await expectOkJson(await deleteFile(owner, ref, STORED));

    expect(response).toMatchObject({ deleted: STORED });
    await waitUntil(async () => expect(await listBlobs({ id })).toEqual([]));
    const thread = await agent.read(`/mess/${ref}`);
    const placeholder = /\[file deleted by owner on \d{4}-\d\d-\d\d\]/;
    expect(JSON.stringify(thread.messages)).toMatch(placeholder);
    expect(JSON.stringify(thread.messages)).not.toContain("shelf.png");
    expect(JSON.stringify(thread.messages)).toContain("two jars");
    expect(thread.attachments).toEqual([]);
    expect(thread.cursor).toBeGreaterThan(cursor);
    expect(thread.envelope.history.at(-1)).toMatchObject({ action: "file_deleted", by: "owner" });
    const yaml = await (
      await agent.fetch(`/mess/${ref}`, { headers: { Accept: "application/yaml" } })
    ).text();
    expect(yaml).toMatch(placeholder);
    const zip = await (await ann.fetch(`/mess/${ref}/archive.zip`)).arrayBuffer();
    expect(Object.keys(unzipSync(new Uint8Array(zip))).join()).not.toContain("att-");
    const file = await agent.fetch(`/mess/${ref}/attachments/${STORED}`);
    expect(await readRefusal(file)).toBe("404 not_found");
  });

  it("a file that is kept as data in its message is deleted from it, and no other", async () => {
    const { owner, agent } = await createFreshHousehold();
    const toUri = (text: string) => `data:text/plain;base64,${btoa(text)}`;
    const ref = await agent.createThread("read these", {
      context: [{ file: toUri("canary-one") }, { file: toUri("canary-two") }, "both"],
    });
    const readFile = (name: string) => agent.fetch(`/mess/${ref}/attachments/${name}`);

    await expectOkJson(await deleteFile(owner, ref, "att-000-file-file-2.txt"));

    const dump = await runInDurableObject(
      env.THREADS.getByName(`${owner.key.split("_")[1]}/${ref}`),
      (_object, { storage }) =>
        JSON.stringify(storage.sql.exec("SELECT document, yaml FROM documents").toArray()),
    );
    expect(dump).toContain(btoa("canary-one"));
    expect(dump).not.toContain(btoa("canary-two"));
    expect(await (await readFile("att-000-file-file.txt")).text()).toBe("canary-one");
    expect(await readRefusal(await readFile("att-000-file-file-2.txt"))).toBe("404 not_found");
  });

  it("a repeated deletion of a file deletes no other, and the others keep their names", async () => {
    const { owner, agent } = await createFreshHousehold();
    const toUri = (text: string) => `data:text/plain;base64,${btoa(text)}`;
    const ref = await agent.createThread("read these", {
      context: [{ file: toUri("canary-one") }, { file: toUri("canary-two") }, "both"],
    });
    const readFile = (name: string) => agent.fetch(`/mess/${ref}/attachments/${name}`);
    const first = await expectOkJson(await deleteFile(owner, ref, "att-000-file-file.txt"));

    const again = await expectOkJson(await deleteFile(owner, ref, "att-000-file-file.txt"));

    expect(again).toEqual(first);
    expect(await readRefusal(await readFile("att-000-file-file.txt"))).toBe("404 not_found");
    expect(await (await readFile("att-000-file-file-2.txt")).text()).toBe("canary-two");
  });

  it("only owners delete a file, and a repeated deletion returns the same", async () => {
    const { owner, agent, ann, ben, ref } = await createThreadWithFile();

    const refusals = await Promise.all(
      [agent, ann, ben].map(async (one) => await readRefusal(await deleteFile(one, ref, STORED))),
    );
    const first = await expectOkJson(await deleteFile(owner, ref, STORED));
    const again = await expectOkJson(await deleteFile(owner, ref, STORED));
    const unknown = await deleteFile(owner, ref, "att-009-file-none.bin");

    expect(refusals).toEqual(["403 wrong_role", "403 wrong_role", "404 not_found"]);
    expect(again).toEqual(first);
    expect(await readRefusal(unknown)).toBe("404 not_found");
    await waitUntil(async () => {
      const { entries } = await owner.read<{ entries: Answered[] }>("/api/v1/audit?limit=500");
      expect(entries.filter(({ action }) => action === "file_deleted")).toMatchObject([
        { actor: "owner", target: ref, detail: { file: STORED } },
      ]);
    });
  });

  it("the bytes of a deleted file are deleted later if R2 is down", async () => {
    const { id, owner, ref } = await createThreadWithFile();
    const failing = vi.spyOn(env.BLOBS, "delete").mockRejectedValue(new Error("down"));

    await expectOkJson(await deleteFile(owner, ref, STORED));
    await waitUntil(async () => expect(failing).toHaveBeenCalled());
    failing.mockRestore();
    await runDurableObjectAlarm(env.THREADS.getByName(`${id}/${ref}`));

    await waitUntil(async () => expect(await listBlobs({ id })).toEqual([]));
  });
});
