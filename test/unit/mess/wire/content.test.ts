import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  listFileTokens,
  nameAttachments,
  toPlainText,
  extractInlineData,
} from "../../../../src/mess/wire/content/content.ts";
import { entriesSchema } from "../../../../src/mess/wire/content/entries.ts";
import { LIMITS } from "../../../../src/mess/limits.ts";
import type { Message } from "../../../../src/mess/wire/schema.ts";
import { anyMessage } from "../../../support/generators/any-message.ts";

const createTokenSource = () => {
  let next = 0;
  return () => `upload-${++next}`;
};
const BIG = "QUJD".repeat(2_000);
const buildMessage = (...content: unknown[]): Message => ({
  re: "shelf",
  blocks: [{ type: "response", body: { content: entriesSchema.parse(content) } }],
});

describe("inline data", () => {
  it("inline data above 4 KB is extracted from every list and replaced by a reference", () => {
    const message: Message = {
      v: "1.1.0",
      re: "shelf",
      blocks: [
        { type: "status", body: { code: "completed" } },
        {
          type: "response",
          body: {
            content: entriesSchema.parse([
              "done",
              { image: `data:image/png;base64,${BIG}` },
              { file: { uri: `data:application/pdf;base64,${BIG}`, name: "bill.pdf", pages: 2 } },
            ]),
          },
        },
        {
          type: "reply",
          body: { context: entriesSchema.parse([{ audio: `data:audio/wav;base64,${BIG}` }]) },
        },
      ],
    };
    const before = structuredClone(message);

    const taken = extractInlineData(message, createTokenSource());

    expect(message).toEqual(before);
    expect(taken.message).toEqual({
      v: "1.1.0",
      re: "shelf",
      blocks: [
        { type: "status", body: { code: "completed" } },
        {
          type: "response",
          body: {
            content: [
              "done",
              { image: { file: "upload-1", mime: "image/png", size: 6000 } },
              {
                file: {
                  file: "upload-2",
                  name: "bill.pdf",
                  mime: "application/pdf",
                  size: 6000,
                  pages: 2,
                },
              },
            ],
          },
        },
        {
          type: "reply",
          body: { context: [{ audio: { file: "upload-3", mime: "audio/wav", size: 6000 } }] },
        },
      ],
    });
    expect(taken.inline).toEqual([
      { token: "upload-1", kind: "image", mime: "image/png", size: 6000, base64: BIG },
      {
        token: "upload-2",
        kind: "file",
        mime: "application/pdf",
        size: 6000,
        original: "bill.pdf",
        base64: BIG,
      },
      { token: "upload-3", kind: "audio", mime: "audio/wav", size: 6000, base64: BIG },
    ]);
  });

  it("inline data up to 4 KB stays in the message", () => {
    const head = "data:image/png;base64,";
    const fits = head + "QUJD".repeat(Math.floor((LIMITS.attachAboveBytes - head.length) / 4));
    expect(extractInlineData(buildMessage({ image: fits }), createTokenSource()).inline).toEqual(
      [],
    );
    expect(
      extractInlineData(buildMessage({ image: `${fits}QUJD` }), createTokenSource()).inline,
    ).toHaveLength(1);
  });

  it("inline data has the size of its bytes without padding", () => {
    const [data] = extractInlineData(
      buildMessage({ image: `data:image/png;base64,${BIG}QQ==` }),
      createTokenSource(),
    ).inline;
    expect(data).toMatchObject({ size: 6001 });
  });
});

describe("references to files", () => {
  it("references to files are listed without duplicates, in order", () => {
    const message = buildMessage(
      { image: "upload-b" },
      { file: { file: "notes.txt" } },
      { image: "upload-b" },
      { json: { file: "no" } },
    );
    expect(listFileTokens(message)).toEqual(["upload-b", "notes.txt"]);
  });

  it("references to files get the stored name, type and size, and keep the sender's name for the file", () => {
    const names = new Map([
      ["upload-a", { file: "att-002-image-a.png", mime: "image/png", size: 9, name: "a.png" }],
      ["upload-b", { file: "att-002-file-b.pdf", mime: "application/pdf", size: 8 }],
    ]);
    const message = buildMessage(
      { image: { file: "upload-a", mime: "text/html", size: 1 } },
      { file: { file: "upload-b", name: "Bill", pages: 2 } },
      { file: { file: "other.txt" } },
    );
    const [block] = nameAttachments(message, names).blocks;
    expect(block?.body).toEqual({
      content: [
        { image: { file: "att-002-image-a.png", name: "a.png", mime: "image/png", size: 9 } },
        {
          file: {
            file: "att-002-file-b.pdf",
            name: "Bill",
            mime: "application/pdf",
            size: 8,
            pages: 2,
          },
        },
        { file: { file: "other.txt" } },
      ],
    });
  });

  it("a message without inline data and references to files stays unchanged", () => {
    fc.assert(
      fc.property(anyMessage, (message) => {
        expect(extractInlineData(message, createTokenSource())).toEqual({ message, inline: [] });
        expect(nameAttachments(message, new Map())).toEqual(message);
      }),
      { numRuns: 100 },
    );
  });
});

describe("the text of entries", () => {
  it("the plain text of entries has their texts, names and scalar values of structures, without data", () => {
    const list = entriesSchema.parse([
      "two shelves\u0000",
      { Beware: "wet paint" },
      { text: "explicit" },
      { image: { uri: `data:image/png;base64,QUJD`, name: "hall.png" } },
      { image: "data:image/png;base64,QUJD" },
      { url: "https://shelves.example/oak" },
      { json: { wood: ["oak", 4], scan: "data:image/png;base64,QUJD" } },
      { embedding: [0.5] },
      { location: { name: "attic", lat: 1 } },
      { confirmation: { confirmed: true, details: "by eye" } },
    ]);
    expect(toPlainText(list).split("\n")).toEqual([
      "two shelves",
      "Beware: wet paint",
      "explicit",
      "hall.png",
      "https://shelves.example/oak",
      "oak",
      "4",
      "attic",
      "1",
      "by eye",
    ]);
  });
});
