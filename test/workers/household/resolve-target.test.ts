import { defined } from "../../../src/mess/defined.ts";
import { describe, expect, it } from "vitest";
import {
  getCode,
  createHousehold,
  type HouseholdUnderTest,
  openAll,
  buildRequest,
  buildSummary,
} from "./support.ts";

const resolveMeant = async (
  home: HouseholdUnderTest,
  target: string,
  actor = "scout",
  key?: string,
) => {
  const found = await home.rpc.threads.resolveTarget(actor, target, { key });
  return found.ok ? found.value : found.error.code;
};

const pickOne = async (home: HouseholdUnderTest, id?: string, actor = "scout") => {
  const fields = { intent: crypto.randomUUID(), ...defined({ id }) };
  const [thread] = await openAll(home, [buildRequest(fields)], actor);
  return thread!.ref;
};

describe("a target is looked up (decision 4)", () => {
  it("a target is a full ref before it is an id", async () => {
    const home = await createHousehold();
    const first = await pickOne(home, "soup");
    await pickOne(home, first);
    expect(await resolveMeant(home, first)).toBe(first);
  });

  it("a target may be a message of a thread, and keeps its name", async () => {
    const home = await createHousehold();
    const ref = await pickOne(home, "soup");
    const short = ref.replace("-soup", "");
    expect(await resolveMeant(home, `${ref}/question-002`)).toBe(`${ref}/question-002`);
    expect(await resolveMeant(home, `${short}/question-002-salt`)).toBe(`${ref}/question-002-salt`);
    expect(await resolveMeant(home, "soup/question-002")).toBe(`${ref}/question-002`);
  });

  it("a target may be the sender's own id, but not another sender's", async () => {
    const home = await createHousehold();
    await pickOne(home, "soup");
    const second = await pickOne(home, "soup");
    expect(await resolveMeant(home, "soup")).toBe(second);
    expect(await resolveMeant(home, "soup", "ranger")).toBe("not_found");
  });

  it("a target may be day and serial without the slug", async () => {
    const home = await createHousehold();
    const ref = await pickOne(home, "soup");
    expect(await resolveMeant(home, ref.replace("-soup", ""))).toBe(ref);
    expect(await resolveMeant(home, ref.replace("-soup", ""), "ranger")).toBe("not_found");
    expect(await resolveMeant(home, ref.replace("-soup", "-stew"))).toBe("not_found");
  });

  it("a target that matches several threads is refused with the candidates", async () => {
    const home = await createHousehold();
    const imported = ["2030-01-01-007-mate", "2030-01-01-007-tea"];
    for (const ref of imported) await home.rpc.threads.adoptThread(buildSummary(home, ref));
    const refused = await home.rpc.threads.resolveTarget("scout", "2030-01-01-007");
    expect(refused).toMatchObject({
      ok: false,
      error: { code: "ambiguous_ref", valid: imported },
    });
    expect(
      await home.rpc.threads.resolveTarget("olga", "2030-01-01-007", { role: "owner" }),
    ).toEqual(refused);
    expect(await resolveMeant(home, "2030-01-01-007", "olga")).toBe("not_found");
    expect(await resolveMeant(home, "2030-01-01-007", "stranger")).toBe("not_found");
  });

  it("a target that matches no thread is refused", async () => {
    const home = await createHousehold();
    expect(await resolveMeant(home, "nothing")).toBe("not_found");
    expect(await resolveMeant(home, "2030-01-01-001")).toBe("not_found");
    expect(await resolveMeant(home, "last")).toBe("not_found");
  });
});

describe("last (decision 3)", () => {
  it("the target last is the actor's newest thread; in a batch, the last one", async () => {
    const home = await createHousehold();
    await pickOne(home, "soup");
    const threads = await openAll(home, [buildRequest({ id: "a" }), buildRequest({ id: "b" })]);
    await pickOne(home, "other", "ranger");
    expect(await resolveMeant(home, "last")).toBe(threads[1]!.ref);
  });

  it("the target last is not a thread imported from an earlier day", async () => {
    const home = await createHousehold();
    const ref = await pickOne(home);
    await home.rpc.threads.adoptThread(buildSummary(home, "2020-01-01-001", { created: 0 }));
    expect(await resolveMeant(home, "last")).toBe(ref);
  });
});

describe("targets in repeated calls", () => {
  it("a target in a repeated call resolves to the same thread", async () => {
    const home = await createHousehold();
    const first = await pickOne(home, "soup");
    expect(await resolveMeant(home, "last", "scout", "k1")).toBe(first);
    expect(await resolveMeant(home, "soup", "scout", "k1")).toBe(first);
    const second = await pickOne(home, "soup");
    expect(await resolveMeant(home, "last", "scout", "k1")).toBe(first);
    expect(await resolveMeant(home, "soup", "scout", "k1")).toBe(first);
    expect(await resolveMeant(home, "last", "scout", "k2")).toBe(second);
  });

  it("a refused target is not stored for repeated calls", async () => {
    const home = await createHousehold();
    expect(getCode(await home.rpc.threads.resolveTarget("scout", "last", { key: "k1" }))).toBe(
      "not_found",
    );
    const ref = await pickOne(home);
    expect(await resolveMeant(home, "last", "scout", "k1")).toBe(ref);
  });
});
