import { describe, expect, it } from "vitest";
import { readBlock } from "../../../../src/mess/wire/read-block.ts";
import type { BodyError } from "../../../../src/mess/wire/body-errors.ts";
import type { Json } from "../../../../src/mess/json.ts";
import { LIMITS } from "../../../../src/mess/limits.ts";
import { MESSAGE_TYPES } from "../../../../src/mess/wire/schema.ts";
import {
  FIELDS,
  FREE,
  limitIn,
  expectLimitNamed,
  type MessageTextPlace,
  buildPayloadWith,
} from "../../../support/generators/message-text-places.ts";

const buildName = (place: MessageTextPlace) =>
  [`${place.type}.${place.path.join(".").slice(0, 100)}`, place] as const;

const findFaults = (place: MessageTextPlace, text: string): readonly BodyError[] => {
  const read = readBlock(place.type, buildPayloadWith(place, text), []);
  return read.ok ? [] : read.error;
};

/** The limit of characters that a refusal names. */
function findRefusedLength(
  place: MessageTextPlace,
  text: string,
): { fault: BodyError; most: number } | undefined {
  for (const fault of findFaults(place, text)) {
    const most = limitIn(fault.hint);
    if (most !== undefined) return { fault, most };
  }
  return undefined;
}

describe("the maximum length of texts in a message", () => {
  it("every message type has texts with a maximum length", () => {
    expect(new Set([...FIELDS, ...FREE].map(({ type }) => type))).toEqual(new Set(MESSAGE_TYPES));
    expect(FIELDS.length).toBeGreaterThan(150);
  });

  it.each(FIELDS.map(buildName))(
    "%s: one character too many is refused with the limit",
    (_name, place) => {
      const found = findRefusedLength(place, "x".repeat(LIMITS.freeTextChars + 1));

      expect(found).toBeDefined();
      const { fault, most } = found!;
      expect(most).toBeLessThanOrEqual(LIMITS.freeTextChars);
      expect(fault.path.join(".")).toBe(place.path.join("."));
      const room = most - (place.beside ?? 0);
      expect(findRefusedLength(place, "x".repeat(room + 1))?.most).toBe(most);
      expect(findRefusedLength(place, "x".repeat(room))).toBeUndefined();
    },
  );

  it.each(FIELDS.map(buildName))(
    "%s: a run of white space is refused, not trimmed",
    (_name, place) => {
      for (const sign of [" ", "\t", "\n", "\u00A0"]) {
        const most = findRefusedLength(place, "x".repeat(LIMITS.freeTextChars + 1))!.most;
        const run = `1${sign.repeat(most)}x`;
        expect(findRefusedLength(place, run)?.most, JSON.stringify(sign)).toBe(most);
      }
    },
  );

  it.each(FREE.map(buildName))("%s: a text is no longer than its message", (_name, place) => {
    const long = "x".repeat(LIMITS.jsonTextChars + 1);

    expect(findRefusedLength(place, long)?.fault.code).toBe("too_large");
    expect(findRefusedLength(place, "x".repeat(LIMITS.keyChars))).toBeUndefined();
  });

  it.each(FREE.map(buildName))("%s: a key is no longer than an intent", (_name, place) => {
    const map = (length: number): Json => ({ ["k".repeat(length)]: 1 });
    const read = (length: number) =>
      readBlock(place.type, buildPayloadWith(place, map(length)), []);

    expect(read(LIMITS.keyChars + 1)).toMatchObject({ ok: false, error: [{ code: "too_large" }] });
    const shorter = read(LIMITS.keyChars);
    const hints = shorter.ok ? [] : shorter.error.map(({ hint }) => limitIn(hint));
    expect(hints.filter((limit) => limit !== undefined)).toEqual([]);
  });

  it.each([
    ["requires", ["k".repeat(LIMITS.nameChars + 1)]],
    ["requires", [{ ["k".repeat(LIMITS.nameChars + 1)]: { area: "kitchen" } }]],
    ["requires", [{ ["k".repeat(LIMITS.nameChars + 1)]: null }]],
    ["requires", [{ capability: "k".repeat(LIMITS.nameChars + 1) }]],
  ])("a capability in %s is no longer than a name", (field, value) => {
    const read = readBlock("request", { intent: "look", [field]: value }, []);

    expect(read).toMatchObject({
      ok: false,
      error: [{ code: "bad_field", hint: expectLimitNamed(LIMITS.nameChars) }],
    });
  });

  it("a status that asks with its message is no longer than a question", () => {
    const requestOfLength = (length: number) =>
      readBlock("status", { code: "needs_input", message: "x".repeat(length) }, []);

    expect(requestOfLength(LIMITS.intentChars).ok).toBe(true);
    expect(requestOfLength(LIMITS.intentChars + 1)).toMatchObject({
      ok: false,
      error: [{ code: "bad_field", path: ["message"] }],
    });
  });
});
