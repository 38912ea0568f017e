import { describe, expect, it } from "vitest";
import {
  buildObservationText,
  getJoinableSeconds,
  readObservation,
} from "../../../../src/mess/routing/observations.ts";
import { readRequest } from "../../../../src/mess/wire/read-request.ts";
import type { JsonMap } from "../../../../src/mess/json.ts";

const NOW = Date.parse("2031-05-04T08:00:00Z");
const LOOK: JsonMap = { intent: "What is in the fridge?", requires: ["take-photo"] };

function request(change: JsonMap = {}) {
  const read = readRequest({ ...LOOK, ...change }, []);
  if (!read.ok) throw new Error(JSON.stringify(read.error));
  return read.value;
}

/** Seconds for which an answer is valid; undefined if the second request must be offered to executors. */
function getJoinSecondsOf(second: JsonMap, first: JsonMap = {}): number | undefined {
  const [one, other] = [request(first), request(second)];
  if (buildObservationText(one) !== buildObservationText(other)) return undefined;
  return getJoinableSeconds(readObservation(one, NOW, "UTC"), readObservation(other, NOW, "UTC"));
}

describe("a request for an observation", () => {
  it.each<[string, JsonMap]>([
    ["a photo", {}],
    ["a check that needs access", { requires: ["check-visual", "home-kitchen-access"] }],
    ["a measurement", { requires: [{ "measure-temperature": { unit: "C" } }] }],
    ["any request with coalesce", { requires: ["carry"], coalesce: "yes" }],
  ])("a request for an observation is %s", (_name, change) => {
    expect(buildObservationText(request(change))).toBeDefined();
  });

  it.each<[string, JsonMap]>([
    ["a capability that changes something", { requires: ["take-photo", "carry"] }],
    ["access alone", { requires: ["home-kitchen-access"] }],
    ["no requirements", { requires: [] }],
    ["coalesce: false", { coalesce: false }],
    ["a dependency", { constraints: { depends_on: ["other"] } }],
    ["confirm_before", { confirm_before: true }],
    ["compensation", { compensation: "5 EUR" }],
    ["a file", { context: [{ image: { file: "shelf.jpg" } }] }],
  ])("a request is not an observation with %s", (_name, change) => {
    expect(buildObservationText(request(change))).toBeUndefined();
  });
});

describe("requests for the same observation", () => {
  it.each<[string, JsonMap]>([
    ["case, spaces and punctuation", { intent: "  what is  in the FRIDGE " }],
    ["its own id", { id: "fridge" }],
    ["a lower priority", { priority: "background" }],
  ])("requests for the same observation may differ in %s", (_name, change) => {
    expect(getJoinSecondsOf(change)).toBe(0);
  });

  it.each<[string, JsonMap]>([
    ["words", { intent: "What is in the freezer?" }],
    ["a number's sign", { intent: "What is in the fridge at -5?" }],
    ["capabilities", { requires: ["check-visual"] }],
    ["place", { constraints: { location: "garage" } }],
    ["the response hints", { response_hint: ["video"] }],
    ["context, which the second requestor would see", { context: ["We suspect the mice."] }],
    ["not_before", { constraints: { timing: { not_before: "2031-05-05T08:00:00Z" } } }],
    ["a higher priority", { priority: "urgent" }],
    ["a deadline that the first lacks", { needed_by: "2031-05-04T09:00:00Z" }],
  ])("requests that differ in %s are for different observations", (_name, change) => {
    expect(getJoinSecondsOf(change)).toBeUndefined();
  });

  it("the numbers -5 and 5, and 3.5 and 35, make different observations", () => {
    expect(getJoinSecondsOf({ intent: "below -5?" }, { intent: "below 5?" })).toBeUndefined();
    expect(getJoinSecondsOf({ intent: "is it 3.5?" }, { intent: "is it 3 5?" })).toBeUndefined();
  });

  it("a joined observation keeps its deadline if the first request ends no later", () => {
    const first = { constraints: { timing: { expires: "1h" } } };
    expect(getJoinSecondsOf({ needed_by: "2031-05-04T09:30:00Z" }, first)).toBe(0);
    expect(getJoinSecondsOf({ needed_by: "2031-05-04T08:30:00Z" }, first)).toBeUndefined();
  });

  it("a joined observation is valid as long as the second request states, else the first", () => {
    expect(getJoinSecondsOf({}, { validity: "1h" })).toBe(3_600);
    expect(getJoinSecondsOf({}, { constraints: { timing: { valid_for: "PT2H" } } })).toBe(7_200);
    expect(getJoinSecondsOf({ validity: "5m" }, { validity: "1h" })).toBe(300);
  });
});
