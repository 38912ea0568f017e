import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { getConfig } from "../../../src/config.ts";
import { QUOTA_NAMES, type QuotaName, QUOTAS } from "../../../src/mess/quotas.ts";
import { type Answered, createFreshHousehold, expectOkJson, readRefusal } from "../support.ts";
import { putLimits } from "./quota-support.ts";

describe("limits", () => {
  it("an owner sees every quota with its limit and its use", async () => {
    const { owner } = await createFreshHousehold();

    const { limits } = await owner.read("/api/v1/limits");

    expect(
      limits.map(({ name, limit, unit, code }: Answered) => [name, { limit, unit, code }]),
    ).toEqual(
      QUOTA_NAMES.map((name) => {
        const { unit, code } = QUOTAS[name];
        const limit = getConfig(env).limits[name];
        return [name, { limit: limit === Infinity ? null : limit, unit, code }];
      }),
    );
    expect(limits.find(({ name }: Answered) => name === "keys_per_household")).toMatchObject({
      used: 5,
    });
  });

  it("only owners see the quotas, and only the operator changes them", async () => {
    const { id, agent, owner } = await createFreshHousehold();

    expect(await readRefusal(await agent.fetch("/api/v1/limits"))).toBe("403 wrong_role");
    const byOwner = await owner.fetch(`/api/v1/households/${id}/limits`, {
      method: "PUT",
      body: "{}",
    });
    expect(await readRefusal(byOwner)).toBe("401 unauthenticated");
  });

  it("the operator's changes replace the earlier ones", async () => {
    const { id } = await createFreshHousehold();
    const find = (body: Answered, name: QuotaName) =>
      body.limits.find((one: Answered) => one.name === name);

    const first = await expectOkJson(await putLimits(id, { keys_per_member: 3 }));
    const second = await expectOkJson(await putLimits(id, { schedules_per_member: 4 }));

    expect(find(first, "keys_per_member")).toMatchObject({ limit: 3, changed: true });
    expect(find(second, "keys_per_member")).toMatchObject({
      limit: getConfig(env).limits.keys_per_member,
    });
    expect(find(second, "schedules_per_member")).toMatchObject({ limit: 4, changed: true });
  });

  it.each([
    [{ keys: 3 }, "400 bad_field"],
    [{ keys_per_member: -1 }, "400 bad_field"],
    [{ requests_per_credential: 1 }, "400 bad_field"],
  ])("an unknown or invalid change is refused: %j", async (limits, refusal) => {
    const { id } = await createFreshHousehold();

    expect(await readRefusal(await putLimits(id, limits))).toBe(refusal);
  });

  it("a household that does not exist has no limits, and none are stored for it", async () => {
    expect(await readRefusal(await putLimits("no-such-household", {}))).toBe("404 not_found");
    expect(await readRefusal(await putLimits("No_Household", {}))).toBe("404 not_found");
  });
});
