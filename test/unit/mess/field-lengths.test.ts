import { describe, expect, it } from "vitest";
import { readBlock } from "../../../src/mess/wire/read-block.ts";
import { ENTRY_KINDS } from "../../../src/mess/wire/entries.ts";
import type { Fault } from "../../../src/mess/wire/body-errors.ts";
import type { Json, JsonMap } from "../../../src/mess/json.ts";
import { LIMITS } from "../../../src/mess/limits.ts";
import { MEDIA } from "../../../src/mess/wire/media.ts";
import { MESSAGE_TYPES, type MessageType, PAYLOADS } from "../../../src/mess/wire/schema.ts";
import { SOME_KEY, type TextPlace, textPlaces, withAt } from "../../support/text-places.ts";

/** The least that makes a payload of each type whole. */
const WHOLE: Readonly<Record<MessageType, JsonMap>> = {
  request: { intent: "look" },
  reply: { confirm: true },
  cancel: {},
  query: { type: "status" },
  config: {},
  ack: {},
  status: { code: "claimed" },
  response: { notes: "done" },
  suggestion: { type: "merge" },
  answer: { value: 1 },
  followup: { message: "and the light" },
  review: { rating: 5 },
};

interface Place extends TextPlace {
  type: MessageType;
  /** Characters that count with the text: a sentence is cut in two by its colon. */
  beside?: number;
}

const isEntryList = ({ path }: TextPlace): boolean =>
  path.length === 1 && ["content", "context"].includes(String(path[0]));

/** Fields of a file entry that have a limit of their own; any other is free JSON. */
const FILE_FIELDS = ["uri", "file", "resource", "mime", "size"];
const COORDINATES = ["lat", "lng", "accuracy", "altitude"];

/** What an entry may be, since its schema is a function: as it stands, of each kind, and the parts of each kind. */
const ENTRY_PLACES: Omit<Place, "type">[] = [
  { path: [0], kind: "text" },
  ...ENTRY_KINDS.filter((kind) => !["json", "structured", "embedding"].includes(kind)).map(
    (kind) => ({ path: [0, kind], kind: "text" }) as const,
  ),
  { path: [0, SOME_KEY], kind: "text", beside: `${SOME_KEY}: `.length },
  ...["json", "structured", "error", "location", "url", ...MEDIA].map(
    (kind) => ({ path: [0, kind, SOME_KEY], kind: "any" }) as const,
  ),
  ...MEDIA.flatMap((kind) =>
    FILE_FIELDS.map((field) => ({ path: [0, kind, field], kind: "text" }) as const),
  ),
  ...COORDINATES.map((field) => ({ path: [0, "location", field], kind: "text" }) as const),
  { path: [0, "confirmation", "confirmed"], kind: "text" },
];

/** Every place of every message type where a text can stand, from the schemas themselves. */
const PLACES: Place[] = MESSAGE_TYPES.flatMap((type) => {
  const places = textPlaces(PAYLOADS[type]).flatMap((place): Place[] =>
    isEntryList(place)
      ? ENTRY_PLACES.map((entry) => ({ ...entry, type, path: [...place.path, ...entry.path] }))
      : [{ type, ...place }],
  );
  return [...new Map(places.map((place) => [JSON.stringify(place), place])).values()];
});

const named = (place: Place) =>
  [`${place.type}.${place.path.join(".").slice(0, 100)}`, place] as const;

/** The payload with the text in its place; a file entry without a source gets one. */
function payload({ type, path }: Place, text: Json): Json {
  const whole = withAt(WHOLE[type], path, text) as JsonMap;
  const media = path.findIndex((step) => (MEDIA as readonly unknown[]).includes(step));
  const isDetail = ["mime", "size", SOME_KEY].includes(String(path[media + 1]));
  return media >= 0 && isDetail
    ? (withAt(whole, [...path.slice(0, media + 1), "uri"], "https://a.example/b.jpg") as Json)
    : whole;
}

