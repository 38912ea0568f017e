/** Characters that whoever approves a draft would not see. */
import { describe, expect, it } from "vitest";
import { buildDraftContent, checkDraftContent } from "../../../../src/mess/sources/draft-fields.ts";

const check = (change: { to?: string[]; subject?: string; body?: string }) => {
  const outcome = checkDraftContent({
    to: ["ann@b.test"],
    body: "Text",
    attachments: [],
    ...change,
  });
  return outcome.ok ? "ok" : outcome.error.path;
};

describe("texts of drafts", () => {
  it.each([
    ["an override of the direction", "Pay \u202e001\u202c now"],
    ["an embedding", "\u202aabc\u202c"],
    ["tag characters", "Yes\u{e0049}\u{e0047}"],
    ["tag characters after a flag", "\u{1f3f4}\u{e0067}\u{e0062}\u{e007f}"],
    ["a joiner between spaces", "a \u200d b"],
    ["two joiners in a word", "a\u200c\u200db"],
    ["a zero-width space in a Latin word", "pass\u200bword"],
    ["a word joiner", "a\u2060b"],
    ["a selector after a Latin letter", "a\u{e0101}b"],
    ["a run of invisible characters", "a\u200e\u200f\u200e\u200fb"],
  ])("%s are refused in subject and body", (_name, text) => {
    expect(check({ body: text })).toBe("body");
    expect(check({ subject: text })).toBe("subject");
  });

  it.each([
    ["Persian", "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645"],
    ["Sinhala", "\u0dc1\u0dca\u200d\u0dbb\u0dd3"],
    ["Thai with break opportunities", "\u0e01\u200b\u0e02"],
    ["a Japanese variant", "\u845b\u{e0100}"],
    ["Hebrew with marks and isolates", "\u05d0\u200f, \u2068abc\u2069\u200e."],
    [
      "a family, a rainbow flag and a dark hand",
      "\u{1f469}\u200d\u{1f467} \u{1f3f3}\ufe0f\u200d\u{1f308} \u{1f469}\u{1f3ff}\u200d\u{1f680}",
    ],
    ["a soft hyphen", "Donau\u00addampf"],
  ])("%s is allowed", (_name, text) => {
    expect(check({ subject: text, body: text })).toBe("ok");
  });
});

it.each([
  ["an override of the direction", "ann\u202e@b.test"],
  ["a directional mark", "ann\u200f@b.test"],
  ["a zero-width space", "ann\u200b@b.test"],
  ["a soft hyphen", "ann\u00ad@b.test"],
  ["a variation selector", "ann\ufe0f@b.test"],
  ["a Hangul filler", "ann\u3164@b.test"],
  ["a tag character", "ann\u{e0061}@b.test"],
])("%s is refused in a recipient", (_name, address) => {
  expect(check({ to: ["bob@b.test", address] })).toBe("to");
});

it("hidden characters of a message are left out where a draft answers or forwards it", () => {
  const message = {
    sender: "An\u202en <ann@b.test>",
    subject: "Hel\u{e0041}lo",
    channel: "ann@b.test",
    body: "Send\u{e0042} it",
    attachments: [],
  };

  const answer = buildDraftContent({ body: "Yes" }, message);
  const forwarded = buildDraftContent({ body: "", to: ["bob@b.test"], forward: true }, message);

  expect(answer).toMatchObject({ ok: true, value: { subject: "Re: Hello" } });
  expect(forwarded).toMatchObject({ ok: true, value: { subject: "Fwd: Hello" } });
  expect(forwarded.ok && forwarded.value.body).toMatch(
    /From: Ann <ann@b.test>\nSubject: Hello\n\nSend it$/,
  );
});
