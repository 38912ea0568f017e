import { describe, expect, it } from "vitest";
import type {
  Executor,
  RouteContext,
  RouteRequest,
  RoutingConfig,
} from "../../../../src/mess/routing/routing.ts";
import type { Priority } from "../../../../src/mess/envelope.ts";
import { requestFields, listIds, NOON, buildPerson } from "./routing-support.ts";

const choose = (
  executors: Executor[],
  context: Partial<RouteContext> = {},
  request: RouteRequest = {},
  config: RoutingConfig = { rules: [] },
) => requestFields(request, executors, config, context);

/**
 * Bea is unavailable, and Cleo is available: Bea is passed over with a reason, but is a candidate when she is alone.
 * @param mentions values that the reason must contain
 */
function checkPassedOver(
  bea: Executor,
  mentions: string[],
  context: Partial<RouteContext> = {},
  request: RouteRequest = {},
): void {
  const found = choose([bea, buildPerson("cleo")], context, request);
  expect(listIds(found)).toEqual(["cleo"]);
  expect(found.passed_over).toEqual([{ id: "bea", reason: expect.stringMatching(/\w/) }]);
  const { reason } = found.passed_over[0]!;
  for (const value of mentions) expect(reason).toContain(value);

  const alone = choose([bea], context, request);
  expect(listIds(alone)).toEqual(["bea"]);
  const explained = alone.candidates[0]!.reasons.filter((each) => each.includes(reason));
  expect(explained).toHaveLength(1);
  expect(explained[0]!.length).toBeGreaterThan(reason.length);
}

describe("an unavailable member", () => {
  it("the reason for a member at its capacity names its load and its capacity", () => {
    const bea = buildPerson("bea", { capacity: 2 });
    checkPassedOver(bea, ["2"], { load: { bea: 2 } });
    checkPassedOver(bea, ["5", "2"], { load: { bea: 5 } });
  });

  it("the reason for a member that is away names when it returns", () => {
    const bea = buildPerson("bea");
    checkPassedOver(bea, [], { away: { bea: null } });
    checkPassedOver(bea, ["2027-03-01T14:00:00+01:00"], {
      zone: "Europe/Berlin",
      away: { bea: NOON + 3_600_000 },
    });
  });

  it("the reason for a request below the minimum priority names the priority", () => {
    const bea = buildPerson("bea", { min_priority: "elevated" });
    checkPassedOver(bea, ["elevated"]);
    checkPassedOver(bea, ["elevated"], {}, { priority: "background" });
  });

  it("a member that is available on demand is passed over with a reason", () => {
    checkPassedOver(buildPerson("bea", { availability: "on_demand" }), []);
  });

  it("a member with several reasons is passed over with all of them", () => {
    const findReason = (fields: Partial<Executor>, context: Partial<RouteContext> = {}) =>
      choose([buildPerson("bea", fields), buildPerson("cleo")], context).passed_over[0]!.reason;
    const full = findReason({ capacity: 1 }, { load: { bea: 1 } });
    const choosy = findReason({ min_priority: "urgent" });
    const away = findReason({}, { away: { bea: null } });

    const all = findReason(
      { capacity: 1, min_priority: "urgent" },
      { load: { bea: 1 }, away: { bea: null } },
    );

    expect(new Set([full, choosy, away]).size).toBe(3);
    for (const reason of [full, choosy, away]) expect(all).toContain(reason);
  });
});

describe("quiet hours", () => {
  const bea = buildPerson("bea", { quiet_hours: "22:00-07:00", time_zone: "Asia/Tokyo" });
  const listReasons = (executor: Executor, request: RouteRequest = {}) =>
    choose(
      [executor, buildPerson("cleo")],
      { now: Date.parse("2027-03-01T15:30:00Z") },
      request,
    ).candidates.find(({ id }) => id === "bea")?.reasons;

  it("quiet hours are a reason of the candidate, in its own time zone", () => {
    const quiet = expect.stringMatching(/22:00-07:00.*Asia\/Tokyo/) as string;
    expect(listReasons(bea)).toEqual([...listReasons(buildPerson("bea"))!, quiet]);
    expect(listReasons({ ...bea, time_zone: "UTC" })).toEqual(listReasons(buildPerson("bea")));
  });

  it("quiet hours are no reason if the request is urgent", () => {
    expect(listReasons(bea, { priority: "urgent" })).toEqual(listReasons(buildPerson("bea")));
  });
});

it("each step has the time that the household has set for the priority", () => {
  const config = { rules: [], ladder: { elevated: 7 } };
  const getSecondsFor = (priority: Priority) =>
    choose([buildPerson("bea")], {}, { priority }, config).rung_seconds;

  expect(getSecondsFor("elevated")).toBe(7);
  expect(getSecondsFor("normal")).toBe(1_800);
});
