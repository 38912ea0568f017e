/**
 * Parts of `config` that conformance cases do not cover: reading written configurations, and the content of warnings.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readConfig } from "../../../src/mess/config/config.ts";
import { readEscalationTimeouts } from "../../../src/mess/config/dispatch.ts";
import { readExecutor, writeExecutor } from "../../../src/mess/config/executor.ts";
import { readRouting, writeRouting } from "../../../src/mess/config/routing-rules.ts";

it("a warning about an unknown strategy names its rule by number", () => {
  const outcome = readConfig({ routing: [{ prefer: ["ada"] }, { prefer: "best_mood" }] });

  expect(outcome.ok && outcome.value.warnings).toEqual([expect.stringMatching(/\b2\b/)]);
});

it("the times of the escalation steps are read as seconds by priority", () => {
  const ladder = { urgent: "90s", normal: "PT1H", background: "1d" };

  expect(readEscalationTimeouts({ ladder })).toEqual({
    urgent: 90,
    normal: 3_600,
    background: 86_400,
  });
  expect(readEscalationTimeouts({})).toBeUndefined();
});

describe("a configuration that was read and written", () => {
  const name = fc
    .stringMatching(/^[a-z][a-z0-9-]{0,11}$/)
    .filter((word) => !/^(id|remove)$/.test(word));
  const executor = fc.record(
    {
      name,
      kind: fc.constantFrom("person", "machine"),
      capabilities: fc.array(
        fc.oneof(
          name,
          fc.tuple(name, fc.nat()).map(([id, n]) => ({ [id]: { n } })),
        ),
      ),
      access: fc.array(name),
      schedule: fc.constantFrom("0 8-20 * * *", "06:00-07:00"),
      time_zone: fc.constantFrom("UTC", "Europe/Rome"),
      lease: fc.constantFrom("PT1H", "P2D"),
      capacity: fc.integer({ min: 1, max: 9 }),
      min_priority: fc.constantFrom("background", "urgent"),
      quiet_hours: fc.constantFrom("22:00-07:00", "12:30-13:15"),
      notify: fc.dictionary(name, fc.string()),
      "x-colour": fc.string(),
    },
    { requiredKeys: [] },
  );

  it("an executor that was read and written reads the same", () => {
    fc.assert(
      fc.property(executor, (fields) => {
        const first = readExecutor("one", fields, "config");
        if (!first.ok) throw new Error(first.error.message);
        expect(readExecutor("one", writeExecutor(first.value), "config")).toEqual(first);
      }),
    );
  });

  it("routing that was read and written reads the same", () => {
    const prefer = fc.oneof(fc.array(name), fc.constantFrom("lower_latency", "mood"));
    const routing = fc.record(
      { rules: fc.array(fc.record({ prefer })), default: fc.array(name), note: fc.string() },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(routing, (fields) => {
        const first = readRouting(fields);
        if (!first.ok) throw new Error(first.error.message);
        expect(readRouting(writeRouting(first.value!.config))).toEqual(first);
      }),
    );
  });
});
