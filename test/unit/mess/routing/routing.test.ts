/** Reasons in a route, and properties of every route. The conformance cases show the candidates. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  listClaims,
  readCapabilityClaim,
  getUnmetReason,
} from "../../../../src/mess/routing/capabilities.ts";
import type { Capability } from "../../../../src/mess/wire/schema.ts";
import { requestFields, listIds, buildMachine, NOON, buildPerson } from "./routing-support.ts";

const findReason = (found: { passed_over: { id: string; reason: string }[] }, id: string) =>
  found.passed_over.find((one) => one.id === id)?.reason;

describe("reasons of a route", () => {
  it("a candidate's reasons name its capabilities, and the reason to pass over an executor names what it lacks", () => {
    const found = requestFields({ requires: ["Mow_Lawn", "drive"] }, [
      buildPerson("ada", { capabilities: ["mow-lawn", "Drive"] }),
      buildPerson("ben", { capabilities: ["mow-lawn"] }),
    ]);

    expect(found.candidates[0]!.reasons).toEqual([
      expect.stringMatching(/\bmow-lawn\b.*\bdrive\b/),
    ]);
    expect(findReason(found, "ben")).toMatch(/\bdrive\b/);
    expect(findReason(found, "ben")).not.toContain("mow-lawn");
  });

  it("a reason to pass over names the metadata that does not match, required and offered", () => {
    const found = requestFields({ requires: [{ mop: { areas: ["attic"] } }] }, [
      buildMachine("mopper", { capabilities: [{ mop: { areas: ["hall", "bath"] } }] }),
    ]);

    expect(findReason(found, "mopper")).toMatch(
      /\bmop\b.*\bareas\b.*\battic\b.*\bhall\b.*\bbath\b/,
    );
  });

  it("the reason of a member that a rule prefers names the rule by number", () => {
    const config = { rules: [{ match: { capability: "mop" }, prefer: ["zapper", "mopper"] }] };
    const found = requestFields(
      { requires: ["mop"] },
      ["ada", "mopper"].map((id) => buildPerson(id, { capabilities: ["mop"] })),
      config,
    );

    const [mopper, ada] = found.candidates.map(({ reasons }) => reasons);
    expect(mopper).toEqual([...ada!, expect.stringMatching(/\b1\b/)]);
  });

  it("the reasons of the default name what it lacks, and that it is a candidate anyway", () => {
    const members = [buildPerson("ada"), buildPerson("ben")];
    const found = requestFields({ requires: ["juggle"] }, members, { rules: [], default: ["ben"] });

    expect(found.candidates[0]!.reasons).toContainEqual(expect.stringMatching(/\bjuggle\b/));
    expect(found.candidates[0]!.reasons).not.toContain(findReason(found, "ada"));
  });

  it("a reason to pass over names the hours, also if no other executor is available", () => {
    const owl = buildPerson("owl", { schedule: "22:00-05:00" });

    const passed = findReason(requestFields({}, [owl, buildPerson("ada")]), "owl");
    const alone = requestFields({}, [owl]).candidates[0]!;

    expect(passed).toContain("22:00-05:00");
    expect(alone.reasons).toContainEqual(expect.stringContaining("22:00-05:00"));
    expect(alone.reasons).not.toContain(passed);
  });
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

  it("any route names every executor once, as a candidate or as passed over, with a reason", () => {
    fc.assert(
      fc.property(asking, ([requires, everyone, config, requestor]) => {
        const found = requestFields({ requires }, everyone, config, { requestor, ...busy });
        const named = [...listIds(found), ...found.passed_over.map(({ id }) => id)];
        expect(named.toSorted()).toEqual(everyone.map(({ id }) => id).toSorted());
        expect(found.passed_over.every(({ reason }) => reason.length > 0)).toBe(true);
        expect(found.candidates.every(({ reasons }) => reasons.length > 0)).toBe(true);
        expect(listIds(found)).not.toContain(requestor);
      }),
    );
  });

  it("any route contains only members that meet the requirements, except for the default", () => {
    fc.assert(
      fc.property(asking, ([requires, everyone, config, requestor]) => {
        const found = requestFields({ requires }, everyone, config, { requestor });
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

  it("any route has a candidate if any executor is capable, however inconvenient", () => {
    fc.assert(
      fc.property(asking, ([requires, everyone, config, requestor]) => {
        const plain = everyone.map(({ id, kind, capabilities }) => ({ id, kind, capabilities }));
        const found = requestFields({ requires }, everyone, config, { requestor, ...busy });
        const free = requestFields({ requires }, plain, config, { requestor });
        expect(found.candidates.length > 0).toBe(free.candidates.length > 0);
        expect(listIds(free)).toEqual(expect.arrayContaining(listIds(found)));
      }),
    );
  });

  it("any route is the same in any order of the executors", () => {
    fc.assert(
      fc.property(asking, ([requires, everyone, config, requestor]) => {
        const context = { requestor, ...busy };
        const found = requestFields({ requires }, everyone, config, context);
        expect(requestFields({ requires }, everyone.toReversed(), config, context)).toEqual(found);
      }),
    );
  });
});
