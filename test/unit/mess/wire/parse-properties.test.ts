import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { stringify } from "yaml";
import { ERRORS } from "../../../../src/mess/errors.ts";
import type { JsonMap } from "../../../../src/mess/json.ts";
import { readBlocks, messageToMess } from "../../../../src/mess/wire/message.ts";
import { parseMessages } from "../../../../src/mess/wire/parse.ts";
import type { Message } from "../../../../src/mess/wire/schema.ts";
import { anyMessage } from "../../../support/generators/any-message.ts";

// Thousands of texts take long on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

const toYaml = (value: unknown) => stringify(value, { aliasDuplicateObjects: false });
const removeVersion = ({ v: _v, ...message }: Message): Message => message;

/** The list with the target in each payload, which is accepted too. */
const withInnerTargets = ({ re, ...message }: Message): JsonMap[] =>
  messageToMess(message).map((item) => {
    const [[type, body] = ["", null]] = Object.entries(item);
    return re === undefined || type === "v" || type === "suggestion"
      ? item
      : { [type]: { ...(body as JsonMap), re } };
  });

/** Every way to write one message, each with the message that it must become. */
const forms: Record<string, (message: Message) => [value: unknown, meant: Message]> = {
  "a document with re and MESS": (message) => [
    { from: "somebody", received: "2031-01-01", ...getRe(message), MESS: messageToMess(message) },
    message,
  ],
  "a MESS map with re inside each payload": (message) => [
    { MESS: withInnerTargets(message) },
    message,
  ],
  "a bare list": (message) => [withInnerTargets(message), message],
  "payloads without MESS": (message) => [
    message.blocks.length === 1
      ? Object.assign({}, ...withInnerTargets(removeVersion(message)))
      : withInnerTargets(removeVersion(message)),
    removeVersion(message),
  ],
};
const getRe = ({ re }: Message) => (re === undefined ? {} : { re });

describe("any message", () => {
  for (const [name, write] of Object.entries(forms)) {
    it(`any message is the same after it was written as ${name}, in JSON and in YAML`, () => {
      fc.assert(
        fc.property(anyMessage, (message) => {
          const [value, meant] = write(message);
          for (const text of [JSON.stringify(value), JSON.stringify(value, null, 2), toYaml(value)])
            expect(parseMessages(text)).toEqual({ ok: true, value: [meant] });
        }),
        { numRuns: 150 },
      );
    });
  }

  it("any message is the same after it was stored", () => {
    fc.assert(
      fc.property(anyMessage, (message) => {
        expect(readBlocks(messageToMess(message))).toEqual(message.blocks);
      }),
      { numRuns: 200 },
    );
  });

  it("any message keeps its position among several documents", () => {
    fc.assert(
      fc.property(fc.array(anyMessage, { minLength: 1, maxLength: 4 }), (messages) => {
        const text = messages
          .map((message) => toYaml({ ...getRe(message), MESS: messageToMess(message) }))
          .join("---\n");
        expect(parseMessages(text)).toEqual({ ok: true, value: messages });
      }),
      { numRuns: 100 },
    );
  });
});

/** A text with parts removed, duplicated, or replaced by noise. */
const mutated = fc
  .tuple(
    anyMessage,
    fc.boolean(),
    fc.array(
      fc.tuple(
        fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
        fc.nat(12),
        fc.oneof(
          fc.constantFrom(
            "",
            ":",
            "- ",
            "\n",
            '"',
            "'",
            "{",
            "}",
            "[",
            "]",
            "&a ",
            "*a",
            "!!x ",
            "---\n",
            "|",
            ">",
            "#",
            "\t",
            "\0",
            "%",
            "  ",
            "null",
            "MESS:",
            "re: ",
            "\uD800",
            "__proto__: 1\n",
            "0x",
            "data:;base64,",
          ),
          fc.string({ unit: "binary", maxLength: 4 }),
        ),
      ),
      { minLength: 1, maxLength: 5 },
    ),
  )
  .map(([message, json, edits]) => {
    const value = { ...getRe(message), MESS: messageToMess(message) };
    return edits.reduce(
      (text, [where, length, noise]) => {
        const at = Math.floor(where * text.length);
        return text.slice(0, at) + noise + text.slice(at + length);
      },
      json ? JSON.stringify(value) : toYaml(value),
    );
  });

describe("any text", () => {
  const isOutcome = (text: string) => {
    const parsed = parseMessages(text);
    if (parsed.ok) {
      expect(parsed.value.length).toBeGreaterThan(0);
      // Accepted messages are in normalized form.
      for (const message of parsed.value)
        expect(readBlocks(messageToMess(message))).toEqual(message.blocks);
    } else {
      expect(Object.keys(ERRORS)).toContain(parsed.error.code);
      expect(parsed.error.message).not.toBe("");
      expect(parsed.error.hint).not.toBe("");
    }
  };

  it("a text that resembles a message is parsed or refused", () => {
    fc.assert(fc.property(mutated, isOutcome), { numRuns: 3_000 });
  });

  it("a text that does not resemble a message is parsed or refused", () => {
    fc.assert(fc.property(fc.string({ unit: "binary", maxLength: 200 }), isOutcome), {
      numRuns: 1_000,
    });
    const value = fc.jsonValue({ maxDepth: 5 });
    const typed = fc.tuple(
      fc.constantFrom(
        "request",
        "status",
        "reply",
        "response",
        "suggestion",
        "MESS",
        "query",
        "ack",
        "review",
        "re",
        "v",
      ),
      value,
    );
    fc.assert(
      fc.property(fc.array(typed, { maxLength: 4 }), (pairs) => {
        isOutcome(JSON.stringify(Object.fromEntries(pairs)));
        isOutcome(
          JSON.stringify({ re: "x", MESS: pairs.map((pair) => Object.fromEntries([pair])) }),
        );
      }),
      { numRuns: 1_000 },
    );
  });
});
