import { describe, expect, it } from "vitest";
import { boundedTextSchema, getLengthHint, buildTooLongHint } from "../../../src/mess/lengths.ts";

describe("a bounded text", () => {
  it("a bounded text that is too long is refused before any other check", () => {
    const met: string[] = [];
    const schema = boundedTextSchema(8)
      .refine((text) => met.push(text) > 0)
      .transform((text) => met.push(text));

    const read = schema.safeParse("123456789");

    expect(read.error?.issues).toMatchObject([{ code: "too_big", maximum: 8 }]);
    expect(getLengthHint(read.error?.issues[0])).toBe(buildTooLongHint(8));
    expect(met).toEqual([]);
  });

  it("a bounded text of exactly the maximum length is accepted", () => {
    expect(boundedTextSchema(8).safeParse("12345678")).toEqual({ success: true, data: "12345678" });
  });
});
