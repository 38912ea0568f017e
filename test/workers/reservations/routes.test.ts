import { describe, expect, it } from "vitest";
import { type Caller, createFreshHousehold, expectOkJson, readRefusal } from "../support.ts";

const reserve = (caller: Caller, body: object) => caller.post("/reservations", body);

const release = (caller: Caller, query = "", body?: object) =>
  caller.fetch(`/reservations${query}`, {
    method: "DELETE",
    ...(body === undefined
      ? {}
      : { body: JSON.stringify(body), headers: { "Content-Type": "application/json" } }),
  });

async function listNames(caller: Caller): Promise<string[]> {
  const { reservations } = await caller.read<{ reservations: { name: string }[] }>("/reservations");
  return reservations.map(({ name }) => name);
}

describe("/reservations", () => {
  it("a member reserves names, and another one learns from the refusal who holds them", async () => {
    const { agent, robo } = await createFreshHousehold();

    const reserved = await reserve(agent, {
      names: ["the 3D printer", "lab/**"],
      seconds: 600,
      reason: "a bracket",
    });
    const refused = await reserve(robo, { names: ["the 3d printer"], mode: "shared" });

    expect(reserved.status).toBe(201);
    expect((await expectOkJson(reserved)).reservations).toMatchObject([
      { name: "lab/**", held_by: "scout", mine: true },
      { name: "the 3D printer", held_by: "scout", mine: true },
    ]);
    expect(refused.status).toBe(409);
    expect(await refused.json()).toMatchObject({
      error: {
        code: "reserved",
        reservations: [{ name: "the 3D printer", held_by: "scout", reason: "a bracket" }],
      },
    });
    const { reservations } = await agent.read("/reservations");
    expect(reservations).toMatchObject([
      { name: "lab/**" },
      { name: "the 3D printer", wanted_by: [{ actor: "robo" }] },
    ]);
  });

  it("members release one name by the query, several by a body, and all without either", async () => {
    const { agent } = await createFreshHousehold();
    await expectOkJson(await reserve(agent, { names: ["a b", "c", "d", "e", "f"] }));

    const answers = [
      await expectOkJson(await release(agent, "?name=a+b")),
      await expectOkJson(await release(agent, "", { names: ["c", "d"] })),
      await expectOkJson(await release(agent)),
    ];

    expect(answers).toEqual([
      { released: ["a b"] },
      { released: ["c", "d"] },
      { released: ["e", "f"] },
    ]);
    expect(await listNames(agent)).toEqual([]);
  });

  it("only an owner releases what another member holds, and only by force", async () => {
    const { owner, agent, ann } = await createFreshHousehold();
    await expectOkJson(await reserve(agent, { names: ["the car"] }));

    const refused = [
      await release(ann, "?name=the+car"),
      await release(ann, "?name=the+car&force=true"),
      await release(owner, "?name=the+car"),
      await release(owner, "?force=true"),
    ];
    const forced = await release(owner, "", { names: ["the car"], force: true });

    expect(await Promise.all(refused.map(readRefusal))).toEqual([
      "409 not_holder",
      "403 wrong_role",
      "409 not_holder",
      "400 missing_field",
    ]);
    expect(await expectOkJson(forced)).toEqual({ released: ["the car"] });
  });

  it.each([
    ["no name", { names: [] }, "400 bad_field"],
    ["too many names", { names: Array.from({ length: 33 }, String) }, "400 bad_field"],
    ["a name that is too long", { names: ["x".repeat(257)] }, "400 bad_field"],
    ["an unknown mode", { names: ["x"], mode: "mine" }, "400 bad_field"],
    ["more than a day", { names: ["x"], seconds: 86_401 }, "400 bad_field"],
    ["a time that is none", { names: ["x"], until: "soon" }, "400 bad_time"],
    ["a foreign member id", { names: ["x"], as: "o_000000000000" }, "404 unknown_member"],
    ["an unknown field", { names: ["x"], owner: "me" }, "400 bad_field"],
  ])("refuses a reservation with %s", async (_what, body, refusal) => {
    const { agent } = await createFreshHousehold();

    expect(await readRefusal(await reserve(agent, body))).toBe(refusal);

    expect(await listNames(agent)).toEqual([]);
  });
});
