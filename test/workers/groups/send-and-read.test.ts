import { runInDurableObject } from "cloudflare:test";
import { expect, it } from "vitest";
import { buildId, buildMember, createGroup, getCode, getContents, TestGroup } from "./support.ts";

it("a message has its type, its names and what was sent with it", async () => {
  const group = await createGroup();
  const sent = await group.send("indy", "boss", {
    content: "done",
    type: "verification",
    importance: "urgent",
    needs_ack: true,
    tool_usage: ["auto.read"],
    files_modified: ["/a", "/b"],
  });

  const { messages } = await group.read("boss");

  expect(sent).toMatchObject({ seq: 1, to: buildId("boss"), receiver_online: false });
  expect(messages).toEqual([
    {
      id: expect.stringMatching(/^msg_[0-9a-z]{13}$/),
      seq: 1,
      from: buildId("indy"),
      from_name: "indy",
      to: buildId("boss"),
      type: "verification",
      at: sent.at,
      content: "done",
      importance: "urgent",
      needs_ack: true,
      tool_usage: ["auto.read"],
      files_modified: ["/a", "/b"],
      read: false,
    },
  ]);
  expect(messages[0]!.id).toBe(sent.id);
});

it("a channel is visible to its two members only", async () => {
  const group = await createGroup();
  const { id } = await group.send("boss", "indy", "secret task");

  expect(getContents(await group.read("indy"))).toEqual(["secret task"]);
  expect(getContents(await group.read("boss"))).toEqual(["secret task"]);
  for (const third of ["rocky", "deputy"]) {
    expect(getContents(await group.read(third))).toEqual([]);
    expect(getContents(await group.read(third, { other: buildId("boss") }))).toEqual([]);
    expect(getContents(await group.receive(third, 0))).toEqual([]);
    expect((await group.pending(third)).total_pending).toBe(0);
    const marked = await group.rpc.markRead(group.as(third), { message: id });
    expect(getCode(marked)).toBe("not_found");
    const between = [buildId("boss"), buildId("indy")] as const;
    expect(getCode(await group.rpc.read(group.as(third), { between }))).toBe("wrong_role");
    expect(getCode(await group.rpc.read(group.as(third), { all: true }))).toBe("wrong_role");
    const reply = await group.trySend(third, "boss", { reply_to: id });
    expect(getCode(reply)).toBe("unknown_reference");
  }
});

it("an owner who is no member reads a channel without marking it, and cannot send", async () => {
  const group = await createGroup();
  await group.send("boss", "indy", "task");
  const between = [buildId("boss"), buildId("indy")] as const;

  const page = await group.rpc.read(group.asOwner(), { between });

  expect(page).toMatchObject({ ok: true, value: { messages: [{ content: "task" }], more: false } });
  expect((await group.pending("indy")).total_pending).toBe(1);
  expect(getCode(await group.rpc.read(group.asOwner(), { unread_only: true }))).toBe(
    "missing_field",
  );
  const message = { to: buildId("indy"), content: "x", type: "message" } as const;
  expect(getCode(await group.rpc.send(group.asOwner(), message))).toBe("unknown_member");
  expect(getCode(await group.rpc.status(group.asOwner()))).toBe("ok");
});

it("an id works with the credential that joined only", async () => {
  const group = await createGroup();
  const stranger = { ...group.buildPrincipal("stranger") };
  const otherHousehold = { ...group.buildPrincipal("boss"), household: "other" };
  const replaced = { ...group.buildPrincipal("boss"), credential: "key:new" } as const;

  expect(getCode(await group.rpc.pending(group.as("indy", buildId("boss"))))).toBe(
    "unknown_member",
  );
  expect(getCode(await group.rpc.pending({ principal: stranger, as: buildId("boss") }))).toBe(
    "not_found",
  );
  expect(getCode(await group.rpc.pending({ principal: stranger }))).toBe("not_found");
  expect(getCode(await group.rpc.pending({ principal: otherHousehold }))).toBe("not_found");
  expect(getCode(await group.rpc.pending({ principal: replaced }))).toBe("unknown_member");
  expect(getCode(await group.rpc.status({ principal: stranger }))).toBe("not_found");
});

it("a key with two members must say which one it means", async () => {
  const group = await createGroup();
  await group.changeMember("rocky", { credential: "key:indy" });

  const unnamed = await group.rpc.pending(group.as("indy"));

  expect(unnamed).toMatchObject({
    error: { code: "several_memberships", valid: [buildId("indy"), buildId("rocky")] },
  });
  expect(getCode(await group.rpc.pending(group.as("indy", buildId("rocky"))))).toBe("ok");
});

it("a former id still receives and sends, and readers see the present one", async () => {
  const group = await createGroup();
  await group.send("boss", "indy", "before");
  await group.changeMember("indy", { id: "o_new00000", aliases: ["a_between0"] });

  const sent = await group.send("boss", "indy", "to the first id");
  await group.send("boss", "indy", { to: "a_between0", content: "to a later id" });

  expect(sent.to).toBe("o_new00000");
  const page = await group.read("indy", { other: buildId("boss"), unread_only: true });
  expect(getContents(page)).toEqual(["before", "to the first id", "to a later id"]);
  expect(page.messages.map(({ to }) => to)).toEqual(["o_new00000", "o_new00000", "o_new00000"]);
  expect(getCode(await group.rpc.pending(group.as("indy", buildId("indy"))))).toBe("ok");
});

