import { describe, expect, it } from "vitest";
import type { JsonMap } from "../../../src/mess/json.ts";
import { readRequest } from "../../../src/mess/wire/read-request.ts";
import {
  type RequestInThread,
  buildPartRequest,
  mergeRequests,
} from "../../../src/mess/routing/merge-requests.ts";

const REFS = ["2031-05-05-001-onions", "2031-05-05-002-garlic"];

function asked(
  ref: string,
  fields: JsonMap,
  envelope: Partial<RequestInThread["envelope"]> = {},
): RequestInThread {
  const request = readRequest({ intent: ref.slice(15), ...fields }, []);
  if (!request.ok) throw new Error(JSON.stringify(request.error));
  return { envelope: { ref, priority: "normal", ...envelope }, request: request.value };
}

const pair = (one: JsonMap, other: JsonMap): RequestInThread[] => [
  asked(REFS[0]!, one),
  asked(REFS[1]!, other),
];

const united = (one: JsonMap, other: JsonMap) => mergeRequests(pair(one, other), "buy both");

describe("requests united", () => {
  it("say what each of them said, behind a link to each", () => {
    expect(united({ context: ["red"] }, {})).toEqual({
      intent: "buy both",
      priority: "normal",
      context: [{ ref: REFS[0] }, "onions", "red", { ref: REFS[1] }, "garlic"],
    });
  });

  it("name files of the others by their addresses", () => {
    const file = "att-000-image-shop.jpg";
    const { context } = united({ context: [{ image: { file } }] }, {});
    expect(context).toContainEqual({ image: { resource: `content://${REFS[0]}/${file}` } });
  });

  it("require everything once, and are as exact as the most exact", () => {
    const { requires, precision, response_hint } = united(
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

  it("keep a place that they agree on, and leave others to their words", () => {
    expect(
      united({ constraints: { location: "market" } }, { constraints: { location: "market" } }),
    ).toMatchObject({ constraints: { location: "market" } });
    expect(
      united({ constraints: { location: "market" } }, { constraints: { location: "mall" } }),
    ).not.toHaveProperty("constraints");
  });

  it("are as urgent as the most urgent, and end with the first", () => {
    const both = mergeRequests(
      [
        asked(REFS[0]!, {}, { priority: "urgent", expires: "2031-05-06T01:00:00+02:00" }),
        asked(REFS[1]!, {}, { priority: "background", expires: "2031-05-06T00:30:00+00:00" }),
      ],
      "buy both",
    );
    expect(both).toMatchObject({ priority: "urgent", needed_by: "2031-05-06T01:00:00+02:00" });
  });

  it("are confirmed and paid for as each of them was to be", () => {
    expect(united({ confirm_before: true, compensation: "5 EUR" }, {})).toMatchObject({
      confirm_before: true,
      compensation: "5 EUR",
    });
    expect(united({ compensation: "5 EUR" }, { compensation: "3 EUR" })).toMatchObject({
      compensation: ["5 EUR", "3 EUR"],
    });
  });

  it("wait for what they waited for, and not for each other", () => {
    const both = mergeRequests(
      [
        asked(REFS[0]!, {}, { blocked_by: ["2031-05-05-009"] }),
        asked(REFS[1]!, {}, { blocked_by: [REFS[0]!, "2031-05-05-009"] }),
      ],
      "buy both",
    );
    expect(both.constraints).toEqual({ depends_on: ["2031-05-05-009"] });
  });
});

describe("a part of a request", () => {
  const whole = asked(
    REFS[0]!,
    { constraints: { location: "market" }, confirm_before: true },
    { priority: "elevated", expires: "2031-05-06T00:00:00+00:00" },
  );

  it("takes over what it does not say", () => {
    expect(buildPartRequest(whole, { intent: "find the shop", context: ["on foot"] })).toEqual({
      intent: "find the shop",
      priority: "elevated",
      needed_by: "2031-05-06T00:00:00+00:00",
      confirm_before: true,
      constraints: { location: "market" },
      context: [{ ref: REFS[0] }, "on foot"],
    });
  });

  it("keeps what it says itself, but for the confirmation", () => {
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
