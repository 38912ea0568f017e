/** The messages of a source: stored once, listed, read, marked and deleted. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { storeMessageBytes } from "../../../src/attachments/message-bytes.ts";
import { getSourceStub } from "../../../src/stubs.ts";
import { getCode, unwrap } from "../outcomes.ts";
import { waitUntil } from "../support.ts";
import { buildIncoming, buildParsed, createSource, TestSource } from "./support.ts";

describe("receiving", () => {
  it("a message is shown as it came, not seen and not classified", async () => {
    const source = await createSource();

    const [id] = await source.receive(
      buildIncoming(1, { body: "  Water in\n\n the cellar. ", urgency: 3, automatic: "list" }),
    );

    expect(await source.read(id!)).toEqual({
      id,
      source: "mail",
      kind: "email",
      sender: "ann@elsewhere.test",
      sender_name: "Ann",
      recipient: "mail.home@exchange.test",
      subject: "Message 1",
      body: "  Water in\n\n the cellar. ",
      timestamp: "2023-11-14T22:13:20+00:00",
      received: expect.any(String) as string,
      status: "new",
      urgency: 3,
      seen: false,
      automatic: "list",
      headers: [["Message-ID", "<1@elsewhere.test>"]],
      channel: "ann@elsewhere.test",
      attachments: [],
      has_raw: false,
      drafts: [],
    });
    expect(await source.list()).toEqual([
      expect.objectContaining({ id, excerpt: "Water in the cellar.", attachments: 0 }),
    ]);
  });

  it("a message with a known external id is stored once, also within one call", async () => {
    const source = await createSource();
    const [first] = await source.receive(buildIncoming(1));

    const again = unwrap(
      await source.rpc.messages.receive([
        buildIncoming(1, { body: "changed" }),
        buildIncoming(2),
        buildIncoming(2),
      ]),
    );

    expect(again).toEqual([
      { id: first, repeated: true },
      { id: again[1]!.id },
      { id: again[1]!.id, repeated: true },
    ]);
    expect((await source.read(first!)).body).toBe("The body of message 1.");
    expect((await source.status()).messages).toBe(2);
  });

  it("the bytes of a repeated message are deleted, and those of the stored one are kept", async () => {
    const source = await createSource();
    const store = async () =>
      await storeMessageBytes(env.BLOBS, source.household, {
        ...buildParsed(1),
        raw: { mime: "message/rfc822", bytes: new TextEncoder().encode("Subject: hello") },
      });
    const first = await store();
    await source.receive(first);
    const second = await store();

    await source.receive(second);
    await source.receive(first);

    await waitUntil(async () => expect(await env.BLOBS.head(second.raw!.key)).toBeNull());
    expect(await env.BLOBS.head(first.raw!.key)).not.toBeNull();
  });

  it("a disconnected source refuses messages and keeps those that it has", async () => {
    const source = await createSource();
    const [id] = await source.receive(buildIncoming(1));
    await source.change({ status: "disconnected" });

    const refused = await source.rpc.messages.receive([buildIncoming(2)]);

    expect(getCode(refused)).toBe("source_disconnected");
    expect((await source.list()).map((message) => message.id)).toEqual([id]);
  });

  it("a source without a record stores nothing and is not found", async () => {
    const source = new TestSource();

    const codes = [
      getCode(await source.rpc.messages.receive([buildIncoming(1)])),
      getCode(await source.rpc.messages.status()),
      getCode(await source.rpc.messages.list({ limit: 1 })),
    ];

    expect(codes).toEqual(["not_found", "not_found", "not_found"]);
    expect(await source.query("SELECT name FROM sqlite_master WHERE name = 'messages'")).toEqual(
      [],
    );
  });

  it("a full source refuses a new message and stores none of the call", async () => {
    const source = await createSource();
    await source.receive(buildIncoming(1));
    await source.query("UPDATE state SET messages = 199999");

    const refused = await source.rpc.messages.receive([buildIncoming(2), buildIncoming(3)]);
    const last = await source.rpc.messages.receive([buildIncoming(4)]);

    expect(getCode(refused)).toBe("source_full");
    expect(last.ok).toBe(true);
    expect((await source.list()).map(({ subject }) => subject)).toEqual(["Message 4", "Message 1"]);
  });

  it("texts beyond their limits are cut without splitting a character", async () => {
    const source = await createSource();

    const [id] = await source.receive(
      buildIncoming(1, {
        subject: `${"s".repeat(997)}😀`,
        body: "b".repeat(300_000),
        headers: Array.from({ length: 500 }, (_, index) => [`X-${index}`, "h".repeat(5_000)]),
        attachments: [{ key: "k", size: 1, mime: "text/plain", name: "n".repeat(300) }],
      }),
    );

    const message = await source.read(id!);
    expect(message.subject).toBe("s".repeat(997));
    expect(message.body).toHaveLength(200_000);
    expect(message.headers.flat().join("").length).toBeLessThanOrEqual(100_000);
    expect(message.headers[0]![1]).toHaveLength(2_000);
    expect(message.attachments[0]!.name).toHaveLength(255);
  });

  it("the largest message that the limits allow is stored", async () => {
    const source = await createSource();
    const wide = "\u0001";

    const [id] = await source.receive(
      buildIncoming(1, {
        external_id: "é".repeat(998),
        subject: "語".repeat(998),
        body: "語".repeat(200_000),
        headers: Array.from({ length: 200 }, () => [wide.repeat(500), wide.repeat(2_000)]),
        references: Array.from({ length: 100 }, () => wide.repeat(998)),
      }),
    );

    expect((await source.read(id!)).body).toHaveLength(200_000);
  });
});

describe("threads of messages", () => {
  it("a reply names the nearest referenced message that the source has", async () => {
    const source = await createSource();
    const references = ["<unknown@elsewhere.test>", "<1@elsewhere.test>"];
    const [first] = await source.receive(buildIncoming(1));

    const [reply, other] = await source.receive(
      buildIncoming(2, { references }),
      buildIncoming(3, { references: ["<unknown@elsewhere.test>"] }),
    );

    expect((await source.read(reply!)).reply_to).toBe(first);
    expect((await source.read(other!)).reply_to).toBe("<unknown@elsewhere.test>");
    expect((await source.read(first!)).reply_to).toBeUndefined();
  });

  it("a reply that arrives before its message names it afterwards", async () => {
    const source = await createSource();
    const [reply] = await source.receive(buildIncoming(2, { references: ["<1@elsewhere.test>"] }));

    const [first] = await source.receive(buildIncoming(1));

    expect((await source.read(reply!)).reply_to).toBe(first);
  });
});

describe("marks", () => {
  it("seen, flag and archive change the message and the counters, each once", async () => {
    const source = await createSource();
    const [id] = await source.receive(buildIncoming(1), buildIncoming(2));
    const mark = async (name: Parameters<typeof source.rpc.messages.mark>[1]) => {
      const marked = unwrap(await source.rpc.messages.mark(id!, name));
      return [marked.status, marked.seen, marked.flagged === true, (await source.status()).unseen];
    };

    expect(await mark("seen")).toEqual(["new", true, false, 1]);
    expect(await mark("seen")).toEqual(["new", true, false, 1]);
    expect(await mark("unseen")).toEqual(["new", false, false, 2]);
    expect(await mark("flag")).toEqual(["new", false, true, 2]);
    expect(await mark("archive")).toEqual(["archived", true, true, 1]);
    expect(await mark("unflag")).toEqual(["archived", true, false, 1]);
    expect(await mark("unarchive")).toEqual(["new", true, false, 1]);
  });

  it("an archived message keeps what happens to it, and shows it when it is taken out", async () => {
    const source = await createSource();
    const [id] = await source.receive(buildIncoming(1));
    await source.rpc.messages.mark(id!, "archive");
    await source.changeInside(({ changes }) => {
      changes.classify(1, { tier: "DEFER", reason: "a reply", urgency: 1, by: "classifier" });
      changes.setSent(1);
    });

    expect((await source.read(id!)).status).toBe("archived");
    await source.rpc.messages.mark(id!, "unarchive");

    expect(await source.read(id!)).toMatchObject({ status: "sent", tier: "DEFER" });
  });
});

describe("classification and drafts", () => {
  it("a provisional classification waits for another; the counters follow", async () => {
    const source = await createSource();
    const [id] = await source.receive(buildIncoming(1), buildIncoming(2));
    const classify = (provisional: boolean) =>
      source.changeInside(({ changes }) =>
        changes.classify(1, {
          tier: provisional ? "DEFER" : "IGNORE",
          reason: "r".repeat(1_000),
          urgency: 2,
          by: provisional ? "fallback" : "classifier",
          ...(provisional ? { provisional } : {}),
        }),
      );

    await classify(true);
    const provisional = await source.read(id!);
    const waiting = await source.list({ unclassified: true });
    await classify(false);

    expect(provisional).toMatchObject({ status: "classified", tier: "DEFER", provisional: true });
    expect(waiting.map((message) => message.seen)).toEqual([false, false]);
    expect(await source.read(id!)).toMatchObject({ tier: "IGNORE", classified_by: "classifier" });
    expect((await source.read(id!)).reason).toHaveLength(500);
    expect(await source.read(id!)).not.toHaveProperty("provisional");
    expect(await source.status()).toMatchObject({ unclassified: 1 });
    expect(await source.list({ unclassified: true })).toHaveLength(1);
  });

  it("drafts make a message drafted; discarding the last one takes that back, sending stays", async () => {
    const source = await createSource();
    const [id] = await source.receive(buildIncoming(1));
    const change = async (work: Parameters<typeof source.changeInside>[0]) => {
      await source.changeInside(work);
      const { status, draft, drafts } = await source.read(id!);
      return { status, draft, drafts };
    };

    expect(await change(({ changes }) => changes.addDraft(1, "d_one"))).toEqual({
      status: "drafted",
      draft: "d_one",
      drafts: ["d_one"],
    });
    expect(await change(({ changes }) => changes.replaceDraft(1, undefined))).toMatchObject({
      status: "new",
      draft: undefined,
    });
    await change(({ changes }) => changes.addDraft(1, "d_two"));
    expect(await change(({ changes }) => changes.setSent(1))).toMatchObject({ status: "sent" });
    expect(await change(({ changes }) => changes.addDraft(1, "d_three"))).toEqual({
      status: "sent",
      draft: "d_three",
      drafts: ["d_one", "d_two", "d_three"],
    });
  });
});

describe("deleting", () => {
  it("a deleted message is gone with its bytes, and its position is not used again", async () => {
    const source = await createSource();
    const stored = await storeMessageBytes(env.BLOBS, source.household, {
      ...buildParsed(1),
      attachments: [{ name: "plan.txt", mime: "text/plain", bytes: new Uint8Array([1, 2, 3]) }],
      raw: { mime: "message/rfc822", bytes: new Uint8Array([4]) },
    });
    const [id] = await source.receive(stored);
    const keys = [stored.raw!.key, stored.attachments[0]!.key];

    const removed = await source.rpc.messages.remove(id!);

    expect(removed.ok).toBe(true);
    expect(getCode(await source.rpc.messages.read(id!))).toBe("not_found");
    expect(getCode(await source.rpc.messages.remove(id!))).toBe("not_found");
    expect(await source.status()).toMatchObject({ messages: 0, unseen: 0, unclassified: 0 });
    await waitUntil(async () => {
      for (const key of keys) expect(await env.BLOBS.head(key)).toBeNull();
    });
    const [next] = await source.receive(buildIncoming(2));
    expect(next!.endsWith("2")).toBe(true);
  });

  it("old messages are deleted in steps; newer ones stay", async () => {
    const source = await createSource();
    await source.receive(...Array.from({ length: 600 }, (_, index) => buildIncoming(index)));
    await source.query("UPDATE messages SET received = seq");

    const first = await source.rpc.messages.deleteOlder(550);
    const second = await source.rpc.messages.deleteOlder(550);

    expect(first).toEqual({ deleted: 500, more: true });
    expect(second).toEqual({ deleted: 49, more: false });
    expect((await source.status()).messages).toBe(51);
  });

  it("a removed source loses its messages, bytes and record", async () => {
    const source = await createSource();
    const stored = await storeMessageBytes(env.BLOBS, source.household, {
      ...buildParsed(1),
      raw: { mime: "message/rfc822", bytes: new Uint8Array([4]) },
    });
    await source.receive(stored);

    await source.rpc.erase({ household: source.household, name: source.name });
    await source.rpc.erase({ household: source.household, name: source.name });

    expect(getCode(await source.rpc.messages.status())).toBe("not_found");
    expect(await env.BLOBS.head(stored.raw!.key)).toBeNull();
    const stub = getSourceStub(env, source.household, source.name);
    await stub.sync({ ...source.record, revision: 1 });
    expect(unwrap(await stub.messages.status()).messages).toBe(0);
  });
});

describe("files", () => {
  it("the raw message and attachments are located by index; others are not found", async () => {
    const source = await createSource();
    const stored = await storeMessageBytes(env.BLOBS, source.household, {
      ...buildParsed(1),
      attachments: [
        { name: "a.html", mime: "text/html", bytes: new TextEncoder().encode("<b>") },
        { name: "b.png", mime: "image/png", bytes: new TextEncoder().encode("no image") },
      ],
      raw: { mime: "message/rfc822", bytes: new TextEncoder().encode("Subject: hello") },
    });
    const [id] = await source.receive(stored);
    const { messages } = source.rpc;

    expect(unwrap(await messages.locate(id!, "raw"))).toMatchObject({ mime: "message/rfc822" });
    expect(unwrap(await messages.locate(id!, 0))).toMatchObject({ name: "a.html" });
    expect(unwrap(await messages.locate(id!, 1)).mime).toBe("application/octet-stream");
    expect(getCode(await messages.locate(id!, 2))).toBe("not_found");
    expect(getCode(await messages.locate(id!, -1))).toBe("not_found");
    expect(stored.raw!.key.startsWith(`${source.household}/`)).toBe(true);
    expect(new Set([stored.raw, ...stored.attachments].map((file) => file!.key)).size).toBe(3);
  });

  it("the files of an approved draft are referenced although its message was deleted", async () => {
    const source = await createSource();
    const file = { key: "approved", name: "a.txt", mime: "text/plain", size: 1 };
    await source.receive(
      buildIncoming(1, { attachments: [{ ...file, key: "received" }] }),
      buildIncoming(2),
    );
    await source.changeInside(({ drafts }) => {
      for (const [key, state] of [["approved", "approved"] as const, ["open", "draft"] as const]) {
        const content = { to: ["ann@elsewhere.test"], body: "hi", attachments: [{ ...file, key }] };
        const place = { source: "mail", message: undefined };
        const { seq, life } = drafts.insert({ author: "olga", content }, place, 1);
        drafts.saveLife(seq, { ...life, state });
      }
    });

    const referenced = await source.rpc.messages.listBlobKeys(0, 0);
    const recent = await source.rpc.messages.listBlobKeys(Date.now() + 86_400_000, 0);

    expect(referenced.keys.toSorted()).toEqual(["approved", "received"]);
    expect(recent.keys).toEqual(["approved"]);
  });
});
