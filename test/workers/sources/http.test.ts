/** The routes of message sources. */
import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { strFromU8, unzipSync } from "fflate";
import { env } from "cloudflare:workers";
import { parseAllDocuments } from "yaml";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { ParsedBytes } from "../../../src/attachments/receive-parsed.ts";
import type { ReceivedMessage } from "../../../src/contracts/sources.ts";
import { receiveParsedMessages } from "../../../src/exchange/source-calls/receive-parsed-messages.ts";
import type { Outcome } from "../../../src/mess/errors.ts";
import { getHouseholdStub, getSourceStub } from "../../../src/stubs.ts";
import { buildFakeWebhookSecret } from "../household/support.ts";
import { getCode, unwrap } from "../outcomes.ts";
import {
  Caller,
  createFreshHousehold,
  expectOkJson,
  readRefusal,
  type TestHousehold,
  waitUntil,
} from "../support.ts";
import { buildParsed } from "./support.ts";

const DAY_MS = 86_400_000;

afterEach(() => {
  vi.useRealTimers();
});

interface Scene {
  home: TestHousehold;
  receive: (source: string, ...messages: ParsedBytes[]) => Promise<Outcome<ReceivedMessage[]>>;
  /** A key that is limited to these paths. */
  addLimitedKey: (...paths: string[]) => Promise<Caller>;
}

async function createScene(): Promise<Scene> {
  const home = await createFreshHousehold();
  const secret = buildFakeWebhookSecret("alerts");
  const sources = { mail: { kind: "webhook", secret }, alerts: { kind: "webhook", secret } };
  await expectOkJson(await home.owner.post("/api/v1/config", { config: { sources } }));
  return {
    home,
    receive: (source, ...messages) =>
      receiveParsedMessages(env, { household: home.id, source }, messages),
    addLimitedKey: async (...paths) => {
      const body = { actor: "reader", role: "agent", paths };
      const { key } = await expectOkJson(await home.owner.post("/api/v1/keys", body));
      return new Caller("reader", key as string);
    },
  };
}

const receiveOne = async ({ receive }: Scene, message: ParsedBytes, source = "mail") =>
  unwrap(await receive(source, message))[0]!.id;

const HTML = "<script>alert(1)</script>";
const withFiles = (n: number): ParsedBytes => ({
  ...buildParsed(n),
  attachments: [{ name: 'a"b.html', mime: "text/html", bytes: new TextEncoder().encode(HTML) }],
  raw: { mime: "message/rfc822", bytes: new TextEncoder().encode("Subject: hello\r\n\r\nhi") },
});

