/** Messages built by a program are checked like those of a text. */
import { defined } from "../../../../src/mess/defined.ts";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { LIMITS } from "../../../../src/mess/limits.ts";
import { messageToMess } from "../../../../src/mess/wire/message.ts";
import { checkMessages, parseMessages } from "../../../../src/mess/wire/parse.ts";
import type { Message, MessageInput } from "../../../../src/mess/wire/schema.ts";
import { anyMessage } from "../../../support/generators/any-message.ts";

vi.setConfig({ testTimeout: 60_000 });

const toText = ({ re, ...message }: Message): string =>
  JSON.stringify({ ...defined({ re }), MESS: messageToMess(message) });

const reply = (answers: unknown): MessageInput => ({
  re: "last",
  blocks: [{ type: "reply", body: { answers } }],
});

const nest = (levels: number): unknown => {
  let value: unknown = "deep";
  for (let level = 0; level < levels; level++) value = { in: value };
  return value;
};

const readError = (...inputs: MessageInput[]) => {
  const checked = checkMessages(inputs);
  return checked.ok ? undefined : checked.error;
};

describe("typed messages", () => {
  it("any typed message is read like its text", () => {
    fc.assert(
      fc.property(anyMessage, (message) => {
        expect(checkMessages([message])).toEqual(parseMessages(toText(message)));
      }),
      { numRuns: 200 },
    );
  });

  it("a typed message in any accepted form is normalized", () => {
    const input: MessageInput = {
      blocks: [{ type: "status", body: { code: "In Progress", eta: "2h", progress_pct: "40%" } }],
    };

    expect(checkMessages([input], { target: "2031-05-04-001" })).toEqual({
      ok: true,
      value: [
        {
          re: "2031-05-04-001",
          blocks: [
            {
              type: "status",
              body: { code: "in_progress", estimate: "PT2H", progress_pct: 40 },
            },
          ],
        },
      ],
    });
  });

  it.each<[string, MessageInput, string, string | undefined]>([
    [
      "an unknown status",
      { re: "last", blocks: [{ type: "status", body: { code: "flying" } }] },
      "bad_field",
      "MESS[0].status.code",
    ],
    [
      "an intent that is too long",
      { blocks: [{ type: "request", body: { intent: "a".repeat(LIMITS.intentChars + 1) } }] },
      "bad_field",
      "MESS[0].request.intent",
    ],
    [
      "no target",
      { blocks: [{ type: "status", body: { code: "claimed" } }] },
      "missing_target",
      "MESS[0].status",
    ],
    [
      "a target that is not a reference",
      { re: "no such thing!", blocks: [{ type: "status", body: { code: "claimed" } }] },
      "bad_ref",
      "re",
    ],
    [
      "too many levels",
      reply(nest(LIMITS.depth - 3)),
      "too_deep",
      `MESS[0].reply.answers${".in".repeat(LIMITS.depth - 4)}`,
    ],
    [
      "a key that could change a prototype",
      reply(JSON.parse('{"which": {"__proto__": "x"}}')),
      "forbidden_key",
      "MESS[0].reply.answers.which",
    ],
    [
      "half of a surrogate pair",
      reply({ which: "\uD800" }),
      "bad_encoding",
      "MESS[0].reply.answers.which",
    ],
    [
      "more text than a body may contain",
      reply({ a: "a ".repeat(LIMITS.textBytes / 4), b: "ü ".repeat(LIMITS.textBytes / 6) }),
      "too_large",
      undefined,
    ],
    [
      "more payloads than a body may contain",
      {
        re: "last",
        blocks: Array.from({ length: LIMITS.blocks + 1 }, () => ({
          type: "followup" as const,
          body: { message: "hello" },
        })),
      },
      "too_large",
      undefined,
    ],
    ["no payload", { re: "last", blocks: [] }, "empty_message", undefined],
  ])("a typed message is refused with its path: %s", (_what, input, code, path) => {
    const error = readError(input);

    expect(error).toMatchObject({ code });
    expect(error?.path).toBe(path);
    expect(error).not.toHaveProperty("line");
    expect(readErrorOfText(input)).toMatchObject({ code });
  });

  it("base64 in a typed message counts as data", () => {
    expect(readError(reply("a".repeat(LIMITS.textBytes * 2)))).toBeUndefined();
  });

  it("every error of a typed message is reported", () => {
    const error = readError(
      { re: "last", blocks: [{ type: "status", body: { code: "flying" } }] },
      { re: "last", blocks: [{ type: "review", body: { rating: 9 } }] },
    );

    expect([error?.path, ...(error?.more ?? []).map(({ path }) => path)]).toEqual([
      "MESS[0].status.code",
      "MESS[0].review.rating",
    ]);
  });

  it("a typed block with many targets counts once", () => {
    const parsed = parseMessages(
      JSON.stringify({
        re: Array.from({ length: LIMITS.targetsPerMessage }, (_, at) => `lamp-${at}`),
        MESS: Array.from({ length: 3 }, () => ({
          followup: { message: "a".repeat(LIMITS.textBytes / 4) },
        })),
      }),
    );

    expect(parsed.ok && checkMessages(parsed.value)).toEqual(parsed);
  });
});

const readErrorOfText = ({ blocks, ...rest }: MessageInput) => {
  const text = JSON.stringify({
    ...rest,
    MESS: blocks.map(({ type, body }) => ({ [type]: body })),
  });
  const parsed = parseMessages(text);
  return parsed.ok ? undefined : parsed.error;
};
