import { describe, expect, it } from "vitest";
import { cutFileName } from "../../../src/mess/file-names.ts";
import { strip, stripEnd, stripStart, WHITE_SPACE } from "../../../src/mess/strip.ts";

describe("cutFileName", () => {
  it.each([
    ["a short name", "shelf.png", "shelf.png"],
    ["a name of 255 characters", "a".repeat(255), "a".repeat(255)],
    ["a long name with an extension", `${"a".repeat(300)}.jpeg`, `${"a".repeat(250)}.jpeg`],
    ["a long name without a dot", "a".repeat(300), "a".repeat(255)],
    ["a long name with a far dot", `a.${"b".repeat(300)}`, `a.${"b".repeat(253)}`],
    ["a cut within an emoji", `a${"🥚".repeat(200)}.png`, `a${"🥚".repeat(125)}.png`],
  ])(
    "cutFileName limits a name to 255 characters and keeps its extension: %s",
    (_what, name, kept) => {
      expect(cutFileName(name)).toBe(kept);
    },
  );
});

describe("strip", () => {
  it("strip removes characters from both ends only", () => {
    expect(strip("--a-b-.", "-.")).toBe("a-b");
    expect(stripStart("--a--", "-")).toBe("a--");
    expect(stripEnd("--a--", "-")).toBe("--a");
    expect(strip("----", "-")).toBe("");
  });

  it("strip treats the same characters as white space as a regex", () => {
    const all = Array.from({ length: 0x1_00_00 }, (_, code) => String.fromCharCode(code));
    expect(all.filter((sign) => /\s/.test(sign)).join("")).toBe(WHITE_SPACE);
  });
});
