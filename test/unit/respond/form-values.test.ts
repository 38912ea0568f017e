/** Fields of JSON Schemas, and the check of their values. */
import { describe, expect, test } from "vitest";

type Field = { key: string; type: string } & Record<string, unknown>;
const load = async <T>(name: string) =>
  (await import(`../../../public/respond/answer/${name}.js`)) as unknown as T;
const { getSpec } = await load<{ getSpec: (request: object) => { fields: Field[] } }>(
  "answer-fields",
);
const { checkValue } = await load<{
  checkValue: (spec: object, value: unknown) => { word: string } | undefined;
}>("check-values");

const readSchema = (properties: object, required: string[] = []) =>
  getSpec({ intent: "x", response_hint: [{ json: { type: "object", properties, required } }] })
    .fields;

describe("fields of a JSON Schema", () => {
  test.each([
    [
      "an integer",
      { type: "integer", minimum: 1, maximum: 5 },
      { type: "integer", min: 1, max: 5 },
    ],
    ["a default", { type: "string", default: "a" }, { type: "text", default: "a" }],
    ["a date and time", { type: "string", format: "date-time" }, { type: "datetime" }],
    ["an email address", { type: "string", format: "email" }, { type: "email" }],
    ["a nullable number", { type: ["number", "null"] }, { type: "number" }],
    [
      "an enum of numbers",
      { enum: [1, 2] },
      { type: "choice", options: ["1", "2"], values: [1, 2] },
    ],
    [
      "a list of choices",
      { type: "array", items: { enum: ["a", "b"] }, minItems: 1 },
      { type: "choices", options: ["a", "b"], min: 1 },
    ],
    [
      "a list of numbers",
      { type: "array", items: { type: "number" } },
      { type: "list", items: { key: "", label: "", type: "number" } },
    ],
    [
      "a nested object",
      { type: "object", properties: { street: { type: "string" } }, required: ["street"] },
      { type: "group", fields: [{ key: "street", label: "street", type: "text", required: true }] },
    ],
  ])("the field of %s keeps what the schema says", (_what, schema, expected) => {
    expect(readSchema({ f: schema })).toEqual([{ key: "f", label: "f", ...expected }]);
  });

  test("the required properties of a schema are marked, and no others", () => {
    const fields = readSchema({ a: { type: "string" }, b: { type: "string" } }, ["a"]);

    expect(fields.map(({ required }) => required === true)).toEqual([true, false]);
  });

  test("a schema that is nested without end is cut off", () => {
    const deep = { type: "object", properties: {} as Record<string, unknown> };
    deep.properties["again"] = deep;

    expect(JSON.stringify(readSchema({ deep })).length).toBeLessThan(2_000);
  });
});

test.each([
  [{ type: "text", required: true }, undefined, "value_required"],
  [{ type: "choices", required: true }, [], "value_required"],
  [{ type: "text" }, undefined, undefined],
  [{ type: "integer" }, 1.5, "value_integer"],
  [{ type: "integer" }, 2, undefined],
  [{ type: "number" }, Number.NaN, "value_number"],
  [{ type: "number", min: 1 }, 0.5, "value_min"],
  [{ type: "rating", max: 5 }, 6, "value_max"],
  [{ type: "email" }, "ann", "value_email"],
  [{ type: "email" }, "ann@example.org", undefined],
  [{ type: "url" }, "example", "value_url"],
  [{ type: "url" }, "https://example.org", undefined],
  [{ type: "choices", min: 2 }, ["a"], "value_few"],
  [{ type: "list", max: 1 }, ["a", "b"], "value_many"],
  [{ type: "text", minLength: 3 }, "ab", "value_short"],
  [{ type: "text", maxLength: 1 }, "ab", "value_long"],
  [{ type: "boolean", required: true }, false, undefined],
])("the value check of %j finds in %j: %s", (spec, value, word) => {
  expect(checkValue(spec, value)?.word).toBe(word);
});
