import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  listClaims,
  readCapabilityClaim,
  getUnmetReason,
} from "../../../src/mess/routing/capabilities.ts";
import type { RouteRequest } from "../../../src/mess/routing/routing.ts";
import type { Capability } from "../../../src/mess/wire/schema.ts";
import { ask, ids, machine, NOON, person } from "./routing-support.ts";

const reasonFor = (found: { passed_over: { id: string; reason: string }[] }, id: string) =>
  found.passed_over.find((one) => one.id === id)?.reason;

describe("filtering by capability (decisions 46 and 48)", () => {
  it("asks those who claim everything that is required, in any spelling", () => {
    const found = ask({ requires: ["Mow_Lawn", "drive"] }, [
      person("ada", { capabilities: ["mow-lawn", "Drive"] }),
      person("ben", { capabilities: ["mow-lawn"] }),
    ]);
    expect(ids(found)).toEqual(["ada"]);
    expect(found.by).toBe("capability");
    expect(found.requires).toEqual(["mow-lawn", "drive"]);
    expect(reasonFor(found, "ben")).toMatch(/\bdrive\b/);
    expect(reasonFor(found, "ben")).not.toContain("mow-lawn");
    expect(found.candidates[0]!.reasons).toEqual([
      expect.stringMatching(/\bmow-lawn\b.*\bdrive\b/),
    ]);
  });

  it("counts an area as a capability to get in (decision 47)", () => {
    const found = ask({ requires: ["barn-hay_loft-access"] }, [
      person("ada", { access: ["barn/hay_loft"] }),
      person("ben", { access: ["barn"] }),
    ]);
    expect(ids(found)).toEqual(["ada"]);
  });

  it("asks everybody when nothing is required", () => {
    expect(ids(ask({}, [person("ada"), machine("mower")]))).toEqual(["ada", "mower"]);
  });

  it("never asks the requestor", () => {
    const found = ask({}, [person("ada"), person("ben")], { rules: [] }, { requestor: "ada" });
    expect(ids(found)).toEqual(["ben"]);
    expect(reasonFor(found, "ada")).toMatch(/\w/);
  });
});

describe("filtering by metadata (decision 47)", () => {
  const fits = (asked: Capability, offered: Capability) =>
    ids(ask({ requires: [asked] }, [person("ada", { capabilities: [offered] })])).length === 1;

  it.each<[Capability, Capability, boolean]>([
    [{ print: { material: "PLA" } }, { print: { material: "pla" } }, true],
    [{ print: { material: "pla" } }, { print: { material: "abs" } }, false],
    [{ print: { material: "pla" } }, { print: { material: ["abs", "pla"] } }, true],
    [{ print: { material: ["pla", "petg"] } }, { print: { material: ["abs", "petg"] } }, true],
    [{ print: { material: ["pla", "petg"] } }, { print: { material: ["abs"] } }, false],
    [{ print: { material: "pla" } }, { print: { nozzle: 0.4 } }, true],
    [{ print: { material: "pla" } }, "print", true],
    ["print", { print: { material: "pla" } }, true],
    [{ print: { nozzle: 0.4 } }, { print: { nozzle: "0.4" } }, true],
    [{ print: "expert" }, { print: "novice" }, false],
    [{ print: { size: { x: 1 } } }, { print: { size: { x: 2 } } }, true],
  ])("asked %j, offered %j: %s", (asked, offered, expected) => {
    expect(fits(asked, offered)).toBe(expected);
  });

  it("says what does not fit", () => {
    const found = ask({ requires: [{ mop: { areas: ["attic"] } }] }, [
      machine("mopper", { capabilities: [{ mop: { areas: ["hall", "bath"] } }] }),
    ]);
    expect(reasonFor(found, "mopper")).toMatch(/\bmop\b.*\bareas\b.*\battic\b.*\bhall\b.*\bbath\b/);
  });
});

