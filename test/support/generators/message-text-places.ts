/** Lists every place of every message type where a text can be, generated from the schemas. */
import { expect } from "vitest";
import type { Json, JsonMap } from "../../../src/mess/json.ts";
import { buildTooLongHint } from "../../../src/mess/lengths.ts";
import { ENTRY_KINDS } from "../../../src/mess/wire/content/entries.ts";
import { MEDIA } from "../../../src/mess/wire/content/media.ts";
import { MESSAGE_TYPES, type MessageType, PAYLOADS } from "../../../src/mess/wire/schema.ts";
import { SOME_KEY, type TextPlace, listTextPlaces, withAt } from "./text-places.ts";

/** The minimum that makes a payload of each type valid. */
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

export interface MessageTextPlace extends TextPlace {
  type: MessageType;
  /** Characters that count in addition to the text; a sentence, for example, is split at its colon. */
  beside?: number;
}

const isEntryList = ({ path }: TextPlace): boolean =>
  path.length === 1 && ["content", "context"].includes(String(path[0]));

/** Fields of a file entry with a separate limit; all others are free JSON. */
const FILE_FIELDS = ["uri", "file", "resource", "mime", "size"];
const COORDINATES = ["lat", "lng", "accuracy", "altitude"];

/** Forms of an entry, whose schema is a function: as a text, of each kind, and with the parts of each kind. */
const ENTRY_PLACES: Omit<MessageTextPlace, "type">[] = [
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

const PLACES: MessageTextPlace[] = MESSAGE_TYPES.flatMap((type) => {
  const places = listTextPlaces(PAYLOADS[type]).flatMap((place): MessageTextPlace[] =>
    isEntryList(place)
      ? ENTRY_PLACES.map((entry) => ({ ...entry, type, path: [...place.path, ...entry.path] }))
      : [{ type, ...place }],
  );
  return [...new Map(places.map((place) => [JSON.stringify(place), place])).values()];
});

/** The payload with the text at the place; a file entry without a source gets one. */
export function buildPayloadWith({ type, path }: MessageTextPlace, text: Json): Json {
  const whole = withAt(WHOLE[type], path, text) as JsonMap;
  const media = path.findIndex((step) => (MEDIA as readonly unknown[]).includes(step));
  const isDetail = ["mime", "size", SOME_KEY].includes(String(path[media + 1]));
  return media >= 0 && isDetail
    ? (withAt(whole, [...path.slice(0, media + 1), "uri"], "https://a.example/b.jpg") as Json)
    : whole;
}

/** Places that the schema checks. */
export const FIELDS = PLACES.filter(({ kind }) => kind === "text");
/** Places of free JSON. */
export const FREE = PLACES.filter(({ kind }) => kind === "any");

/** The hint for a text that is too long, without its last period, since some hints continue. */
const buildLengthHint = (maxChars: number): string => buildTooLongHint(maxChars).replace(/\.$/, "");

/** The limit of characters that a hint names. */
export const limitIn = (hint: string): number | undefined =>
  (hint.match(/\d+/g) ?? []).map(Number).find((number) => hint.includes(buildLengthHint(number)));

/** Matches a hint that names this limit of characters. */
export const expectLimitNamed = (maxChars: number): string =>
  expect.stringContaining(buildLengthHint(maxChars)) as string;
