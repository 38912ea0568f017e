import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { type Caller, readRefusal, waitUntil } from "../../support.ts";
import { createScene, postOk } from "./support.ts";

const search = async (caller: Caller, query: string): Promise<string[]> =>
  (await caller.read(`/groups/search?${query}`)).messages.map(
    ({ excerpt }: { excerpt: string }) => excerpt,
  );

/** A group in which two channels have the same words, once all messages are in the index. */
async function createSearchedScene() {
  const scene = await createScene();
  const { home, ops, indy, rocky, send } = scene;
  await send(ops, indy, "paint the fence", { message_type: "task" });
  await send(ops, rocky, "paint the gate", { message_type: "task" });
  await send(indy, ops, "the fence is painted", { message_type: "report" });
  await waitUntil(async () => expect(await search(home.owner, "")).toHaveLength(3));
  return scene;
}

describe("the search of AI groups over HTTP", () => {
  it("members find messages of their own channels, and owners those of all", async () => {
    const { home, ops, indy, rocky } = await createSearchedScene();

    const found = await Promise.all(
      [home.owner, ops.caller, indy.caller, rocky.caller, home.ben].map((caller) =>
        search(caller, "q=paint"),
      ),
    );

    expect(found).toEqual([
      ["the fence is painted", "paint the gate", "paint the fence"],
      ["the fence is painted", "paint the gate", "paint the fence"],
      ["the fence is painted", "paint the fence"],
      ["paint the gate"],
      [],
    ]);
    expect(await search(rocky.caller, `member=${indy.id}`)).toEqual([]);
  });

  it("text, member, type, group and time narrow a search, and pages continue it", async () => {
    const { home, ops, indy, rocky, group } = await createSearchedScene();
    const { messages } = await home.owner.read("/groups/search?type=report");
    const first = await home.owner.read("/groups/search?limit=2");

    expect(messages).toMatchObject([
      { group_id: group, from: indy.id, from_name: "indy", to: ops.id, type: "report", seq: 3 },
    ]);
    expect(await search(home.owner, `member=${rocky.id}`)).toEqual(["paint the gate"]);
    expect(await search(home.owner, `group=${group}&q=gate`)).toEqual(["paint the gate"]);
    expect(await search(home.owner, "group=g_00000000")).toEqual([]);
    expect(await search(home.owner, "since=2020-01-01&until=2020-12-31")).toEqual([]);
    expect(await search(home.owner, "since=2020-01-01&q=gate")).toEqual(["paint the gate"]);
    expect(await search(home.owner, `limit=2&cursor=${first.next_cursor}`)).toEqual([
      "paint the fence",
    ]);
  });

  it("a member is found by its former id and by its present one", async () => {
    const { home, ops, indy, path } = await createSearchedScene();
    const handoff = { from_ops_id: ops.id, to_agent_id: indy.id, verification_passed: true };
    const summary = { context_summary: "We paint." };
    await postOk(ops.caller, path("/handoff"), { ...handoff, ...summary });
    const { new_ops_id } = await postOk(indy.caller, path("/handoff"), handoff);

    const byFormer = await search(home.owner, `q=fence&member=${indy.id}`);

    expect(byFormer).toHaveLength(2);
    expect(await search(home.owner, `q=fence&member=${new_ops_id}`)).toEqual(byFormer);
    expect(await search(indy.caller, "q=fence")).toEqual(byFormer);
  });

  it("messages are found after the groups were wiped", async () => {
    const { home, indy } = await createSearchedScene();
    await postOk(home.owner, "/groups/wipe", { confirm: home.id });

    expect(await search(home.owner, "q=gate")).toEqual(["paint the gate"]);
    expect(await search(indy.caller, "q=fence")).toHaveLength(2);
  });

  it("a lost index is rebuilt from the groups", async () => {
    const { home } = await createSearchedScene();

    await env.INDEX.prepare("DELETE FROM group_messages WHERE household = ?").bind(home.id).run();
    expect(await search(home.owner, "q=paint")).toEqual([]);

    await postOk(home.owner, "/api/v1/index/rebuild", {});

    await waitUntil(async () => expect(await search(home.owner, "q=paint")).toHaveLength(3));
  });

  it.each(["type=rumor", "since=yesterday", "limit=51", "cursor=x", "color=red"])(
    "a search with %s is refused",
    async (query) => {
      const { ops } = await createScene();

      expect(await readRefusal(await ops.caller.fetch(`/groups/search?${query}`))).toBe(
        "400 bad_parameter",
      );
    },
  );
});