describe("reading", () => {
  it("sources are listed with counts, and messages are listed, read and marked", async () => {
    const scene = await createScene();
    const { owner } = scene.home;
    const first = await receiveOne(scene, buildParsed(1));
    const second = await receiveOne(scene, withFiles(2));

    const { sources } = await owner.read("/sources");
    const page = await owner.read("/sources/mail/messages?limit=1&seen=false");
    const next = await owner.read(`/sources/mail/messages?cursor=${page.next_cursor}`);
    const read = await owner.read(`/sources/mail/messages/${second}`);
    const marked = await expectOkJson(
      await owner.post(`/sources/mail/messages/${second}/mark`, { mark: "archive" }),
    );

    expect(sources).toMatchObject([
      { source: "alerts", messages: 0 },
      { source: "mail", kind: "webhook", status: "connected", messages: 2, unseen: 2 },
    ]);
    expect(page.messages.map(({ id }: { id: string }) => id)).toEqual([second]);
    expect(next.messages.map(({ id }: { id: string }) => id)).toEqual([first]);
    expect(read).toMatchObject({
      body: "The body of message 2.",
      attachments: [{ index: 0, name: 'a"b.html', mime: "text/html", size: HTML.length }],
      has_raw: true,
    });
    expect(marked).toMatchObject({ status: "archived", seen: true });
    expect(await owner.read("/sources/mail")).toMatchObject({ unseen: 1 });
    expect((await owner.read("/sources/mail/messages?status=archived")).messages).toHaveLength(1);
  });

  it("a raw message and an attachment are downloads that no browser runs", async () => {
    const scene = await createScene();
    const { owner } = scene.home;
    const id = await receiveOne(scene, withFiles(1));
    const path = `/sources/mail/messages/${id}`;

    const raw = await owner.fetch(`${path}/raw`);
    const attachment = await owner.fetch(`${path}/attachments/0`);
    const part = await owner.fetch(`${path}/attachments/0`, { headers: { Range: "bytes=1-6" } });

    expect(await raw.text()).toBe("Subject: hello\r\n\r\nhi");
    expect(raw.headers.get("Content-Type")).toBe("message/rfc822");
    expect(await attachment.text()).toBe(HTML);
    for (const { headers } of [raw, attachment]) {
      expect(headers.get("Content-Disposition")).toMatch(/^attachment; /);
      expect(headers.get("Content-Security-Policy")).toContain("sandbox");
      expect(headers.get("X-Content-Type-Options")).toBe("nosniff");
    }
    expect([part.status, await part.text()]).toEqual([206, "script"]);
    for (const bad of ["1", "-1", "0x0", "01e3"])
      expect(await readRefusal(await owner.fetch(`${path}/attachments/${bad}`)), bad).toBe(
        "404 not_found",
      );
  });

  it("a search finds messages of the sources that the caller may read", async () => {
    const scene = await createScene();
    const { home, addLimitedKey } = scene;
    const mail = await receiveOne(scene, { ...buildParsed(1), subject: "the cellar key" });
    const alert = await receiveOne(scene, { ...buildParsed(2), body: "cellar flooded" }, "alerts");
    const limited = await addLimitedKey("msg/alerts");
    const find = async (caller: Caller, query: string) =>
      (await caller.read(`/messages/search?${query}`)).messages.map(({ id }: { id: string }) => id);

    await waitUntil(async () => expect(await find(home.owner, "q=cell")).toEqual([alert, mail]));

    expect(await find(home.owner, "q=cellar&source=mail")).toEqual([mail]);
    expect(await find(home.owner, "sender=ANN@elsewhere.test")).toEqual([alert, mail]);
    expect(await find(limited, "q=cellar")).toEqual([alert]);
    expect(await readRefusal(await limited.fetch("/messages/search?source=mail"))).toBe(
      "404 not_found",
    );
  });

  it("a wait returns the id of the next message, and nothing after its time", async () => {
    const scene = await createScene();
    const { owner } = scene.home;
    const first = await receiveOne(scene, buildParsed(1));

    const nothing = await owner.read(`/sources/mail/wait?after=${first}&timeout=0`);
    const waiting = owner.read(`/sources/mail/wait?after=${first}&timeout=45`);
    const second = await receiveOne(scene, buildParsed(2));
    const earlier = await owner.read(`/sources/mail/wait?after=${first}&timeout=45`);

    expect(nothing).toEqual({});
    expect(await waiting).toEqual({ id: second });
    expect(earlier).toEqual({ id: second });
    expect(await readRefusal(await owner.fetch("/sources/mail/wait?after=last"))).toBe(
      "400 bad_parameter",
    );
  });
});

