import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import type { Principal } from "../../../src/auth/principal.ts";
import { getGroupStub } from "../../../src/stubs.ts";
import { getCode, unwrap } from "../outcomes.ts";
import { createReservingHousehold, list, reserve, type ReservingHousehold } from "./support.ts";

/** A group that scout leads, with an agent that shares scout's key and one with rover's. */
async function createGroup() {
  const home = await createReservingHousehold();
  const { groups } = home.rpc;
  const made = unwrap(await groups.initiate(home.scout, { topic: "Project X", my_name: "lead" }));
  const { group_id } = made;
  const join = async (caller: Principal, my_name: string): Promise<string> =>
    unwrap(await groups.join(caller, { group_id, my_name })).my_id;
  const twin = await join(home.scout, "twin");
  const other = await join(home.rover, "other");
  return { home, group: group_id, lead: made.my_id, twin, other };
}

/** The messages of the exchange to the member. */
async function readNotices(
  { id }: ReservingHousehold,
  group: string,
  principal: Principal,
  as: string,
): Promise<string[]> {
  const read = await getGroupStub(env, id, group).read({ principal, as }, { peek: true });
  return unwrap(read)
    .messages.filter(({ from }) => from === "exchange")
    .map(({ content }) => content);
}

describe("reservations of members of AI groups", () => {
  it("two agents with one key exclude each other by their ids", async () => {
    const { home, lead, twin } = await createGroup();
    await reserve(home, home.scout, { names: ["src/**"], as: twin });

    const outcomes = [
      await home.rpc.reservations.reserve(home.scout, { names: ["src/a.ts"], as: lead }),
      await home.rpc.reservations.reserve(home.scout, { names: ["src/a.ts"] }),
      await home.rpc.reservations.reserve(home.scout, { names: ["src/a.ts"], as: twin }),
    ];

    expect(outcomes.map(getCode)).toEqual(["reserved", "reserved", "ok"]);
    expect(outcomes[0]).toMatchObject({
      error: { reservations: [{ name: "src/**", held_by: "scout", as: twin }] },
    });
  });

  it("the holder gets one message in its group for each member who wanted its names", async () => {
    const { home, group, twin, other } = await createGroup();
    await reserve(home, home.scout, { names: ["src/**", "docs/**"], as: twin });

    for (const name of ["src/a.ts", "src/b.ts"])
      await home.rpc.reservations.reserve(home.rover, {
        names: [name],
        reason: "a fix\n\nof types",
        as: other,
      });

    const [notice, ...others] = await readNotices(home, group, home.scout, twin);
    expect(notice).toContain("src/**");
    expect(notice).not.toContain("docs/**");
    expect(notice).toContain(`rover (${other})`);
    expect(notice).toContain('"a fix of types"');
    expect(others).toEqual([]);
    expect(await readNotices(home, group, home.rover, other)).toEqual([]);
  });

  it("the holder gets a message in its group when an owner ends its reservation", async () => {
    const { home, group, twin } = await createGroup();
    await reserve(home, home.scout, { names: ["the car"], as: twin });

    unwrap(await home.rpc.reservations.release(home.olga, { names: ["the car"], force: true }));

    const notices = await readNotices(home, group, home.scout, twin);
    expect(notices).toHaveLength(1);
    expect(notices[0]).toContain("the car");
    expect(notices[0]).toContain("olga");
  });

  it("an agent that waits in the pool gets the message there", async () => {
    const { home } = await createGroup();
    const drone = await home.addKey("drone", "executor");
    const { agent_id } = unwrap(
      await home.rpc.groups.register(drone, { pool: "agents", name: "drone" }),
    );
    await reserve(home, drone, { names: ["the roof"], as: agent_id });

    await home.rpc.reservations.reserve(home.rover, { names: ["the roof"] });

    expect(await readNotices(home, "agents", drone, agent_id)).toHaveLength(1);
  });

  it("an id of another key is refused as one that does not exist", async () => {
    const { home, twin } = await createGroup();

    const outcomes = [
      await home.rpc.reservations.reserve(home.rover, { names: ["x"], as: twin }),
      await home.rpc.reservations.reserve(home.rover, { names: ["x"], as: "a_000000000000" }),
      await home.rpc.reservations.release(home.rover, { as: twin }),
    ];

    expect(outcomes.map(getCode)).toEqual(Array.from({ length: 3 }, () => "unknown_member"));
    expect(outcomes[0]).toEqual(outcomes[1]);
    expect(await list(home, home.olga)).toEqual([]);
  });

  it("releasing with an id leaves what another agent with the same key has reserved", async () => {
    const { home, lead, twin } = await createGroup();
    await reserve(home, home.scout, { names: ["a"], as: lead });
    await reserve(home, home.scout, { names: ["b"], as: twin });

    const refused = await home.rpc.reservations.release(home.scout, { names: ["b"], as: lead });
    const released = await home.rpc.reservations.release(home.scout, { as: lead });

    expect(getCode(refused)).toBe("not_holder");
    expect(unwrap(released)).toEqual(["a"]);
    expect(await list(home, home.scout)).toMatchObject([{ name: "b", as: twin, mine: true }]);
  });

  it("after a handoff the holder is shown with its new id, and holds under both", async () => {
    const { home, group, lead, twin } = await createGroup();
    await reserve(home, home.scout, { names: ["docs/**"], as: twin });
    const handoff = { group_id: group, from_ops_id: lead, to_agent_id: twin };

    await home.rpc.groups.transfer(home.scout, {
      ...handoff,
      context_summary: "all is well",
      verification_passed: true,
    });
    const { new_ops_id } = unwrap(await home.rpc.groups.transfer(home.scout, handoff));

    expect(new_ops_id).toMatch(/^o_/);
    expect(await list(home, home.olga)).toMatchObject([{ name: "docs/**", as: new_ops_id }]);
    for (const as of [twin, new_ops_id!])
      await reserve(home, home.scout, { names: ["docs/**"], as });
  });

  it("a member whose key was replaced reserves under its id with the new key", async () => {
    const { home, other } = await createGroup();
    await reserve(home, home.rover, { names: ["a"], as: other });
    await home.rpc.identity.revokeKey(home.rover.credential!.slice("key:".length));
    const renewed = await home.addKey("rover", "agent");

    const [reserved] = await reserve(home, renewed, { names: ["a"], as: other });

    expect(reserved).toMatchObject({ held_by: "rover", as: other, mine: true });
  });
});
