import { describe, expect, it } from "vitest";
import type {
  Executor,
  RouteContext,
  RouteRequest,
  RoutingConfig,
} from "../../../src/mess/routing/routing.ts";
import { ask, ids, NOON, person } from "./routing-support.ts";

const choose = (
  executors: Executor[],
  context: Partial<RouteContext> = {},
  request: RouteRequest = {},
  config: RoutingConfig = { rules: [] },
) => ask(request, executors, config, context);

/**
 * Bea has the hindrance, and Cleo has none: Bea is passed over for the reason, but asked when she is alone.
 * @param mentions what the reason must name
 */
function yields(
  bea: Executor,
  mentions: string[],
  context: Partial<RouteContext> = {},
  request: RouteRequest = {},
): void {
  const found = choose([bea, person("cleo")], context, request);
  expect(ids(found)).toEqual(["cleo"]);
  expect(found.passed_over).toEqual([{ id: "bea", reason: expect.stringMatching(/\w/) }]);
  const { reason } = found.passed_over[0]!;
  for (const value of mentions) expect(reason).toContain(value);

  const alone = choose([bea], context, request);
  expect(ids(alone)).toEqual(["bea"]);
  const explained = alone.candidates[0]!.reasons.filter((each) => each.includes(reason));
  expect(explained).toHaveLength(1);
  expect(explained[0]!.length).toBeGreaterThan(reason.length);
}

describe("who is passed over while somebody else can be asked", () => {
  it("holds as many threads as it can", () => {
    const bea = person("bea", { capacity: 2 });
    yields(bea, ["2"], { load: { bea: 2 } });
    yields(bea, ["5", "2"], { load: { bea: 5 } });
    expect(ids(choose([bea, person("cleo")], { load: { bea: 1 } }))).toEqual(["bea", "cleo"]);
    expect(ids(choose([person("bea"), person("cleo")], { load: { bea: 99 } }))).toHaveLength(2);
  });

  it("is away, until it comes back", () => {
    const bea = person("bea");
    yields(bea, [], { away: { bea: null } });
    yields(bea, ["2027-03-01T14:00:00+01:00"], {
      zone: "Europe/Berlin",
      away: { bea: NOON + 3_600_000 },
    });
    expect(ids(choose([bea, person("cleo")], { away: { bea: NOON } }))).toEqual(["bea", "cleo"]);
  });

  it("is away only if it is when the work may begin", () => {
    const request = { constraints: { timing: { not_before: "2027-03-02T12:00:00Z" } } };
    const away = { bea: NOON + 3_600_000 };
    expect(ids(choose([person("bea"), person("cleo")], { away }, request))).toEqual([
      "bea",
      "cleo",
    ]);
  });

  it("wants only what is urgent enough", () => {
    const bea = person("bea", { min_priority: "elevated" });
    yields(bea, ["elevated"]);
    yields(bea, ["elevated"], {}, { priority: "background" });
    for (const priority of ["elevated", "urgent"] as const)
      expect(ids(choose([bea, person("cleo")], {}, { priority }))).toEqual(["bea", "cleo"]);
  });

  it("is there on demand", () => {
    yields(person("bea", { availability: "on_demand" }), []);
  });

  it("tells all its reasons", () => {
    const reasonOf = (fields: Partial<Executor>, context: Partial<RouteContext> = {}) =>
      choose([person("bea", fields), person("cleo")], context).passed_over[0]!.reason;
    const full = reasonOf({ capacity: 1 }, { load: { bea: 1 } });
    const choosy = reasonOf({ min_priority: "urgent" });
    const away = reasonOf({}, { away: { bea: null } });

    const all = reasonOf(
      { capacity: 1, min_priority: "urgent" },
      { load: { bea: 1 }, away: { bea: null } },
    );

    expect(new Set([full, choosy, away]).size).toBe(3);
    for (const reason of [full, choosy, away]) expect(all).toContain(reason);
  });
});

describe("who is there on demand", () => {
  const onDemand = person("bea", { availability: "on_demand" });

  it("is asked before those who said not to be", () => {
    const found = choose([onDemand, person("cleo")], { away: { cleo: null } });
    expect(ids(found)).toEqual(["bea"]);
    expect(found.passed_over.map(({ id }) => id)).toEqual(["cleo"]);
  });

  it("is asked like anybody where a rule that matches names it", () => {
    const rules = [{ match: { urgency: "urgent" }, prefer: ["bea"] }];
    const urgent = choose([onDemand, person("cleo")], {}, { priority: "urgent" }, { rules });
    expect(urgent.candidates.map(({ id, rung }) => [id, rung])).toEqual([
      ["bea", 1],
      ["cleo", 2],
    ]);
    expect(ids(choose([onDemand, person("cleo")], {}, {}, { rules }))).toEqual(["cleo"]);
  });
});

describe("quiet hours", () => {
  const bea = person("bea", { quiet_hours: "22:00-07:00", time_zone: "Asia/Tokyo" });
  const reasons = (executor: Executor, request: RouteRequest = {}) =>
    choose(
      [executor, person("cleo")],
      { now: Date.parse("2027-03-01T15:30:00Z") },
      request,
    ).candidates.find(({ id }) => id === "bea")?.reasons;

  it("pass nobody over, and are told, on the executor's own clock", () => {
    const quiet = expect.stringMatching(/22:00-07:00.*Asia\/Tokyo/) as string;
    expect(reasons(bea)).toEqual([...reasons(person("bea"))!, quiet]);
    expect(reasons({ ...bea, time_zone: "UTC" })).toEqual(reasons(person("bea")));
  });

  it("do not hold back what is urgent", () => {
    expect(reasons(bea, { priority: "urgent" })).toEqual(reasons(person("bea")));
  });
});

describe("the time of a rung", () => {
  it.each([
    ["urgent", 120],
    ["elevated", 600],
    ["normal", 1_800],
    ["background", 14_400],
  ] as const)("for %s is %i seconds unless the household says otherwise", (priority, seconds) => {
    expect(choose([person("bea")], {}, { priority }).rung_seconds).toBe(seconds);
    const config = { rules: [], ladder: { [priority]: 7 } };
    expect(choose([person("bea")], {}, { priority }, config).rung_seconds).toBe(7);
  });

  it("goes by the urgency too (decision 41)", () => {
    const request: RouteRequest = { constraints: { timing: { urgency: "now" } } };
    expect(choose([person("bea")], {}, request).rung_seconds).toBe(120);
  });
});
