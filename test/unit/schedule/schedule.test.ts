import { describe, expect, it } from "vitest";
import type { Json, JsonMap } from "../../../src/mess/json.ts";
import type { Route } from "../../../src/mess/routing/routing.ts";
import {
  buildFiringMessage,
  getNextRun,
  readSchedule,
  writeSchedule,
} from "../../../src/household/schedules/schedule.ts";
import { putFirst, takeTurn } from "../../../src/household/schedules/rotation.ts";

const TRASH: JsonMap = {
  cron: "0 19 * * mon",
  time_zone: "Europe/Berlin",
  request: { intent: "take the trash out", requires: ["carry"], priority: "elevated" },
  rotation: ["ann", "ben"],
  skip_if_open: false,
  until: "2031-12-31",
  paused: true,
};

const read = (fields: Json, id = "trash") => readSchedule({ id, by: "scout" }, fields, "UTC");
function readValidSchedule(fields: JsonMap) {
  const outcome = read(fields);
  if (!outcome.ok) throw new Error(JSON.stringify(outcome.error));
  return outcome.value;
}

describe("a schedule", () => {
  it("a schedule that was read and written reads the same", () => {
    expect(writeSchedule(readValidSchedule(TRASH))).toEqual(TRASH);
    expect(writeSchedule(readValidSchedule({ cron: "@daily", request: "sweep" }))).toEqual({
      cron: "@daily",
      request: { intent: "sweep" },
    });
  });

  it.each<[string, JsonMap]>([
    ["cron", { cron: "at noon" }],
    ["time_zone", { time_zone: "Europe/Nowhere" }],
    ["until", { until: "some day" }],
    ["rotation[1]", { rotation: ["ann", "last"] }],
    ["rotation", { rotation: [] }],
    ["every", { every: "day" }],
    ["request.intent", { request: { requires: ["carry"] } }],
    ["request.needed_by", { request: { intent: "x", needed_by: "2031-01-01T10:00:00Z" } }],
    [
      "request.constraints.timing.expires",
      { request: { intent: "x", constraints: { timing: { expires: "2031-01-01T10:00:00Z" } } } },
    ],
    ["request.context", { request: { intent: "x", context: [{ image: { file: "stain.jpg" } }] } }],
  ])("a schedule is refused for an error in %s", (path, change) => {
    const outcome = read({ ...TRASH, ...change });
    expect(outcome).toMatchObject({ ok: false, error: { path } });
  });

  it("a schedule is refused without a valid id", () => {
    expect(read(TRASH, "not an id")).toMatchObject({ ok: false, error: { path: "id" } });
  });

  it("a schedule uses its time zone, ends with until, and does not fire while it is paused", () => {
    const after = Date.parse("2031-06-01T00:00:00Z");
    const running = readValidSchedule({ ...TRASH, paused: false });
    expect(getNextRun(running, "UTC", after)).toBe(Date.parse("2031-06-02T17:00:00Z"));
    expect(getNextRun(readValidSchedule(TRASH), "UTC", after)).toBeUndefined();
    expect(getNextRun(running, "UTC", Date.parse("2031-12-30T00:00:00Z"))).toBeUndefined();
  });

  it("a schedule gives its id to a request without one", () => {
    expect(buildFiringMessage(readValidSchedule(TRASH)).blocks[0]?.body).toMatchObject({
      id: "trash",
    });
    const named = readValidSchedule({ cron: "@daily", request: { intent: "sweep", id: "own" } });
    expect(buildFiringMessage(named).blocks[0]?.body).toMatchObject({ id: "own" });
  });
});

const buildCandidate = (id: string, rung: number) => ({
  id,
  kind: "person" as const,
  lease: 7_200,
  rung,
  reasons: [],
});
const ROUTE: Route = {
  by: "rule",
  candidates: [buildCandidate("cleo", 1), buildCandidate("ann", 2), buildCandidate("ben", 2)],
  passed_over: [],
  requires: [],
  warnings: [],
};

describe("a turn of a rotation", () => {
  it("a turn puts its member alone on the first step, and keeps the order of the others", () => {
    const { candidates } = putFirst(ROUTE, "ben", "its turn");
    expect(candidates.map(({ id, rung }) => [id, rung])).toEqual([
      ["ben", 1],
      ["cleo", 2],
      ["ann", 3],
    ]);
    expect(candidates[0]?.reasons).toEqual(["its turn"]);
  });

  it.each([
    [undefined, "ann"],
    ["ann", "ben"],
    ["ben", "ann"],
    ["zoe", "ann"],
  ])("a turn follows the turn of %s", (last, next) => {
    expect(takeTurn(ROUTE, ["ann", "ben"], last, "").member).toBe(next);
  });

  it("a turn skips members that are not candidates, and prefers no one if the rotation has no candidate", () => {
    expect(takeTurn(ROUTE, ["dan", "ben"], undefined, "").member).toBe("ben");
    expect(takeTurn(ROUTE, ["dan"], undefined, "")).toEqual({ route: ROUTE });
  });
});