it("a message to an unknown member, to a removed one or to oneself is refused with the members", async () => {
  const group = await createGroup();
  await group.changeMember("short", { active: false });

  for (const to of ["nobody", "short", "boss"])
    expect(await group.trySend("boss", to, "x")).toMatchObject({
      error: {
        code: "unknown_member",
        valid: [buildId("deputy"), buildId("indy"), buildId("rocky")],
      },
    });
});

it("a message that is too long or empty is refused, and stores nothing", async () => {
  const group = await createGroup();

  expect(getCode(await group.trySend("boss", "indy", "x".repeat(1_000_000)))).toBe("too_large");
  expect(getCode(await group.trySend("boss", "indy", "x".repeat(16_001)))).toBe("too_large");
  expect(getCode(await group.trySend("boss", "indy", ""))).toBe("empty_message");
  const files_modified = Array.from({ length: 257 }, () => "f");
  expect(getCode(await group.trySend("boss", "indy", { files_modified }))).toBe("too_large");
  expect(getCode(await group.trySend("boss", "indy", "x".repeat(16_000)))).toBe("ok");
  expect(await group.listAll()).toHaveLength(1);
});

it("a closed group can be read, and a message to it is refused", async () => {
  const group = await createGroup();
  await group.send("boss", "indy", { content: "before", key: "k" });
  await group.change({ status: "closed" });

  expect(getCode(await group.trySend("boss", "indy", "after"))).toBe("group_closed");
  expect(await group.send("boss", "indy", { content: "before", key: "k" })).toMatchObject({
    repeated: true,
  });
  expect(getContents(await group.read("indy"))).toEqual(["before"]);
  expect(await group.receive("indy", 1)).toMatchObject({ messages: [], closed: true });
  expect((await group.status("boss")).status).toBe("closed");
});

it("a look-up of an unknown group creates no table", async () => {
  const group = new TestGroup();
  const caller = group.as("boss");

  const calls = [
    group.rpc.send(caller, { to: buildId("indy"), content: "x", type: "message" }),
    group.rpc.read(caller, {}),
    group.rpc.markRead(caller, {}),
    group.rpc.pending(caller),
    group.rpc.status(group.asOwner()),
    group.rpc.receive(caller),
    group.rpc.heartbeat(caller),
  ];

  expect((await Promise.all(calls)).map(getCode)).toEqual(calls.map(() => "not_found"));
  expect(await group.rpc.listSeen()).toEqual({});
  expect(await group.rpc.listMessages(0, 10)).toEqual({ messages: [], more: false });
  const headers = { Upgrade: "websocket" };
  const query = "?credential=key:boss&after=0";
  expect(
    (await group.rpc.fetch(new Request(`https://group/wait${query}`, { headers }))).status,
  ).toBe(404);
  const tables = await runInDurableObject(group.getObject(), (_object, { storage }) =>
    storage.sql.exec("SELECT name FROM sqlite_master").toArray(),
  );
  expect(tables).toEqual([]);
});

it("an older record than the stored one is ignored", async () => {
  const group = await createGroup({ revision: 7 });
  const older = { ...group.record, revision: 6, members: [buildMember("rocky")] };

  await group.rpc.sync(older);

  expect((await group.status("boss")).members).toHaveLength(5);
});

it("the same message within a minute, or with the same key, is stored once", async () => {
  const group = await createGroup();
  const first = await group.send("boss", "indy", { content: "go", key: "k1" });

  const byKey = await group.send("boss", "indy", { content: "go", key: "k1" });
  const byContent = await group.send("boss", "indy", "go");
  const other = await group.trySend("boss", "indy", { content: "stop", key: "k1" });
  const toOther = await group.send("boss", "rocky", "go");
  const otherType = await group.send("boss", "indy", { content: "go", type: "question" });

  expect(byKey).toMatchObject({ id: first.id, repeated: true });
  expect(byContent).toMatchObject({ id: first.id, repeated: true });
  expect(getCode(other)).toBe("idempotency_conflict");
  expect([toOther.repeated, otherType.repeated]).toEqual([undefined, undefined]);
  expect(await group.listAll()).toHaveLength(3);
});

it("a message of a person is marked, and comes first among the unread", async () => {
  const group = await createGroup();
  await group.changeMember("deputy", { credential: "session:browser" });
  await group.send("boss", "indy", "from an agent");
  const person = {
    principal: { ...group.buildPrincipal("deputy"), credential: "session:browser" as const },
  };
  await group.rpc.send(person, { to: buildId("indy"), content: "from a person", type: "message" });

  const { messages } = await group.read("indy", { unread_only: true });

  expect(messages.map(({ content, person: isPerson }) => [content, isPerson])).toEqual([
    ["from a person", true],
    ["from an agent", undefined],
  ]);
  const { members } = await group.status("indy");
  expect(members.filter((member) => member.person).map(({ name }) => name)).toEqual(["deputy"]);
});

it("a send writes three rows once the members are online", async () => {
  const group = await createGroup();
  await group.send("boss", "indy", "first");

  const { written } = await group.countRows(() => group.send("boss", "indy", "second"));
  const withKey = await group.countRows(() =>
    group.send("boss", "indy", { content: "third", key: "k" }),
  );

  expect(written).toBe(3);
  expect(withKey.written).toBe(4);
});
