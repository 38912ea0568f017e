/** Notices in English with names and texts that are written from right to left. */
import { describe, expect, test } from "vitest";
import { isolate, isolateEvent } from "../../../src/channels/shared/text-direction.ts";
import { getRefusalText } from "../../../src/channels/replies/reply-texts.ts";
import { buildGuessedTaskReceipt } from "../../../src/channels/replies/guessed-task-receipt.ts";

const FSI = "\u2068";
const PDI = "\u2069";

describe("the direction of texts in a notice", () => {
  test.each(["check the fridge", "größer? 5 €", "посмотри"])(
    "a text from left to right stays as it is, so that an SMS needs no other alphabet: %s",
    (text) => {
      expect([isolate(text), isolateEvent(text)]).toEqual([text, text]);
    },
  );

  test.each(["افتح الباب (5)", "פתח", "ﻻ"])("a text from right to left is isolated: %s", (text) => {
    expect(isolate(text)).toBe(FSI + text + PDI);
  });

  test("a name and a text from right to left do not change places around the colon", () => {
    expect(isolateEvent("claimed by ليلى حسن: نص، رقم 5.")).toBe(
      `claimed by ${FSI}ليلى حسن${PDI}: ${FSI}نص، رقم 5.${PDI}`,
    );
  });

  test("a line that starts from right to left has that direction, and needs no isolation", () => {
    expect(isolateEvent("ليلى: found it")).toBe("ليلى: found it");
  });

  test("receipts and refusals isolate the intent and the holder", () => {
    const result = { ref: "", status: "claimed", isDuplicate: false, holdsThread: true } as const;

    expect(buildGuessedTaskReceipt({ ...result, intent: "أين المفتاح؟" }, "1")).toContain(
      `${FSI}أين المفتاح؟${PDI}`,
    );
    expect(
      getRefusalText({ code: "already_claimed", message: "", hint: "", holder: "ليلى" }),
    ).toContain(`${FSI}ليلى${PDI} `);
  });
});