describe("access", () => {
  it("a key that is limited to a path reads and marks its source, and deletes nothing", async () => {
    const scene = await createScene();
    const id = await receiveOne(scene, withFiles(1));
    const other = await receiveOne(scene, buildParsed(2), "alerts");
    const limited = await scene.addLimitedKey("msg/mail");
    const path = `/sources/mail/messages/${id}`;

    const { sources } = await limited.read("/sources");
    const marked = await limited.post(`${path}/mark`, { mark: "flag" });
    const removed = await limited.fetch(path, { method: "DELETE" });
    const foreign = [
      await limited.fetch("/sources/alerts"),
      await limited.fetch("/sources/alerts/messages"),
      await limited.fetch(`/sources/alerts/messages/${other}`),
      await limited.fetch(`/sources/mail/messages/${other}`),
      await limited.fetch("/sources/alerts/wait?timeout=0"),
    ];

    expect(sources.map(({ source }: { source: string }) => source)).toEqual(["mail"]);
    expect(marked.status).toBe(200);
    expect(await readRefusal(removed)).toBe("403 wrong_role");
    for (const response of foreign) expect(await readRefusal(response)).toBe("404 not_found");
    expect(await limited.fetch(`${path}/raw`)).toMatchObject({ status: 200 });
  });

  it("a wait of a key that was revoked in the meantime returns nothing", async () => {
    const scene = await createScene();
    const { owner } = scene.home;
    const body = { actor: "reader", role: "agent", paths: ["msg/mail"] };
    const { id, key } = await expectOkJson(await owner.post("/api/v1/keys", body));
    const waiting = new Caller("reader", key as string).fetch("/sources/mail/wait?timeout=45");
    const isWaiting = () =>
      runInDurableObject(
        env.SOURCES.getByName(`${scene.home.id}/mail`),
        (_object, state) => state.getWebSockets("new").length > 0,
      );
    await waitUntil(async () => expect(await isWaiting()).toBe(true));

    const revoked = await owner.fetch(`/api/v1/keys/${id}`, { method: "DELETE" });
    await receiveOne(scene, buildParsed(1));

    expect(revoked.status).toBe(200);
    expect(await readRefusal(await waiting)).toBe("401 unauthenticated");
  });

  it("keys of agents and executors and a key for drafts read nothing", async () => {
    const scene = await createScene();
    const id = await receiveOne(scene, withFiles(1));
    const { agent, ann } = scene.home;
    const writer = await scene.addLimitedKey("msg/mail/outbox");

    for (const caller of [agent, ann, writer])
      for (const path of ["", `/messages`, `/messages/${id}`, `/messages/${id}/raw`, "/wait"]) {
        const refused = await caller.fetch(`/sources/mail${path}`);
        expect([403, 404], `${caller.actor} ${path}`).toContain(refused.status);
        await refused.body?.cancel();
      }
  });
});

describe("bytes", () => {
  const countStored = async ({ home }: Scene): Promise<number> =>
    unwrap(await getHouseholdStub(env, home.id).quotas.readUsage()).household
      .stored_bytes_per_household!;
  const listKeys = async ({ home }: Scene): Promise<string[]> =>
    (await env.BLOBS.list({ prefix: `${home.id}/` })).objects.map(({ key }) => key);

  it("bytes count towards the household's files, and a full household stores none of them", async () => {
    const scene = await createScene();
    const message = withFiles(1);
    const size = HTML.length + message.raw!.bytes.length;
    const { quotas } = getHouseholdStub(env, scene.home.id);

    await receiveOne(scene, message);
    expect(await countStored(scene)).toBe(size);
    await quotas.setLimits({ stored_bytes_per_household: size });
    const refused = await scene.receive("mail", withFiles(2));

    expect(getCode(refused)).toBe("storage_full");
    expect(await listKeys(scene)).toHaveLength(2);
    expect(await countStored(scene)).toBe(size);
    expect(getCode(await scene.receive("mail", buildParsed(3)))).toBe("ok");
  });

  it("a source that refuses a message leaves no bytes", async () => {
    const scene = await createScene();

    const refused = await scene.receive("nowhere", withFiles(1));

    expect(getCode(refused)).toBe("not_found");
    expect(await listKeys(scene)).toEqual([]);
    expect(await countStored(scene)).toBe(0);
  });

  it("the cleanup of files keeps those of messages and deletes those that no message has", async () => {
    vi.setSystemTime(new Date("2041-05-04T23:59:59Z"));
    const scene = await createScene();
    const id = await receiveOne(scene, withFiles(1));
    const kept = await listKeys(scene);
    const lost = `${scene.home.id}/2041-05-04/lost`;
    await env.BLOBS.put(lost, "bytes");

    vi.setSystemTime(Date.now() + 9 * DAY_MS);
    await runDurableObjectAlarm(env.HOUSEHOLDS.getByName(scene.home.id));

    expect((await listKeys(scene)).toSorted()).toEqual(kept.toSorted());
    const raw = await getSourceStub(env, scene.home.id, "mail").messages.locate(id, "raw");
    expect(kept).toContain(unwrap(raw).key);
  });

  it("bytes of deleted messages are counted no more after the next cleanup", async () => {
    vi.setSystemTime(new Date("2041-05-04T10:00:00Z"));
    const scene = await createScene();
    const id = await receiveOne(scene, withFiles(1));
    const alarm = () => runDurableObjectAlarm(env.HOUSEHOLDS.getByName(scene.home.id));
    vi.setSystemTime(Date.now() + 5 * DAY_MS);
    await alarm();
    const before = await countStored(scene);

    unwrap(await getSourceStub(env, scene.home.id, "mail").messages.remove(id));
    await waitUntil(async () => expect(await listKeys(scene)).toEqual([]));
    vi.setSystemTime(Date.now() + 2 * DAY_MS);
    await waitUntil(async () => {
      await alarm();
      expect(await countStored(scene)).toBe(0);
    });

    expect(before).toBeGreaterThan(0);
  });
});

