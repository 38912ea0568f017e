import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readConfig } from "../../../src/mess/config/config.ts";
import { readEscalationTimeouts } from "../../../src/mess/config/dispatch.ts";
import { readExecutor, writeExecutor } from "../../../src/mess/config/executor.ts";
import { readRouting, writeRouting } from "../../../src/mess/config/routing-rules.ts";
import type { JsonMap } from "../../../src/mess/json.ts";

const read = (block: JsonMap) => {
  const outcome = readConfig(block);
  if (!outcome.ok) throw new Error(JSON.stringify(outcome.error));
  return outcome.value;
};

const refusal = (block: JsonMap) => {
  const outcome = readConfig(block);
  return outcome.ok ? undefined : { code: outcome.error.code, path: outcome.error.path };
};

describe("executors", () => {
  it("come one at a time, one by one (protocol §7.4)", () => {
    const { executors } = read({
      executor: {
        id: "garden-hand",
        name: "Garden hand",
        capabilities: ["Pull_Weeds", { capability: "prune", level: "expert" }],
        availability: "schedule",
        schedule: "0 9-17 * * mon-fri",
      },
    });
    expect(executors).toEqual([
      {
        id: "garden-hand",
        name: "Garden hand",
        kind: "person",
        capabilities: ["pull-weeds", { prune: { level: "expert" } }],
        availability: "schedule",
        schedule: "0 9-17 * * mon-fri",
      },
    ]);
  });

  it("come as a map by id, as in a configuration file, with what is not ours kept", () => {
    const { executors } = read({
      executors: {
        mower: {
          capabilities: ["mow"],
          access: "yard/front",
          notify: { webhook: "https://mower.example/tasks", secret: "s" },
          colour: { body: "green" },
        },
        ada: { hours: "07:30-21:00", time_zone: "Europe/Rome", lease: "45m", notify: { sms: 1 } },
      },
    });
    expect(executors).toEqual([
      {
        id: "mower",
        kind: "machine",
        capabilities: ["mow"],
        access: ["yard/front"],
        notify: { webhook: "https://mower.example/tasks", secret: "s" },
        extra: { colour: { body: "green" } },
      },
      {
        id: "ada",
        kind: "person",
        capabilities: [],
        schedule: "07:30-21:00",
        time_zone: "Europe/Rome",
        lease: 2_700,
        notify: { sms: 1 },
      },
    ]);
  });

  it.each([
    [{ notify: { mcp: "x" } }, "machine"],
    [{ notify: [{ slack: "x" }, { webhook: "x" }] }, "machine"],
    [{ notify: { webhook: "x" }, kind: "human" }, "person"],
    [{ kind: "robot" }, "machine"],
    [{}, "person"],
  ])("%j is a %s", (fields, kind) => {
    expect(read({ executors: { one: fields } }).executors[0]!.kind).toBe(kind);
  });

  it("are taken out by null or remove", () => {
    const { removals, executors } = read({
      executors: { mower: null },
      executor: { id: "ada", remove: true },
    });
    expect(removals).toEqual(["ada", "mower"]);
    expect(executors).toEqual([]);
  });

  it.each<[JsonMap, string, string]>([
    [{ executor: { name: "nameless" } }, "missing_field", "config.executor"],
    [{ executor: { id: "exchange" } }, "reserved_id", "config.executor"],
    [{ executors: { last: {} } }, "reserved_id", "config.executors.last"],
    [{ executors: { Ada: {} } }, "bad_field", "config.executors.Ada"],
    [{ executors: { ["a".repeat(65)]: {} } }, "bad_field", `config.executors.${"a".repeat(65)}`],
    [{ executors: 7 }, "bad_field", "config.executors"],
    [{ executors: { ada: 7 } }, "bad_field", "config.executors.ada"],
    [{ executors: { ada: { schedule: "daily" } } }, "bad_field", "config.executors.ada.schedule"],
    [
      { executors: { ada: { availability: "schedule" } } },
      "missing_field",
      "config.executors.ada.schedule",
    ],
    [
      { executors: { ada: { time_zone: "Mars/Olympus" } } },
      "bad_field",
      "config.executors.ada.time_zone",
    ],
    [{ executors: { ada: { lease: "0m" } } }, "bad_field", "config.executors.ada.lease"],
    [{ executors: { ada: { kind: "ghost" } } }, "bad_field", "config.executors.ada.kind"],
    [{ executors: { ada: { capacity: 0 } } }, "bad_field", "config.executors.ada.capacity"],
    [{ executors: { ada: { capacity: "some" } } }, "bad_field", "config.executors.ada.capacity"],
    [
      { executors: { ada: { min_priority: "high" } } },
      "bad_field",
      "config.executors.ada.min_priority",
    ],
    [
      { executors: { ada: { quiet_hours: "0 22 * * *" } } },
      "bad_field",
      "config.executors.ada.quiet_hours",
    ],
    [{ executor: [{ id: "ada" }, "ben"] }, "bad_field", "config.executor[1]"],
  ])("%j is refused with %s at %s", (block, code, path) => {
    expect(refusal(block)).toEqual({ code, path });
  });
});

