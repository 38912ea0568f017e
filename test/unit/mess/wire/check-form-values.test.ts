/** The server's check of form values by the request's JSON Schema. */
import { describe, expect, test } from "vitest";
import type { Json } from "../../../../src/mess/json.ts";
import { checkFormValues } from "../../../../src/mess/wire/check-form-values.ts";

const findPath = (properties: Json, values: Json, required: string[] = []) =>
  checkFormValues([{ json: { type: "object", required, properties } }], [{ structured: values }])
    ?.path;
const at = (path: string) => `response.content.structured.${path}`;

describe("checkFormValues", () => {
  test.each(["__proto__", "constructor", "toString"])(
    "a type, a format and a key called %s have no effect on other values",
    (name) => {
      const schemas = [
        { properties: { a: { type: name, format: name } } },
        { properties: { a: { type: "string", format: name } } },
        { properties: Object.fromEntries([[name, { type: "string" }]]) },
      ];

      for (const schema of schemas)
        expect(checkFormValues([{ json: schema }], [{ json: { a: "x" } }])).toBeUndefined();
      const required = { properties: {}, required: [name] };
      expect(checkFormValues([{ json: required }], [{ json: { a: "x" } }])?.code).toBe("bad_field");
    },
  );

  test("a long list is checked against a long enum without comparing each pair", () => {
    const values = Array.from({ length: 20_000 }, (_, index) => index);
    const schema = { properties: { a: { items: { enum: values } } } };

    expect(checkFormValues([{ json: schema }], [{ json: { a: values } }])).toBeUndefined();
  });

  test.each<[Json, Json, string | undefined]>([
    [{ n: { type: "integer" } }, { n: 1.5 }, at("n")],
    [{ n: { type: "integer" } }, { n: 2 }, undefined],
    [{ n: { type: ["number", "null"] } }, { n: null }, undefined],
    [{ n: { minimum: 1 } }, { n: 0 }, at("n")],
    [{ s: { maxLength: 2 } }, { s: "abc" }, at("s")],
    [{ s: { enum: ["a", 2] } }, { s: "2" }, at("s")],
    [{ s: { enum: ["a", 2] } }, { s: 2 }, undefined],
    [{ s: { format: "email" } }, { s: "ann" }, at("s")],
    [{ s: { format: "date" } }, { s: "2031-13-01" }, at("s")],
    [{ s: { format: "date-time" } }, { s: "2031-05-06T09:30:00Z" }, undefined],
    [{ l: { type: "array", items: { type: "number" } } }, { l: [1, "x"] }, at("l.1")],
    [{ l: { type: "array", minItems: 2 } }, { l: [1] }, at("l")],
    [
      { o: { type: "object", required: ["a"], properties: { a: { type: "string" } } } },
      { o: {} },
      at("o.a"),
    ],
    [{ s: { pattern: "(a+)+$" } }, { s: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!" }, undefined],
    [{ s: { type: "unheard-of" } }, { s: 1 }, undefined],
  ])("of %j with %j the place of the error is %s", (properties, values, path) => {
    expect(findPath(properties, values)).toBe(path);
  });

  test("a required value that is missing is an error, and a value of another hint is none", () => {
    expect(findPath({ a: { type: "string" } }, { b: 1 }, ["a"])).toBe(at("a"));
    expect(findPath({ a: { type: "string" } }, { a: "x", b: 1 }, ["a"])).toBeUndefined();
  });

  test("a response without form values is not checked", () => {
    const hints = [{ json: { required: ["a"], properties: { a: {} } } }];

    expect(checkFormValues(hints, ["None to count", { text: "none" }])).toBeUndefined();
  });
});
