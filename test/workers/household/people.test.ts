import { getHouseholdStub } from "../../../src/stubs.ts";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import type { Role } from "../../../src/auth/principal.ts";
import { createHousehold, createName, buildFakeHash, type HouseholdUnderTest } from "./support.ts";

const SESSION = buildFakeHash("5e");
const buildAnsweredChallenge = (challenge: string) => ({ challenge, expires: Date.now() + 60_000 });

/** The person who is signed in with SESSION. */
async function withPerson({ rpc }: HouseholdUnderTest, actor: string, role: Role): Promise<void> {
  const link = buildFakeHash(`1${role.length}`);
  await rpc.identity.invite({ actor, role, hash: link });
  await rpc.identity.acceptInvitation(link, SESSION);
}

const buildGrant = (id: string, role: Role) => ({
  id,
  client_id: "client",
  client: "Claude",
  host: "claude.ai",
  label: "claude.ai",
  role,
});

const buildPasskey = (counter: number) => ({
  id: "credential",
  public_key: new Uint8Array([1, 2, 3]),
  counter,
  transports: [],
  households: [],
});

describe("a grant in the household", () => {
  it.each<[Role, Role, Role]>([
    ["owner", "owner", "owner"],
    ["agent", "owner", "agent"],
    ["executor", "agent", "executor"],
    ["owner", "executor", "executor"],
  ])(
    "a grant of a person with role %s that requests %s has role %s",
    async (own, wanted, given) => {
      const home = await createHousehold();
      await withPerson(home, "ann", own);

      const granted = await home.rpc.identity.createGrant(SESSION, buildGrant("g", wanted));
      const holder = await home.rpc.identity.findGrantHolder("g");

      expect([granted, holder].map((one) => one.ok && one.value.role)).toEqual([given, given]);
    },
  );

  it("a removed person's grant stays ended when the person is invited again", async () => {
    const home = await createHousehold();
    await withPerson(home, "ann", "owner");
    await home.rpc.identity.createGrant(SESSION, buildGrant("g", "owner"));
    await home.rpc.identity.removePerson("ann");
    await withPerson(home, "ann", "agent");

    const revived = await home.rpc.identity.findGrantHolder("g");

    expect(revived.ok).toBe(false);
  });

  it("a person replaces no grant of another person", async () => {
    const home = await createHousehold();
    await withPerson(home, "ann", "owner");
    await home.rpc.identity.createGrant(SESSION, buildGrant("g", "owner"));
    const [link, session] = [buildFakeHash("be"), buildFakeHash("bf")];
    await home.rpc.identity.invite({ actor: "ben", role: "owner", hash: link });
    await home.rpc.identity.acceptInvitation(link, session);

    await home.rpc.identity.endReplacedGrants(session, ["g"]);
    const kept = await home.rpc.identity.findGrantHolder("g");
    await home.rpc.identity.endReplacedGrants(SESSION, ["g"]);
    const ended = await home.rpc.identity.findGrantHolder("g");

    expect([kept.ok, ended.ok]).toEqual([true, false]);
  });

  it("a grant requires a session", async () => {
    const home = await createHousehold();
    await withPerson(home, "ann", "owner");

    const outcomes = [
      await home.rpc.identity.createGrant(buildFakeHash("00"), buildGrant("g", "agent")),
      await home.rpc.identity.endReplacedGrants(buildFakeHash("00"), ["g"]),
      await home.rpc.identity.findGrantHolder("g"),
    ];

    expect(outcomes.map(({ ok }) => ok)).toEqual([false, false, false]);
  });
});

describe("a passkey in the household", () => {
  const registerPasskey = async (counter: number): Promise<HouseholdUnderTest> => {
    const home = await createHousehold();
    await withPerson(home, "ann", "agent");
    await home.rpc.identity.addPasskey(
      SESSION,
      buildPasskey(counter),
      buildAnsweredChallenge("made"),
    );
    return home;
  };
  const use = async (
    { rpc }: HouseholdUnderTest,
    counter: number,
    challenge: string,
  ): Promise<boolean> => {
    const used = { id: "credential", counter };
    return (
      await rpc.identity.acceptPasskey(used, buildAnsweredChallenge(challenge), crypto.randomUUID())
    ).ok;
  };

  it("a passkey's counter must rise, so that a copy is detected", async () => {
    const home = await registerPasskey(5);

    expect(await use(home, 6, "one")).toBe(true);
    expect(await use(home, 6, "two")).toBe(false);
    expect(await use(home, 0, "three")).toBe(false);
    expect(await use(home, 9, "four")).toBe(true);
  });

  it("a passkey may have no counter", async () => {
    const home = await registerPasskey(0);

    expect(await use(home, 0, "one")).toBe(true);
    expect(await use(home, 0, "one")).toBe(false);
    expect(await use(home, 0, "two")).toBe(true);
  });
});

describe("a household that was never set up", () => {
  it("a household that was never set up has no people, and calls store nothing in it", async () => {
    const rpc = getHouseholdStub(env, createName());

    const outcomes = [
      await rpc.identity.readInvitation(SESSION),
      await rpc.identity.acceptInvitation(SESSION, SESSION),
      await rpc.identity.readSession(SESSION),
      await rpc.identity.findPasskey("credential"),
      await rpc.identity.findGrantHolder("g"),
      await rpc.identity.listPeople(),
    ];

    expect(outcomes.map(({ ok }) => ok)).toEqual(Array(6).fill(false));
    expect(await rpc.settings.getSettings()).toBeNull();
  });
});
