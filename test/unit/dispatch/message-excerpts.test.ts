import { describe, expect, it } from "vitest";
import type { NoticeEvent } from "../../../src/delivery/delivery.ts";
import {
  buildFailureNote,
  extractEvents,
  formatEvent,
} from "../../../src/delivery/message-excerpts.ts";
import type { JsonMap } from "../../../src/mess/json.ts";

const names = { ann: "Ann" };
const extractEventsOf = (...MESS: JsonMap[]) =>
  extractEvents({ from: "ann", received: "2031-04-05T10:00:00Z", MESS });
const formatLine = (event: NoticeEvent) => formatEvent(event, names);
/** Number of times the text contains the part. */
const count = (text: string, part: string): number => text.split(part).length - 1;

describe("extractEvents", () => {
  it.each<[JsonMap, string, string?]>([
    [{ reply: { answers: { area: "kitchen" } } }, "answered", "kitchen"],
    [
      { reply: { answers: { area: "kitchen", when: ["now", "soon"] } } },
      "answered",
      "area: kitchen, when: now, soon",
    ],
    [{ answer: { id: "a1", value: 3 } }, "answered", "3"],
    [{ reply: { confirm: true } }, "confirmed"],
    [{ reply: { confirm: false, reason: "too dear" } }, "not_confirmed", "too dear"],
    [{ reply: { accept: true } }, "accepted"],
    [{ cancel: { reason: "found them" } }, "cancelled", "found them"],
    [{ cancel: {} }, "cancelled"],
    [{ followup: { message: "no hurry" } }, "said", "no hurry"],
    [
      { followup: { context: ["see there", { url: "https://example.com" }] } },
      "said",
      "see there\nhttps://example.com",
    ],
  ])("extractEvents reads %j as one event: %s", (block, what, text = "") => {
    const [event, ...more] = extractEventsOf(block);

    expect(more).toEqual([]);
    expect(event).toMatchObject({ by: "ann", what });
    expect(event!.text ?? "").toBe(text);
    expect(formatLine(event!)).toContain(text);
  });

  it("extractEvents finds nothing in blocks without an addressee, or in messages of the exchange", () => {
    expect(extractEventsOf({ status: { code: "in_progress" } }, { review: { rating: 5 } })).toEqual(
      [],
    );
    expect(
      extractEvents({ from: "exchange", received: "", MESS: [{ cancel: { reason: "late" } }] }),
    ).toEqual([]);
  });

  it("extractEvents truncates a long text to 1,000 characters", () => {
    const [one] = extractEventsOf({ followup: { message: "a".repeat(5_000) } });
    expect(one!.text).toHaveLength(1_000);
  });
});

describe("formatEvent", () => {
  it.each<[NoticeEvent, string]>([
    [{ what: "claimed", by: "ann" }, "Ann"],
    [{ what: "completed", by: "ben", text: "all done" }, "ben"],
    [{ what: "declined", by: "ben", text: "ask ann" }, "ben"],
    [{ what: "said", by: "ann", text: "no hurry" }, "Ann"],
    [{ what: "unreachable", by: "ann", text: "gone" }, "Ann"],
  ])("formatEvent of %j names the member and ends with the unchanged text", (event, name) => {
    const line = formatLine(event);

    expect(count(line, name)).toBe(1);
    expect(line.endsWith(event.text ?? "")).toBe(true);
    expect(line.length).toBeGreaterThan(name.length + (event.text ?? "").length + 1);
  });

  it.each<NoticeEvent>([
    { what: "expired", by: "exchange", text: "over" },
    { what: "released", by: "exchange" },
    { what: "pending", by: "exchange", text: "over" },
  ])("formatEvent of %j describes the event and names no sender", (event) => {
    const line = formatLine(event);

    expect(line).not.toMatch(/exchange|_/);
    expect(line.endsWith(event.text ?? "")).toBe(true);
    expect(line.length).toBeGreaterThan((event.text ?? "").length);
  });

  it("formatEvent differs by the kind of event", () => {
    const whats = ["claimed", "completed", "declined", "accepted", "rejected", "not_confirmed"];
    const lines = whats.map((what) => formatLine({ what, by: "ann" }));

    expect(new Set(lines).size).toBe(lines.length);
  });

  it.each<[NoticeEvent, string]>([
    [{ what: "note", text: "ann passed it on" }, "Ann passed it on"],
    [{ what: "note", text: "left by ann" }, "left by Ann"],
    [{ what: "note", text: "ben waits: ann?" }, "ben waits: ann?"],
    [{ what: "note", text: "joann declined" }, "joann declined"],
  ])(
    "formatEvent of the note %j has names in place of ids before the first colon",
    (note, line) => {
      expect(formatLine(note)).toBe(line);
    },
  );

  it("formatEvent of a delegation names both members", () => {
    const line = formatLine({ what: "delegated", by: "ben", text: "to ann" });

    expect([count(line, "ben"), count(line, "Ann"), count(line, "ann")]).toEqual([1, 1, 0]);
  });

  it("formatEvent of an unreachable member names the member once, although the note does too", () => {
    const text = buildFailureNote("ann", "sms: no number");
    const line = formatLine({ what: "unreachable", by: "ann", text });

    expect(count(line, "Ann")).toBe(1);
    expect(line).not.toContain("ann ");
    expect(line).toMatch(/sms: no number/);
  });
});
