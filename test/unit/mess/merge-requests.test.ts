import { describe, expect, it } from "vitest";
import type { JsonMap } from "../../../src/mess/json.ts";
import { readRequest } from "../../../src/mess/wire/read-request.ts";
import {
  type RequestInThread,
  buildPartRequest,
  mergeRequests,
} from "../../../src/mess/routing/merge-requests.ts";

const REFS = ["2031-05-05-001-onions", "2031-05-05-002-garlic"];

function buildRequestInThread(
  ref: string,
  fields: JsonMap,
  envelope: Partial<RequestInThread["envelope"]> = {},
): RequestInThread {
  const request = readRequest({ intent: ref.slice(15), ...fields }, []);
  if (!request.ok) throw new Error(JSON.stringify(request.error));
  return { envelope: { ref, priority: "normal", ...envelope }, request: request.value };
}

const pair = (one: JsonMap, other: JsonMap): RequestInThread[] => [
  buildRequestInThread(REFS[0]!, one),
  buildRequestInThread(REFS[1]!, other),
];

const mergePair = (one: JsonMap, other: JsonMap) => mergeRequests(pair(one, other), "buy both");

describe("a merged request", () => {
  it("a merged request quotes each request, after a reference to it", () => {
    expect(mergePair({ context: ["red"] }, {})).toEqual({
      intent: "buy both",
      priority: "normal",
      context: [{ ref: REFS[0] }, "onions", "red", { ref: REFS[1] }, "garlic"],
    });
  });

  it("a merged request refers to files of the other threads by their addresses", () => {
    const file = "att-000-image-shop.jpg";
    const { context } = mergePair({ context: [{ image: { file } }] }, {});
    expect(context).toContainEqual({ image: { resource: `content://${REFS[0]}/${file}` } });
  });

  it("a merged request requires everything once, with the highest precision", () => {
    const { requires, precision, response_hint } = mergePair(
      { requires: ["carry", { drive: { distance: 5, by: "bike" } }], precision: "exact" },
      {
        requires: [{ drive: { by: "bike", distance: 5 } }, "carry"],
        precision: "loose",
        response_hint: ["text"],
      },
    );
    expect(requires).toEqual(["carry", { drive: { distance: 5, by: "bike" } }]);
    expect([precision, response_hint]).toEqual(["exact", ["text"]]);
  });

  it("a merged request keeps a location that all share, and leaves different ones in the quoted requests", () => {
    expect(
      mergePair({ constraints: { location: "market" } }, { constraints: { location: "market" } }),
    ).toMatchObject({ constraints: { location: "market" } });
    expect(
      mergePair({ constraints: { location: "market" } }, { constraints: { location: "mall" } }),
    ).not.toHaveProperty("constraints");
  });

  it("a merged request has the highest priority and the earliest deadline", () => {
    const both = mergeRequests(
      [
        buildRequestInThread(
          REFS[0]!,
          {},
          { priority: "urgent", expires: "2031-05-06T01:00:00+02:00" },
        ),
        buildRequestInThread(
          REFS[1]!,
          {},
          { priority: "background", expires: "2031-05-06T00:30:00+00:00" },
        ),
      ],
      "buy both",
    );
    expect(both).toMatchObject({ priority: "urgent", needed_by: "2031-05-06T01:00:00+02:00" });
  });

  it("a merged request has the confirmations and compensations of all", () => {
    expect(mergePair({ confirm_before: true, compensation: "5 EUR" }, {})).toMatchObject({
      confirm_before: true,
      compensation: "5 EUR",
    });
    expect(mergePair({ compensation: "5 EUR" }, { compensation: "3 EUR" })).toMatchObject({
      compensation: ["5 EUR", "3 EUR"],
    });
  });

  it("a merged request depends on the dependencies of all, but not on the merged requests", () => {
    const both = mergeRequests(
      [
        buildRequestInThread(REFS[0]!, {}, { blocked_by: ["2031-05-05-009"] }),
        buildRequestInThread(REFS[1]!, {}, { blocked_by: [REFS[0]!, "2031-05-05-009"] }),
      ],
      "buy both",
    );
    expect(both.constraints).toEqual({ depends_on: ["2031-05-05-009"] });
  });
});

describe("a part of a split request", () => {
  const whole = buildRequestInThread(
    REFS[0]!,
    { constraints: { location: "market" }, confirm_before: true },
    { priority: "elevated", expires: "2031-05-06T00:00:00+00:00" },
  );

  it("a part of a split request inherits the fields that it does not have", () => {
    expect(buildPartRequest(whole, { intent: "find the shop", context: ["on foot"] })).toEqual({
      intent: "find the shop",
      priority: "elevated",
      needed_by: "2031-05-06T00:00:00+00:00",
      confirm_before: true,
      constraints: { location: "market" },
      context: [{ ref: REFS[0] }, "on foot"],
    });
  });

  it("a part of a split request keeps its own fields, except for the confirmation", () => {
    const part = buildPartRequest(whole, {
      intent: "wait",
      confirm_before: false,
      constraints: { location: "mall", timing: { urgency: "whenever", expires: "PT1H" } },
    });
    expect(part).toEqual({
      intent: "wait",
      confirm_before: true,
      constraints: { location: "mall", timing: { urgency: "whenever", expires: "PT1H" } },
      context: [{ ref: REFS[0] }],
    });
  });
});
