import { describe, expect, it } from "vitest";
import { createFreshHousehold, readRefusal } from "../../support.ts";
import { createScene, joinAs, postOk } from "./support.ts";

describe("AI groups over HTTP", () => {
  it("the OpenAPI document says which bodies may be left out", async () => {
    const { ops } = await createScene();

    const { paths } = await ops.caller.read("/openapi.json");

    const listBodies = (isRequired: boolean) =>
      Object.keys(paths).filter(
        (path) =>
          path.startsWith("/groups") && paths[path].post?.requestBody.required === isRequired,
      );
    expect(listBodies(false).toSorted()).toEqual([
      "/groups/wipe",
      "/groups/{group}/close",
      "/groups/{group}/heartbeat",
      "/groups/{group}/members",
      "/groups/{group}/read",
    ]);
    expect(listBodies(true)).toContain("/groups/{group}/messages");
  });

  it("the creator is the primary ops; its members and the owner see the group, others do not", async () => {
    const { home, group, ops, indy, path } = await createScene();

    const status = await ops.caller.read(path());
    const lists = await Promise.all(
      [ops.caller, indy.caller, home.owner, home.ben].map((caller) => caller.read("/groups")),
    );

    expect(status).toMatchObject({ group_id: group, topic: "Project X", my_id: ops.id });
    expect(status.members).toMatchObject([
      { id: ops.id, name: "boss", role: "ops", primary: true },
      { id: indy.id, name: "indy", role: "agent" },
      { name: "rocky" },
    ]);
    expect(
      lists.map(({ groups }) => groups.map((one: { group_id: string }) => one.group_id)),
    ).toEqual([[group], [group], [group], []]);
    expect(group).toMatch(/^g_[0-9a-z]{8,}$/);
  });

  it("a member that joins again keeps its id, and a name belongs to one key", async () => {
    const { home, indy, path } = await createScene();

    const again = await indy.caller.post(path("/members"), { my_name: "indy" });
    const taken = await home.ben.post(path("/members"), { my_name: "indy" });

    expect([again.status, (await again.json<{ my_id: string }>()).my_id]).toEqual([200, indy.id]);
    expect(await readRefusal(taken)).toBe("409 already_exists");
  });

  it("a member of the household that is not in the group gets the refusals of an unknown group", async () => {
    const { home, group, ops, indy } = await createScene();
    const stranger = home.ben;
    const call = async (id: string) => {
      const at = `/groups/${id}`;
      const post = (rest: string, body: object) => stranger.post(`${at}${rest}`, body);
      const responses = await Promise.all([
        stranger.fetch(at),
        stranger.fetch(`${at}/messages`),
        stranger.fetch(`${at}/messages?as=${ops.id}&with=${indy.id}`),
        stranger.fetch(`${at}/pending`),
        stranger.fetch(`${at}/wait?timeout=0`),
        stranger.fetch(`${at}/events`),
        post("/messages", { to_id: ops.id, content: "hello" }),
        post("/read", {}),
        post("/heartbeat", {}),
        post("/close", {}),
      ]);
      return await Promise.all(responses.map((response) => response.text()));
    };

    const foreign = await call(group);

    expect(foreign).toEqual(await call("g_000000000000"));
    expect(foreign.every((text) => text.includes('"not_found"'))).toBe(true);
  });

  it("only ops close a group; then it can be read and nothing can be sent", async () => {
    const { home, ops, indy, path, read, send, trySend } = await createScene();
    await send(ops, indy, "the last task", { message_type: "task" });

    const byAgent = await indy.caller.post(path("/close"), {});
    const closed = await postOk(ops.caller, path("/close"), {});

    expect(await readRefusal(byAgent)).toBe("403 wrong_role");
    expect(closed).toMatchObject({ status: "closed" });
    expect(await readRefusal(await trySend(ops, indy, "one more"))).toBe("409 group_closed");
    const late = await home.ben.post(path("/members"), { my_name: "ben" });
    expect(await readRefusal(late)).toBe("409 group_closed");
    expect((await read(indy)).messages).toMatchObject([{ content: "the last task" }]);
  });

  it("a handoff counts when the receiver repeats the call, which gives it an id of ops", async () => {
    const { ops, indy, path } = await createScene();
    const handoff = { from_ops_id: ops.id, to_agent_id: indy.id, verification_passed: true };

    const offered = await postOk(ops.caller, path("/handoff"), {
      ...handoff,
      context_summary: "We build a shelf.",
    });
    const before = await ops.caller.read(path());
    const accepted = await postOk(indy.caller, path("/handoff"), handoff);
    const after = await indy.caller.read(path());

    expect(offered.state).toBe("offered");
    expect(before.members.find((one: { primary?: true }) => one.primary).id).toBe(ops.id);
    expect(accepted).toMatchObject({ state: "accepted", new_ops_id: expect.stringMatching(/^o_/) });
    expect(after.my_id).toBe(accepted.new_ops_id);
    expect(after.members.find((one: { primary?: true }) => one.primary).id).toBe(after.my_id);
    // The former id is an alias.
    expect((await indy.caller.read(path(`?as=${indy.id}`))).my_id).toBe(after.my_id);
  });

  it("an agent that lost its context finds its id by its name, with counts and without contents", async () => {
    const { ops, indy, group, send } = await createScene();
    await send(ops, indy, "sort the shelves", { message_type: "task" });
    await send(ops, indy, "hurry");

    const { memberships } = await postOk(indy.caller, "/groups/rejoin", { my_name: "indy" });

    expect(memberships).toMatchObject([
      { group_id: group, my_id: indy.id, pending: { total_pending: 2 } },
    ]);
    expect(memberships[0].pending.by_sender[ops.id]).toMatchObject({
      count: 2,
      types: { task: 1, message: 1 },
    });
    expect(JSON.stringify(memberships)).not.toContain("shelves");
  });

  it("owners wipe all groups after they confirmed it; the messages stay readable for them", async () => {
    const { home, ops, indy, path, send, readContents } = await createScene();
    await postOk(home.ann, "/pools/agents/agents", { name: "spare" });
    await send(ops, indy, "keep this");

    const byAgent = await ops.caller.post("/groups/wipe", { confirm: home.id });
    const unconfirmed = await home.owner.post("/groups/wipe", {});
    const wrong = await home.owner.post("/groups/wipe", { confirm: "another-home" });
    const wiped = await postOk(home.owner, "/groups/wipe", { confirm: home.id });

    expect(await readRefusal(byAgent)).toBe("403 wrong_role");
    expect(await readRefusal(unconfirmed)).toBe("409 confirmation_required");
    expect(await readRefusal(wrong)).toBe("409 confirmation_required");
    expect(wiped).toEqual({ groups: 1, agents: 1 });
    expect((await home.owner.read(path())).status).toBe("closed");
    expect(await readContents(home.owner)).toEqual(["keep this"]);
  });

  it("a repeated call with the same Idempotency-Key creates one group, also later with the same topic", async () => {
    const { agent } = await createFreshHousehold();
    const body = { topic: "Project Y", my_name: "boss" };
    const create = async (key: string, topic = body.topic) => {
      const response = await agent.post("/groups", { ...body, topic }, { "Idempotency-Key": key });
      return response.ok ? (await response.json<{ group_id: string }>()).group_id : response.status;
    };

    const first = await create("k-1");
    const repeated = await create("k-1");
    const conflicting = await create("k-1", "Project Z");

    expect(repeated).toBe(first);
    expect(conflicting).toBe(409);
    expect((await agent.read("/groups")).groups).toHaveLength(1);
  });

  it("a key that replaced another continues its memberships by name", async () => {
    const { home, group, indy, path } = await createScene();
    const { keys } = await home.owner.read("/api/v1/keys");
    const old = keys.find(({ actor }: { actor: string }) => actor === "indy");
    const renewed = await home.addMember("indy", "agent");
    await home.owner.fetch(`/api/v1/keys/${old.id}`, { method: "DELETE" });

    const { memberships } = await postOk(renewed, "/groups/rejoin", { my_name: "indy" });

    expect(memberships).toMatchObject([{ group_id: group, my_id: indy.id }]);
    expect((await renewed.read(path())).my_id).toBe(indy.id);
    expect((await joinAs(renewed, group, "indy")).id).toBe(indy.id);
  });

  it.each([
    ["no topic", {}, "400 bad_field"],
    ["a topic that is too long", { topic: "x".repeat(201) }, "400 bad_field"],
    ["an unknown field", { topic: "x", color: "red" }, "400 bad_field"],
    ["a name that is no text", { topic: "x", my_name: 7 }, "400 bad_field"],
    ["a megabyte", { topic: "x", description: "x".repeat(1_000_000) }, "413 too_large"],
  ])("a new group with %s is refused", async (_name, body, refusal) => {
    const { agent } = await createFreshHousehold();

    expect(await readRefusal(await agent.post("/groups", body))).toBe(refusal);
    expect((await agent.read("/groups")).groups).toEqual([]);
  });
});
