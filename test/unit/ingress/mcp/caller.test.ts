import { describe, expect, it } from "vitest";
import { refuse } from "../../../../src/mess/errors.ts";
import { ok } from "../../../../src/mess/result.ts";
import {
  type McpCaller,
  findMember,
  findInHouseholds,
} from "../../../../src/ingress/mcp/caller.ts";

const buildMember = (household: string) => ({ household, actor: "scout", role: "agent" as const });
const caller: McpCaller = {
  principals: [buildMember("lake"), buildMember("city")],
  isValid: async () => true,
};

describe("findMember", () => {
  it("findMember returns the first household if none is named, else the named one of the grant", () => {
    expect(findMember(caller, undefined)).toEqual(ok(buildMember("lake")));
    expect(findMember(caller, "city")).toEqual(ok(buildMember("city")));
  });

  it("findMember refuses a household outside of the grant, and lists those within", () => {
    expect(findMember(caller, "castle")).toMatchObject({
      ok: false,
      error: { code: "bad_parameter", valid: ["lake", "city"] },
    });
  });
});

describe("findInHouseholds", () => {
  const missing = refuse("not_found", "no such thread", "Look elsewhere.");

  it("findInHouseholds tries the households until one has the thread", async () => {
    const asked: string[] = [];
    const found = await findInHouseholds(caller, undefined, async ({ household }) => {
      asked.push(household);
      return household === "city" ? ok("here") : missing;
    });

    expect(found).toEqual(ok("here"));
    expect(asked).toEqual(["lake", "city"]);
  });

  it("findInHouseholds stops at any refusal other than a missing thread", async () => {
    const found = await findInHouseholds(caller, undefined, async ({ household }) =>
      household === "lake"
        ? refuse("thread_finished", "over", "Create a new request.")
        : ok("there"),
    );

    expect(found).toMatchObject({ error: { code: "thread_finished" } });
  });

  it("findInHouseholds searches only the named household", async () => {
    const found = await findInHouseholds(caller, "lake", async ({ household }) =>
      household === "city" ? ok("here") : missing,
    );

    expect(found).toEqual(missing);
  });
});
