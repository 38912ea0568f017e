import { describe, expect, it } from "vitest";
import { saidIn, wordsFor } from "../../../src/delivery/message-excerpts.ts";
import type { JsonMap } from "../../../src/mess/json.ts";

const names = { ann: "Ann" };
const said = (...MESS: JsonMap[]) =>
  saidIn({ from: "ann", received: "2031-04-05T10:00:00Z", MESS }).map((one) =>
    wordsFor(one, names),
  );

describe("what somebody said, in one line", () => {
  it.each([
    [{ reply: { answers: { area: "kitchen" } } }, "the answer: kitchen"],
    [
      { reply: { answers: { area: "kitchen", when: ["now", "soon"] } } },
      "the answer: area: kitchen, when: now, soon",
    ],
    [{ answer: { id: "a1", value: 3 } }, "the answer: 3"],
    [{ reply: { confirm: true } }, "confirmed"],
    [{ reply: { confirm: false, reason: "too dear" } }, "not confirmed: too dear"],
    [{ reply: { accept: true } }, "the suggestion was accepted"],
    [{ cancel: { reason: "found them" } }, "cancelled: found them"],
    [{ cancel: {} }, "cancelled"],
    [{ followup: { message: "no hurry" } }, "Ann: no hurry"],
    [
      { followup: { context: ["see there", { url: "https://example.com" }] } },
      "Ann: see there\nhttps://example.com",
    ],
  ])("%j", (block, words) => {
    expect(said(block as JsonMap)).toEqual([words]);
  });

  it("is nothing where it speaks to nobody, or the exchange speaks", () => {
    expect(said({ status: { code: "in_progress" } }, { review: { rating: 5 } })).toEqual([]);
    expect(
      saidIn({ from: "exchange", received: "", MESS: [{ cancel: { reason: "late" } }] }),
    ).toEqual([]);
  });

  it.each([
    [{ what: "claimed", by: "ann" }, "claimed by Ann"],
    [{ what: "completed", by: "ben", text: "all done" }, "completed by ben: all done"],
    [{ what: "expired", by: "exchange", text: "not done in time" }, "expired: not done in time"],
    [{ what: "released", by: "exchange" }, "open to others again"],
    [{ what: "note", text: "nobody has taken it" }, "nobody has taken it"],
    [{ what: "unreachable", by: "ann", text: "gone" }, "Ann cannot be reached: gone"],
    [
      { what: "unreachable", by: "ann", text: "ann was not reached by sms: no number; given up" },
      "Ann cannot be reached by sms: no number; given up",
    ],
    [{ what: "note", text: "ann passed it on" }, "Ann passed it on"],
    [{ what: "note", text: "nothing was heard from ann" }, "nothing was heard from Ann"],
    [{ what: "note", text: "ben has not answered: ann?" }, "ben has not answered: ann?"],
    [{ what: "delegated", by: "ben", text: "to ann" }, "delegated by ben: to Ann"],
    [
      { what: "pending", by: "exchange", text: "ann declined; open to the others" },
      "open again: Ann declined; open to the others",
    ],
    [{ what: "declined", by: "ben", text: "ask ann" }, "declined by ben: ask ann"],
    [{ what: "note", text: "joann declined" }, "joann declined"],
  ])("%j", (happening, words) => {
    expect(wordsFor(happening, names)).toBe(words);
  });

  it("is cut where it is long", () => {
    const [one] = saidIn({
      from: "ann",
      received: "",
      MESS: [{ followup: { message: "a".repeat(5_000) } }],
    });
    expect(one!.text).toHaveLength(1_000);
  });
});
