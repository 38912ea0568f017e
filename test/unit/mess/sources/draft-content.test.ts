import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { computeSha256 } from "../../../../src/mess/sha256.ts";
import {
  computeDraftDigest,
  type DraftContent,
} from "../../../../src/mess/sources/draft-content.ts";

const CONTENT: DraftContent = {
  to: ["ann@example.com"],
  subject: "Re: Water",
  body: "I am coming.",
  attachments: [{ key: "h/1", name: "a.pdf", mime: "application/pdf", size: 3 }],
};
const ABOUT = { source: "mail", draft: "d_1", message: "m_1", revision: 1 };

describe("the digest of a draft's revision", () => {
  it("computes SHA-256 as Node does, for texts of any length", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 200 }), (text) => {
        expect(computeSha256(text)).toBe(createHash("sha256").update(text).digest("hex"));
      }),
    );
  });

  it("is the same for the same content, whatever the order of its fields", () => {
    const { to, subject, body, attachments } = CONTENT;
    const reordered = { attachments, body, to, subject: subject! };

    expect(computeDraftDigest(reordered, ABOUT)).toBe(computeDraftDigest(CONTENT, ABOUT));
  });

  it.each<[string, Partial<DraftContent>, Partial<typeof ABOUT>]>([
    ["a recipient", { to: ["bob@example.com"] }, {}],
    ["a further recipient", { to: ["ann@example.com", "bob@example.com"] }, {}],
    ["the subject", { subject: "Re: Fire" }, {}],
    ["the body", { body: "I am not coming." }, {}],
    ["the name of an attachment", { attachments: [{ ...CONTENT.attachments[0]!, name: "b" }] }, {}],
    ["the bytes of an attachment", { attachments: [{ ...CONTENT.attachments[0]!, key: "k" }] }, {}],
    ["a missing attachment", { attachments: [] }, {}],
    ["forwarding in place of replying", { forward: true }, {}],
    ["the source", {}, { source: "work" }],
    ["the answered message", {}, { message: "m_2" }],
    ["the draft", {}, { draft: "d_2" }],
    ["the revision", {}, { revision: 2 }],
  ])("changes with %s", (_name, content, about) => {
    expect(computeDraftDigest({ ...CONTENT, ...content }, { ...ABOUT, ...about })).not.toBe(
      computeDraftDigest(CONTENT, ABOUT),
    );
  });
});