describe("rules (decisions 48 and 49)", () => {
  const everyone = [
    person("ada", { capabilities: ["mop"] }),
    machine("mopper", { capabilities: ["mop"] }),
    machine("zapper", { capabilities: ["zap"] }),
  ];

  it("rank those they prefer first, and exclude nobody who is capable", () => {
    const config = { rules: [{ match: { capability: "mop" }, prefer: ["zapper", "mopper"] }] };
    const found = ask({ requires: ["mop"] }, everyone, config);
    expect(found.candidates.map(({ id, rung }) => [id, rung])).toEqual([
      ["mopper", 1],
      ["ada", 2],
    ]);
    expect(found.by).toBe("rule");
    const [mopper, ada] = found.candidates.map(({ reasons }) => reasons);
    // Beside its capability, that the first rule prefers it.
    expect(mopper).toEqual([...ada!, expect.stringMatching(/\b1\b/)]);
    expect(reasonFor(found, "zapper")).toMatch(/\bmop\b/);
  });

  it.each<[RouteRequest, boolean]>([
    [{ requires: ["mop"], precision: "exact", priority: "urgent" }, true],
    [{ requires: ["mop"], precision: "exact", constraints: { timing: { urgency: "now" } } }, true],
    [{ requires: ["mop"], precision: "loose", priority: "urgent" }, false],
    [{ requires: ["mop"], precision: "exact" }, false],
    [{ precision: "exact", priority: "urgent" }, false],
    // decision 41
    [
      {
        requires: ["mop"],
        precision: "exact",
        priority: "normal",
        constraints: { timing: { urgency: "now" } },
      },
      false,
    ],
  ])("apply when all that they give matches: %j: %s", (request, applies) => {
    const match = { capability: "mop", urgency: "now", precision: "exact" };
    const found = ask(request, everyone, { rules: [{ match, prefer: ["mopper"] }] });
    expect(found.by).toBe(applies ? "rule" : "capability");
  });

  it("may prefer machines for their speed, or the most skilled", () => {
    const fast = { rules: [{ match: {}, prefer: "lower_latency" }] };
    expect(ids(ask({ requires: ["mop"] }, everyone, fast))).toEqual(["mopper", "ada"]);

    const precise = { rules: [{ match: {}, prefer: "Higher-Precision" }] };
    const carvers = [
      person("ada", { capabilities: [{ carve: { level: "novice" } }] }),
      person("ben", { capabilities: [{ carve: { level: "expert" } }] }),
      person("cleo", { capabilities: ["carve", { sing: { level: 9 } }] }),
    ];
    expect(ids(ask({ requires: ["carve"] }, carvers, precise))).toEqual(["ben", "ada", "cleo"]);
  });

  it("with an unknown strategy are ignored with a warning", () => {
    const config = { rules: [{ match: {}, prefer: "best_mood" }] };
    const found = ask({ requires: ["mop"] }, everyone, config);
    expect(ids(found)).toEqual(["ada", "mopper"]);
    expect(found.by).toBe("capability");
    expect(found.warnings).toEqual([expect.stringMatching(/\b1\b/)]);
  });
});

describe("the default", () => {
  const everyone = [person("ada"), person("ben"), machine("mopper", { capabilities: ["mop"] })];

  it("is asked when nobody is capable, and it says so", () => {
    const found = ask({ requires: ["juggle"] }, everyone, { rules: [], default: ["ben"] });
    expect(found.by).toBe("default");
    expect(ids(found)).toEqual(["ben"]);
    expect(found.candidates[0]!.reasons).toContainEqual(expect.stringMatching(/\bjuggle\b/));
    expect(found.candidates[0]!.reasons).not.toContain(reasonFor(found, "ada"));
    expect(found.passed_over.map(({ id }) => id)).toEqual(["ada", "mopper"]);
  });

  it("comes first when nothing is required", () => {
    const found = ask({}, everyone, { rules: [], default: ["ben"] });
    expect(found.by).toBe("default");
    expect(ids(found)).toEqual(["ben", "ada", "mopper"]);
  });

  it("leaves nobody when it names no member", () => {
    const found = ask({ requires: ["juggle"] }, everyone, { rules: [], default: ["gone"] });
    expect(found).toMatchObject({ by: "nobody", candidates: [] });
    expect(found.passed_over).toHaveLength(3);
  });
});

describe("availability (decision 44)", () => {
  const night = person("owl", { schedule: "22:00-05:00" });

  it("passes over who is out of hours while somebody else can be asked", () => {
    const found = ask({}, [night, person("ada")]);
    expect(ids(found)).toEqual(["ada"]);
    expect(reasonFor(found, "owl")).toContain("22:00-05:00");
  });

  it("asks them nevertheless when they are the only ones", () => {
    const found = ask({}, [night]);
    expect(ids(found)).toEqual(["owl"]);
    expect(found.candidates[0]!.reasons).toContainEqual(expect.stringContaining("22:00-05:00"));
  });

  it("is that of the moment before which the request must not start", () => {
    const later = { constraints: { timing: { not_before: "2027-03-01T23:00:00Z" } } };
    expect(ids(ask(later, [night, person("ada")]))).toEqual(["ada", "owl"]);
  });

  it("is read in the executor's zone, else the household's", () => {
    const kiritimati = { ...night, time_zone: "Pacific/Kiritimati" };
    expect(ids(ask({}, [kiritimati, person("ada")]))).toEqual(["ada", "owl"]);
    const found = ask({}, [night, person("ada")], { rules: [] }, { zone: "Pacific/Kiritimati" });
    expect(ids(found)).toEqual(["ada", "owl"]);
  });

  it("does not bind those who say that they are always there", () => {
    const always = { ...night, availability: "always" as const };
    expect(ids(ask({}, [always, person("ada")]))).toEqual(["ada", "owl"]);
  });
});