describe("deleting, retention and export", () => {
  it("an owner deletes a message with its files", async () => {
    const scene = await createScene();
    const { owner } = scene.home;
    const id = await receiveOne(scene, withFiles(1));
    const path = `/sources/mail/messages/${id}`;

    const removed = await owner.fetch(path, { method: "DELETE" });

    expect(await removed.json()).toEqual({ deleted: id });
    expect(await readRefusal(await owner.fetch(path))).toBe("404 not_found");
    expect(await readRefusal(await owner.fetch(`${path}/raw`))).toBe("404 not_found");
  });

  it("the household deletes messages that are older than its setting, and none without it", async () => {
    vi.setSystemTime(new Date("2041-05-04T10:00:00Z"));
    const scene = await createScene();
    const { owner, id } = scene.home;
    await receiveOne(scene, buildParsed(1));
    vi.setSystemTime(Date.now() + 8 * DAY_MS);
    const recent = await receiveOne(scene, buildParsed(2));
    const list = async () => (await owner.read("/sources/mail/messages")).messages;
    const alarm = () => runDurableObjectAlarm(env.HOUSEHOLDS.getByName(id));
    await alarm();
    expect(await list()).toHaveLength(2);

    const settings = (days: unknown) => ({
      config: { settings: { message_retention_days: days } },
    });
    const warned = await owner.post("/api/v1/config", settings("a week"));
    await owner.post("/api/v1/config", settings(7));
    vi.setSystemTime(Date.now() + 60_000);

    expect(await warned.text()).toContain("message_retention_days must be a whole number");
    await waitUntil(async () => {
      await alarm();
      expect((await list()).map((message: { id: string }) => message.id)).toEqual([recent]);
    });
  });

  it("an export has a file of documents for each source, which an import leaves out", async () => {
    const scene = await createScene();
    const { owner } = scene.home;
    const messages = Array.from({ length: 45 }, (_, index) => buildParsed(index));
    const ids = unwrap(await scene.receive("mail", ...messages)).map(({ id }) => id);

    const zip = new Uint8Array(await (await owner.fetch("/mess/export.zip")).arrayBuffer());

    const files = unzipSync(zip);
    expect(Object.keys(files)).toEqual(
      expect.arrayContaining(["sources/alerts.yaml", "sources/mail.yaml"]),
    );
    const parsed = parseAllDocuments(strFromU8(files["sources/mail.yaml"]!));
    const [status, ...documents] = parsed.map(
      (document) => document.toJS() as Record<string, unknown>,
    );
    expect(status).toMatchObject({ source: "mail", messages: 45 });
    expect(documents.map(({ id }) => id)).toEqual(ids);
    expect(documents[7]).toMatchObject({ body: "The body of message 7." });
    const other = await createFreshHousehold();
    const imported = await other.owner.fetch("/mess/import", {
      method: "POST",
      body: zip,
      headers: { "Content-Type": "application/zip" },
    });
    expect(imported.status, await imported.text()).toBeLessThan(300);
  });
});