describe("routing (decision 49)", () => {
  const config = {
    rules: [
      { match: { capability: "deep-clean" }, prefer: ["mopper"] },
      { match: { urgency: "now" }, prefer: "lower_latency" },
    ],
    default: ["ada"],
  };

  it.each<[string, JsonMap]>([
    [
      "a list with default",
      {
        routing: [
          { match: { capability: "Deep_Clean" }, prefer: ["mopper"] },
          { match: { urgency: "now" }, prefer: "lower_latency" },
          { default: { prefer: ["ada"] } },
        ],
      },
    ],
    [
      "rules",
      {
        routing: {
          rules: [
            { match: { capability: "deep clean" }, prefer: ["mopper"] },
            { match: { urgency: "now" }, prefer: "lower_latency" },
          ],
          default: "ada",
        },
      },
    ],
  ])("is read the same as %s", (_form, block) => {
    expect(read(block).routing).toEqual(config);
  });

  it("is left alone when the block has none, and emptied by null", () => {
    expect(read({}).routing).toBeUndefined();
    expect(read({ routing: null }).routing).toEqual({ rules: [] });
  });

  it("warns of an unknown strategy", () => {
    const { routing, warnings } = read({ routing: [{ prefer: "best_mood" }] });
    expect(routing).toEqual({ rules: [{ match: {}, prefer: "best_mood" }] });
    expect(warnings).toHaveLength(1);
    // The rule is named by its number.
    expect(warnings[0]).toMatch(/\b1\b/);
  });

  it.each<[JsonMap, string]>([
    [{ routing: "ada" }, "config.routing"],
    [{ routing: [{ match: { mood: "good" }, prefer: ["ada"] }] }, "config.routing.0"],
    [{ routing: { rules: [{ match: {}, prefer: 7 }] } }, "config.routing.rules.0"],
  ])("%j is refused at %s", (block, path) => {
    const found = refusal(block)!;
    expect(found.code).toBe("bad_field");
    expect(found.path!.startsWith(path)).toBe(true);
  });
});

describe("the rest of a block", () => {
  it("describes capabilities as a list or by id", () => {
    const list = [{ id: "Mow_Lawn", description: "Cut the grass", tags: ["garden"] }, "zap"];
    const byId = { mow_lawn: { description: "Cut the grass", tags: ["garden"] }, zap: null };
    const expected = [
      { id: "mow-lawn", description: "Cut the grass", tags: ["garden"] },
      { id: "zap" },
    ];
    expect(read({ capabilities: list }).capabilities).toEqual(expected);
    expect(read({ capabilities: byId }).capabilities).toEqual(expected);
    expect(refusal({ capabilities: [{ tags: ["x"] }] })).toEqual({
      code: "bad_field",
      path: "config.capabilities[0]",
    });
  });

  it("sets the name and the time zone of the household", () => {
    expect(read({ settings: { name: "Nest", time_zone: "Asia/Tokyo" } }).settings).toEqual({
      name: "Nest",
      time_zone: "Asia/Tokyo",
    });
    expect(refusal({ settings: { time_zone: "Nowhere" } })).toEqual({
      code: "bad_field",
      path: "config.settings.time_zone",
    });
  });

  it("keeps what is not ours", () => {
    const other = { agent: "scout", settings: { floor: 3 } };
    expect(read({ ...other, executors: {} }).other).toEqual(other);
    const entry = { id: "mow", needs: ["fuel"] };
    expect(read({ capabilities: [entry] }).capabilities).toEqual([entry]);
  });
});

describe("written again", () => {
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

  it("an executor is the same", () => {
    fc.assert(
      fc.property(executor, (fields) => {
        const first = readExecutor("one", fields, "config");
        if (!first.ok) throw new Error(first.error.message);
        expect(readExecutor("one", writeExecutor(first.value), "config")).toEqual(first);
      }),
    );
  });

  it("routing is the same", () => {
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

describe("the last rule of a configuration file", () => {
  it.each<[string, JsonMap]>([
    ["below default", { default: { prefer: ["ann"] } }],
    ["beside default, as it is indented there", { default: null, prefer: ["ann"] }],
    ["as default itself", { default: ["ann"] }],
  ])("names the default: %s", (_how, last) => {
    const rule = { match: { capability: "clean" }, prefer: ["roomba"] };
    expect(read({ routing: [rule, last] }).routing).toEqual({ rules: [rule], default: ["ann"] });
  });
});

describe("dispatch", () => {
  it("is taken as it is written, channel by channel", () => {
    const dispatch = { slack: { bot_token: "${SLACK_BOT_TOKEN}" }, telegram: null, matrix: 1 };
    expect(read({ dispatch }).dispatch).toEqual(dispatch);
    expect(read({ executors: {} }).dispatch).toBeUndefined();
  });

  it("says how long a rung has, in seconds by priority", () => {
    const ladder = { urgent: "90s", normal: "PT1H", background: "1d" };
    expect(readEscalationTimeouts(read({ dispatch: { ladder } }).dispatch!)).toEqual({
      urgent: 90,
      normal: 3_600,
      background: 86_400,
    });
    expect(readEscalationTimeouts({})).toBeUndefined();
  });

  it.each<[JsonMap, string, string]>([
    [{ dispatch: "slack" }, "bad_field", "config.dispatch"],
    [{ dispatch: { ladder: "2m" } }, "bad_field", "config.dispatch.ladder"],
    [{ dispatch: { ladder: { soon: "2m" } } }, "bad_field", "config.dispatch.ladder.soon"],
    [{ dispatch: { ladder: { urgent: 2 } } }, "bad_duration", "config.dispatch.ladder.urgent"],
    [{ dispatch: { ladder: { urgent: "PT0S" } } }, "bad_duration", "config.dispatch.ladder.urgent"],
  ])("%j is refused", (block, code, path) => {
    expect(refusal(block)).toEqual({ code, path });
  });
});
