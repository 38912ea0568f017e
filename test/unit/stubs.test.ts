import { describe, expect, it } from "vitest";
import { getHouseholdStub } from "../../src/stubs.ts";

/** A namespace whose objects record their calls. */
function recordCalls() {
  const calls: unknown[][] = [];
  const HOUSEHOLDS = {
    getByName: (name: string) => ({
      callFacet: async (...args: unknown[]) => {
        calls.push([name, ...args]);
        return { ok: true };
      },
    }),
  };
  return { calls, env: { HOUSEHOLDS } as unknown as Pick<Env, "HOUSEHOLDS"> };
}

describe("the stub of a household", () => {
  it("a call of a facet is one call to the household's object", async () => {
    const { calls, env } = recordCalls();

    const outcome = await getHouseholdStub(env, "villa").threads.resolveTarget("ann", "last");

    expect(outcome).toEqual({ ok: true });
    expect(calls).toEqual([["villa", "threads", "resolveTarget", ["ann", "last"]]]);
  });

  it("an async function can return a facet without calling it", async () => {
    const { calls, env } = recordCalls();
    const findFacet = async () => getHouseholdStub(env, "villa").identity;

    const identity = await findFacet();
    expect(calls).toEqual([]);
    await identity.isLive("key:1");

    expect(calls).toEqual([["villa", "identity", "isLive", ["key:1"]]]);
  });
});
