import { describe, expect, it } from "vitest";
import { filesModifiedSchema, toolUsageSchema } from "../../../../src/mess/groups/fields.ts";
import { GROUP_LIMITS } from "../../../../src/mess/groups/vocabulary.ts";

describe("the lists of a message in an AI group", () => {
  it.each([
    [
      ["a.ts", "b.ts"],
      ["a.ts", "b.ts"],
    ],
    ["a.ts", ["a.ts"]],
    ['["a.ts","b.ts"]', ["a.ts", "b.ts"]],
    [' [ "a.ts" ]\n', ["a.ts"]],
    ["[]", []],
    ["[draft].md", ["[draft].md"]],
    ["[1]", ["[1]"]],
    ["src/[id].ts", ["src/[id].ts"]],
  ])("%j is read as %j", (given, list) => {
    expect(filesModifiedSchema.parse(given)).toEqual(list);
    expect(toolUsageSchema.parse(given)).toEqual(list);
  });

  it("a list in a string has the limits of a list", () => {
    const write = (count: number, item: string) =>
      JSON.stringify(Array.from({ length: count }, () => item));
    const { toolUsageItems, itemChars } = GROUP_LIMITS;

    expect(toolUsageSchema.safeParse(write(toolUsageItems, "x".repeat(itemChars))).success).toBe(
      true,
    );
    for (const text of [
      write(toolUsageItems + 1, "x"),
      write(1, "x".repeat(itemChars + 1)),
      write(1_000_000, "x"),
    ])
      expect(toolUsageSchema.safeParse(text).success).toBe(false);
  });
});
