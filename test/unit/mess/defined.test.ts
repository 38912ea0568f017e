import { describe, expect, expectTypeOf, it } from "vitest";
import { defined } from "../../../src/mess/defined.ts";

describe("an object with optional fields", () => {
  it("an object with optional fields has only those with a value, in their order", () => {
    const fields = { z: 1, left: undefined, no: false, zero: 0, none: null, empty: "" };

    const result = defined(fields);

    expect(Object.entries(result)).toEqual([
      ["z", 1],
      ["no", false],
      ["zero", 0],
      ["none", null],
      ["empty", ""],
    ]);
  });

  it("an object with optional fields has them as optional in its type", () => {
    const fields: { id: string; note: string | undefined } = { id: "a", note: undefined };

    expectTypeOf(defined(fields)).branded.toEqualTypeOf<{ id: string; note?: string }>();
  });
});
