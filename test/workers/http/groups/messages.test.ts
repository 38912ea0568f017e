import { describe, expect, it } from "vitest";
import { expectOkJson, readRefusal } from "../../support.ts";
import { createScene, joinAs, type Member, postOk } from "./support.ts";

describe("messages of AI groups over HTTP", () => {
  it("a task is sent, counted, read and reported", async () => {
    const { ops, indy, path, read, send } = await createScene();
    const sent = await send(ops, indy, "sort the shelves", {
      message_type: "task",
      importance: "high",
      needs_ack: true,
    });

    const pending = await indy.caller.read(path("/pending"));
    const peeked = await read(indy, "unread=true&peek=true");
    const received = await read(indy, `unread=true&with=${ops.id}`);
    const report = await send(indy, ops, "sorted", {
      message_type: "report",
      reply_to: sent.id,
      tool_usage: ["auto.edit"],
      files_modified: ["/shelves"],
    });

    expect(pending).toMatchObject({ total_pending: 1, needs_ack: 1 });
    expect(peeked).toMatchObject({ total_pending: 1, messages: [{ id: sent.id }] });
    expect(received).toMatchObject({
      total_pending: 0,
      messages: [
        { type: "task", content: "sort the shelves", importance: "high", needs_ack: true },
      ],
    });
    expect(report.completes).toBe(sent.id);
    expect((await read(ops, "unread=true")).messages).toMatchObject([
      {
        type: "report",
        reply_to: sent.id,
        tool_usage: ["auto.edit"],
        files_modified: ["/shelves"],
      },
    ]);
    expect((await ops.caller.read(path())).tasks).toEqual([]);
  });

  it("neither a third member nor its id shows a channel of two others", async () => {
    const { ops, indy, rocky, path, readContents, send } = await createScene();
    await send(ops, indy, "for indy only");

    const queries = ["", `with=${ops.id}`, `with=${indy.id}`, "unread=true"];
    for (const query of queries) expect(await readContents(rocky, query), query).toEqual([]);
    const waited = await rocky.caller.read(path("/wait?cursor=0&timeout=0"));

    expect(waited.messages).toEqual([]);
    expect((await rocky.caller.read(path("/pending"))).total_pending).toBe(0);
    const denied = await Promise.all(
      [
        `between=${ops.id},${indy.id}`,
        "all=true",
        `as=${indy.id}`,
        `as=${ops.id}&with=${indy.id}`,
      ].map(async (query) => readRefusal(await rocky.caller.fetch(path(`/messages?${query}`)))),
    );
    expect(denied).toEqual([
      "403 wrong_role",
      "403 wrong_role",
      "404 unknown_member",
      "404 unknown_member",
    ]);
  });

  it("an id works with the key that joined only", async () => {
    const { home, ops, indy, path, trySend } = await createScene();
    const second = await home.addMember("indy", "agent");
    const as = indy.id;

    const refusals = await Promise.all([
      second.post(path("/messages"), { as, to_id: ops.id, content: "I am indy" }),
      second.fetch(path(`/messages?as=${as}`)),
      second.post(path("/read"), { as }),
      second.fetch(path(`/wait?as=${as}&timeout=0`)),
      second.post(path("/heartbeat"), { as }),
      trySend(ops, indy, "hello", { as }),
    ]);

    for (const refusal of refusals) expect(await readRefusal(refusal)).toBe("404 unknown_member");
  });

  it("a key with two members must say which of them it means", async () => {
    const { group, ops, indy, path, readContents, send } = await createScene();
    const twin = await joinAs(indy.caller, group, "indy's twin");
    await send(ops, twin, "for the twin");

    const refused = await indy.caller.fetch(path("/messages"));

    const { error } = await refused.json<{ error: { code: string; valid: string[] } }>();
    expect([refused.status, error.code]).toEqual([409, "several_memberships"]);
    expect(error.valid.toSorted()).toEqual([indy.id, twin.id].toSorted());
    expect(await readContents(twin, `as=${twin.id}`)).toEqual(["for the twin"]);
  });

  it("owners read every channel newest first, in pages, and mark nothing as read", async () => {
    const { home, ops, indy, rocky, path, read, readContents, send } = await createScene();
    await send(ops, indy, "one");
    await send(ops, rocky, "two");
    await send(rocky, ops, "three");

    const first = await read(home.owner, "limit=2");
    const rest = await readContents(home.owner, `limit=2&before=${first.messages[1].seq}`);
    const between = await readContents(home.owner, `between=${ops.id},${rocky.id}`);

    expect(first.messages.map(({ content }: { content: string }) => content)).toEqual([
      "three",
      "two",
    ]);
    expect([first.more, rest]).toEqual([true, ["one"]]);
    expect(between).toEqual(["three", "two"]);
    expect((await rocky.caller.read(path("/pending"))).total_pending).toBe(1);
    const sent = await home.owner.post(path("/messages"), { to_id: ops.id, content: "hi" });
    expect(await readRefusal(sent)).toBe("404 unknown_member");
  });

  it("the same Idempotency-Key sends a message once, and is refused for another message", async () => {
    const { ops, indy, readContents, trySend } = await createScene();
    const key = { "Idempotency-Key": "k-1" };

    const first = await trySend(ops, indy, "hello", {}, key);
    const repeated = await trySend(ops, indy, "hello", {}, key);
    const other = await trySend(ops, indy, "hello again", {}, key);

    expect([first.status, repeated.status]).toEqual([201, 200]);
    const { id } = await first.json<{ id: string }>();
    expect(await repeated.json()).toMatchObject({ id, repeated: true });
    expect(await readRefusal(other)).toBe("409 idempotency_conflict");
    expect(await readContents(indy)).toEqual(["hello"]);
  });

  it("the cursor of another member or another group is refused, and 0 is the beginning of each", async () => {
    const { ops, indy, rocky, path, send } = await createScene();
    await send(ops, indy, "first");
    await send(ops, rocky, "second");
    const elsewhere = await postOk(rocky.caller, "/groups", { topic: "Project Y" });
    const wait = ({ caller }: Member, query: string) =>
      caller.fetch(path(`/wait?timeout=0&cursor=${query}`));
    const read = async (caller: Member, query: string) =>
      await expectOkJson(await wait(caller, query));
    const { cursor } = await read(indy, "0");
    const foreign = await rocky.caller.read(`/groups/${elsewhere.group_id}/wait?timeout=0`);

    expect(await readRefusal(await wait(rocky, cursor))).toBe("400 bad_parameter");
    expect(await readRefusal(await wait(rocky, foreign.cursor))).toBe("400 bad_parameter");
    expect(await read(indy, cursor)).toMatchObject({ messages: [], cursor });
    expect(await read(rocky, "0")).toMatchObject({ messages: [{ content: "second" }] });
  });

  it("a wait ends with the message, and continues after its cursor", async () => {
    const { ops, indy, path, send } = await createScene();
    const wait = (query: string) => indy.caller.read(path(`/wait?${query}`));
    const start = await wait("cursor=0&timeout=0");

    const waiting = wait(`cursor=${start.cursor}&timeout=30`);
    await send(ops, indy, "first");
    const first = await waiting;
    await send(ops, indy, "second");
    const second = await wait(`cursor=${first.cursor}&timeout=30`);
    const again = await wait(`cursor=${start.cursor}&timeout=0`);

    const contents = (page: { messages: { content: string }[] }) =>
      page.messages.map(({ content }) => content);
    expect(contents(first)).toEqual(["first"]);
    expect(contents(second)).toEqual(["second"]);
    expect(contents(again)).toEqual(["first", "second"]);
    expect((await indy.caller.read(path("/pending"))).total_pending).toBe(2);
  });

  it("messages are marked as read one by one, by sender, or all", async () => {
    const { ops, indy, rocky, path, send } = await createScene();
    const first = await send(ops, indy, "one", { needs_ack: true });
    await send(ops, indy, "two");
    await send(rocky, indy, "three");
    await send(ops, indy, "four");
    const mark = (body: object) => postOk(indy.caller, path("/read"), body);

    expect(await mark({ message: first.id })).toEqual({ marked: 1, total_pending: 3 });
    expect(await mark({ from: rocky.id })).toEqual({ marked: 1, total_pending: 2 });
    expect(await mark({})).toEqual({ marked: 2, total_pending: 0 });
  });

  it("a call of which every field may be left out needs no body", async () => {
    const { ops, indy, path, send } = await createScene();
    await send(ops, indy, "hello");
    const post = async (rest: string) =>
      await expectOkJson(await indy.caller.fetch(path(rest), { method: "POST" }));

    expect(await post("/heartbeat")).toEqual({ at: expect.any(String) });
    expect(await post("/read")).toEqual({ marked: 1, total_pending: 0 });
  });

  it("a heartbeat shows the member as online", async () => {
    const { ops, indy, path } = await createScene();
    await postOk(indy.caller, path("/heartbeat"), {});

    const { members } = await ops.caller.read(path());

    const shown = members.find(({ id }: { id: string }) => id === indy.id);
    expect(shown).toMatchObject({ online: true, last_seen: expect.any(String) });
  });

  it.each<[string, object, string]>([
    ["no content", { content: "" }, "400 bad_field"],
    ["too long a content", { content: "x".repeat(16_001) }, "400 bad_field"],
    ["a megabyte", { content: "x".repeat(1_000_000) }, "413 too_large"],
    ["an unknown type", { message_type: "rumor" }, "400 bad_field"],
    ["an unknown receiver", { to_id: "a_00000000" }, "404 unknown_member"],
    ["a reply to nothing", { reply_to: "msg_000000000000zz" }, "422 unknown_reference"],
    ["too many files", { files_modified: Array.from({ length: 300 }, String) }, "400 bad_field"],
  ])("a message with %s is refused and stores nothing", async (_name, change, refusal) => {
    const { ops, indy, path, readContents } = await createScene();
    const message = { to_id: indy.id, content: "hello", ...change };

    expect(await readRefusal(await ops.caller.post(path("/messages"), message))).toBe(refusal);
    expect(await readContents(indy)).toEqual([]);
  });

  it.each([
    ["/messages?limit=0", "400 bad_parameter"],
    ["/messages?limit=51", "400 bad_parameter"],
    ["/messages?between=one", "400 bad_parameter"],
    ["/messages?unread=maybe", "400 bad_parameter"],
    ["/messages?before=-1", "400 bad_parameter"],
    ["/wait?timeout=46", "400 bad_parameter"],
    ["/wait?cursor=999999&timeout=0", "400 bad_parameter"],
    ["/wait?cursor=1&timeout=0", "400 bad_parameter"],
    ["/wait?cursor=1-zzzzzzz&timeout=0", "400 bad_parameter"],
  ])("the call %s is refused", async (rest, refusal) => {
    const { ops, path } = await createScene();

    expect(await readRefusal(await ops.caller.fetch(path(rest)))).toBe(refusal);
  });

  it("YAML is accepted and returned", async () => {
    const { ops, indy, path } = await createScene();

    const sent = await ops.caller.fetch(path("/messages"), {
      method: "POST",
      body: `to_id: ${indy.id}\ncontent: |\n  Sort the shelves.\nmessage_type: task\n`,
      headers: { "Content-Type": "application/yaml" },
    });
    const read = await indy.caller.fetch(path("/messages"), {
      headers: { Accept: "application/yaml" },
    });

    expect((await expectOkJson(sent)).to).toBe(indy.id);
    expect(await read.text()).toContain("Sort the shelves.");
  });
});