it("gives people two hours, machines a quarter, and others what they say (decision 30)", () => {
  const found = ask({}, [person("ada"), machine("mopper"), person("slow", { lease: 86_400 })]);
  expect(found.candidates.map(({ lease }) => lease)).toEqual([7_200, 900, 86_400]);
});

describe("any route", () => {
  const SKILLS = ["mop", "zap", "drive"];
  const capability: fc.Arbitrary<Capability> = fc.oneof(
    fc.constantFrom(...SKILLS),
    fc
      .tuple(fc.constantFrom(...SKILLS), fc.constantFrom("red", "blue"))
      .map(([id, colour]): Capability => ({ [id]: { colour } })),
  );
  const executor = fc.record(
    {
      id: fc.constantFrom("ada", "ben", "cleo", "dan", "eve", "fay"),
      kind: fc.constantFrom("person" as const, "machine" as const),
      capabilities: fc.array(capability, { maxLength: 3 }),
      schedule: fc.constantFrom("08:00-09:00", "0 12 * * *"),
      availability: fc.constantFrom("always" as const, "on_demand" as const),
      capacity: fc.constantFrom(1, 2),
      min_priority: fc.constantFrom("elevated" as const, "urgent" as const),
      quiet_hours: fc.constant("11:00-13:00"),
    },
    { requiredKeys: ["id", "kind", "capabilities"] },
  );
  const executors = fc.uniqueArray(executor, { selector: ({ id }) => id, maxLength: 6 });
  const members = fc.array(fc.constantFrom("ada", "ben", "cleo", "nobody"), { maxLength: 4 });
  const config = fc.record({
    rules: fc.array(
      fc.record({
        match: fc.record({ capability: fc.constantFrom(...SKILLS) }, { requiredKeys: [] }),
        prefer: fc.oneof(members, fc.constantFrom("lower_latency", "higher_precision", "mood")),
      }),
      { maxLength: 3 },
    ),
    default: members,
  });
  const requires = fc.array(capability, { maxLength: 2 });
  const asking = fc.tuple(requires, executors, config, fc.constantFrom("ada", "zoe"));
  const busy = { load: { ada: 1, cleo: 2 }, away: { ben: null, cleo: NOON + 60_000 } };

  it("names every executor once, as a candidate or as passed over, with a reason", () => {
    fc.assert(
      fc.property(asking, ([requires, everyone, config, requestor]) => {
        const found = ask({ requires }, everyone, config, { requestor, ...busy });
        const named = [...ids(found), ...found.passed_over.map(({ id }) => id)];
        expect(named.toSorted()).toEqual(everyone.map(({ id }) => id).toSorted());
        expect(found.passed_over.every(({ reason }) => reason.length > 0)).toBe(true);
        expect(found.candidates.every(({ reasons }) => reasons.length > 0)).toBe(true);
        expect(ids(found)).not.toContain(requestor);
      }),
    );
  });

  it("asks only who meets the requirements, unless it is the default", () => {
    fc.assert(
      fc.property(asking, ([requires, everyone, config, requestor]) => {
        const found = ask({ requires }, everyone, config, { requestor });
        for (const { id } of found.by === "default" && requires.length > 0
          ? []
          : found.candidates) {
          const claims = listClaims(everyone.find((one) => one.id === id)!);
          expect(
            requires.filter(
              (one) => getUnmetReason(readCapabilityClaim(one), claims) !== undefined,
            ),
          ).toEqual([]);
        }
      }),
    );
  });

  it("reaches somebody wherever somebody fits, however ill it suits them", () => {
    fc.assert(
      fc.property(asking, ([requires, everyone, config, requestor]) => {
        const plain = everyone.map(({ id, kind, capabilities }) => ({ id, kind, capabilities }));
        const found = ask({ requires }, everyone, config, { requestor, ...busy });
        const free = ask({ requires }, plain, config, { requestor });
        expect(found.candidates.length > 0).toBe(free.candidates.length > 0);
        expect(ids(free)).toEqual(expect.arrayContaining(ids(found)));
      }),
    );
  });

  it("does not depend on the order in which the executors come", () => {
    fc.assert(
      fc.property(asking, ([requires, everyone, config, requestor]) => {
        const context = { requestor, ...busy };
        const found = ask({ requires }, everyone, config, context);
        expect(ask({ requires }, everyone.toReversed(), config, context)).toEqual(found);
      }),
    );
  });
});