const faultsOf = (place: Place, text: string): readonly Fault[] => {
  const read = readBlock(place.type, payload(place, text), []);
  return read.ok ? [] : read.error;
};

const limitIn = ({ hint }: Fault): number | undefined => {
  const [, most] = /\bat most (\d+) characters/.exec(hint) ?? [];
  return most === undefined ? undefined : Number(most);
};

/** The refusal that names a limit of characters, and that limit. */
function refusedLength(place: Place, text: string): { fault: Fault; most: number } | undefined {
  for (const fault of faultsOf(place, text)) {
    const most = limitIn(fault);
    if (most !== undefined) return { fault, most };
  }
  return undefined;
}

const FIELDS = PLACES.filter(({ kind }) => kind === "text");
const FREE = PLACES.filter(({ kind }) => kind === "any");

describe("every text of a message has a longest length", () => {
  it("and none of the message types is without texts", () => {
    expect(new Set(PLACES.map(({ type }) => type))).toEqual(new Set(MESSAGE_TYPES));
    expect(FIELDS.length).toBeGreaterThan(150);
  });

  it.each(FIELDS.map(named))("%s: one character more is refused with the limit", (_name, place) => {
    const found = refusedLength(place, "x".repeat(LIMITS.freeTextChars + 1));

    expect(found).toBeDefined();
    const { fault, most } = found!;
    expect(most).toBeLessThanOrEqual(LIMITS.freeTextChars);
    expect(fault.path.join(".")).toBe(place.path.join("."));
    const room = most - (place.beside ?? 0);
    expect(refusedLength(place, "x".repeat(room + 1))?.most).toBe(most);
    expect(refusedLength(place, "x".repeat(room))).toBeUndefined();
  });

  it.each(FIELDS.map(named))("%s: a run of white space is refused, not trimmed", (_name, place) => {
    for (const sign of [" ", "\t", "\n", "\u00A0"]) {
      const most = refusedLength(place, "x".repeat(LIMITS.freeTextChars + 1))!.most;
      const run = `1${sign.repeat(most)}x`;
      expect(refusedLength(place, run)?.most, JSON.stringify(sign)).toBe(most);
    }
  });

  it.each(FREE.map(named))("%s: a text is no longer than its message", (_name, place) => {
    const long = "x".repeat(LIMITS.jsonTextChars + 1);

    expect(refusedLength(place, long)?.fault.code).toBe("too_large");
    expect(refusedLength(place, "x".repeat(LIMITS.keyChars))).toBeUndefined();
  });

  it.each(FREE.map(named))("%s: a key is no longer than an intent", (_name, place) => {
    const map = (length: number): Json => ({ ["k".repeat(length)]: 1 });
    const read = (length: number) => readBlock(place.type, payload(place, map(length)), []);

    expect(read(LIMITS.keyChars + 1)).toMatchObject({ ok: false, error: [{ code: "too_large" }] });
    expect(JSON.stringify(read(LIMITS.keyChars))).not.toContain("at most");
  });

  it.each([
    ["requires", ["k".repeat(LIMITS.name + 1)]],
    ["requires", [{ ["k".repeat(LIMITS.name + 1)]: { area: "kitchen" } }]],
    ["requires", [{ ["k".repeat(LIMITS.name + 1)]: null }]],
    ["requires", [{ capability: "k".repeat(LIMITS.name + 1) }]],
  ])("a capability in %s is no longer than a name", (field, value) => {
    const read = readBlock("request", { intent: "look", [field]: value }, []);

    expect(read).toMatchObject({
      ok: false,
      error: [{ code: "bad_field", hint: expect.stringContaining(`${LIMITS.name} characters`) }],
    });
  });

  it("a message that asks is no longer than a question", () => {
    const ask = (length: number) =>
      readBlock("status", { code: "needs_input", message: "x".repeat(length) }, []);

    expect(ask(LIMITS.intent).ok).toBe(true);
    expect(ask(LIMITS.intent + 1)).toMatchObject({
      ok: false,
      error: [{ code: "bad_field", path: ["message"] }],
    });
  });
});
