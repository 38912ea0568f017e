/** The server's check of form values by the request's JSON Schema. */
import { describe, expect, test } from "vitest";
import type { Json } from "../../../src/mess/json.ts";
import { checkFormValues } from "../../../src/mess/wire/check-form-values.ts";

const findPath = (properties: Json, values: Json, required: string[] = []) =>
  checkFormValues([{ json: { type: "object", required, properties } }], [{ structured: values }])
    ?.path;
const at = (path: string) => `response.content.structured.${path}`;

describe("checkFormValues", () => {
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
