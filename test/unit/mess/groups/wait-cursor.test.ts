import { describe, expect, it } from "vitest";
import {
  formatWaitCursor,
  isCursorOf,
  parseWaitCursor,
  WAIT_CURSOR_CHARS,
} from "../../../../src/mess/groups/wait-cursor.ts";

const OWNER = { group: "g_awqp47f4udkr", member: "a_jhver20l2mof" };

describe("the cursor of a wait in an AI group", () => {
  it("a cursor names its position, and belongs to its group and member only", () => {
    const cursor = formatWaitCursor(200_000, OWNER);
    const parsed = parseWaitCursor(cursor)!;

    expect(cursor.length).toBeLessThanOrEqual(WAIT_CURSOR_CHARS);
    expect(parsed.position).toBe(200_000);
    expect(isCursorOf(parsed, OWNER)).toBe(true);
    expect(isCursorOf(parsed, { ...OWNER, group: "g_awqp47f4udks" })).toBe(false);
    expect(isCursorOf(parsed, { ...OWNER, member: "a_jhver20l2moe" })).toBe(false);
  });

  it("the cursor 0 is the beginning of any group", () => {
    expect(isCursorOf(parseWaitCursor("0")!, OWNER)).toBe(true);
  });

  it.each([
    "",
    "1",
    "-1",
    "00",
    "1-",
    "-abc",
    "1-ABC",
    "1.5-abc",
    " 1-abc",
    "1-abc\n",
    "1-abcdefgh",
  ])("the text %j is no cursor", (text) => {
    expect(parseWaitCursor(text)).toBeUndefined();
  });
});
