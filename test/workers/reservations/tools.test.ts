import { describe, expect, it } from "vitest";
import { callTool } from "../mcp/support.ts";
import { type Caller, createFreshHousehold, expectOkJson } from "../support.ts";

const callGroupTool = (caller: Caller, name: string, args: object = {}) =>
  callTool(caller, name, args, { path: "/mcp/groups" });

/** Two agents in one group, each with a key of its own. */
async function createGroup() {
  const home = await createFreshHousehold();
  const post = async (caller: Caller, path: string, body: object) =>
    await expectOkJson(await caller.post(path, body));
  const { group_id, my_id: lead } = await post(home.agent, "/groups", {
    topic: "Project X",
    my_name: "lead",
  });
  const joined = await post(home.ann, `/groups/${group_id}/members`, { my_name: "ann" });
  return { ...home, group_id, lead, worker: joined.my_id as string };
}

describe("the tools reserve and release", () => {
  it("an agent learns who holds a name, and the holder reads in its group who wants it", async () => {
    const { agent, ann, group_id, lead, worker } = await createGroup();
    const reserved = await callGroupTool(agent, "reserve", {
      names: ["src/mess/**", "the 3D printer"],
      until: "45m",
      reason: "a\nrefactoring",
      my_id: lead,
    });

    const refused = await callGroupTool(ann, "reserve", {
      names: ["src/mess/errors.ts"],
      shared: true,
      my_id: worker,
    });

    expect(reserved.isError).toBe(false);
    expect(reserved.result.structuredContent.reservations).toMatchObject([
      { name: "src/mess/**", as: lead, mine: true },
      { name: "the 3D printer", as: lead, mine: true },
    ]);
    expect(refused.isError).toBe(true);
    expect(refused.text).toMatch(/^reserved: /);
    expect(refused.text).toContain(`"src/mess/**" exclusive by scout ${lead} until `);
    expect(refused.text).toContain('"a refactoring"');
    expect(refused.text).not.toContain("3D printer");
    const inbox = await callGroupTool(agent, "read", { group_id, my_id: lead });
    expect(inbox.text).toContain("src/mess/**");
    expect(inbox.text).toContain(worker);
  });

  it("without names, reserve lists the household's reservations, the caller's own first", async () => {
    const { agent, ann } = await createGroup();
    await callGroupTool(ann, "reserve", { names: ["a"] });
    await callGroupTool(agent, "reserve", { names: ["b"], shared: true });
    await callGroupTool(ann, "reserve", { names: ["b"] });

    const listed = await callGroupTool(agent, "reserve");

    expect(listed.result.structuredContent.reservations).toMatchObject([
      { name: "b", mode: "shared", mine: true, wanted_by: [{ actor: "ann" }] },
      { name: "a", mode: "exclusive", held_by: "ann" },
    ]);
    expect(listed.text.split("\n")).toEqual([
      expect.stringMatching(/^yours: "b" shared by scout until .*; wanted by ann at /),
      expect.stringMatching(/^"a" exclusive by ann until /),
    ]);
  });

  it("a list in a household with many reservations shows at most fifty", async () => {
    const { agent, ann } = await createGroup();
    const buildNames = (count: number, start: string) =>
      Array.from({ length: count }, (_, index) => `${start} ${index}`);
    for (const start of ["a", "b"])
      await callGroupTool(ann, "reserve", { names: buildNames(25, start) });
    await callGroupTool(agent, "reserve", { names: buildNames(2, "z") });

    const listed = await callGroupTool(agent, "reserve");

    const { reservations } = listed.result.structuredContent;
    expect(reservations).toHaveLength(50);
    expect(reservations[0]).toMatchObject({ name: "z 0", mine: true });
    expect(listed.text.split("\n").at(-1)).toBe("2 more.");
  });

  it("release ends own reservations, and those of others only by an owner's force", async () => {
    const { owner, agent, ann } = await createGroup();
    await callGroupTool(agent, "reserve", { names: ["a", "b"] });

    const refused = await callGroupTool(ann, "release", { names: ["a"] });
    const forbidden = await callGroupTool(ann, "release", { names: ["a"], force: true });
    const forced = await callGroupTool(owner, "release", { names: ["a"], force: true });
    const own = await callGroupTool(agent, "release");
    const again = await callGroupTool(agent, "release");

    expect(refused.text).toMatch(/^not_holder: /);
    expect(forbidden.text).toMatch(/^wrong_role: /);
    expect(forced.result.structuredContent.released).toEqual(["a"]);
    expect(own.result.structuredContent.released).toEqual(["b"]);
    expect(again.isError).toBe(false);
    expect(again.result.structuredContent.released).toEqual([]);
  });
});
