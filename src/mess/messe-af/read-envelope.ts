/** Reads document 1 of a thread's file: known keys are typed, unknown keys are kept (decision 37). */
import { defined } from "../defined.ts";
import { type Envelope, type HistoryEntry, PRIORITIES } from "../envelope.ts";
import { isMap, type Json, type JsonMap } from "../json.ts";
import { LIMITS } from "../limits.ts";
import { readStatus, STATUSES } from "../status.ts";
import { isTime, toScalarText } from "./read-document.ts";

/** An envelope whose missing or unreadable values are derived from the messages. */
export type PartialEnvelope = Partial<Envelope>;

/** Maximum characters of each text of an envelope. */
const MAX_CHARS = {
  ref: LIMITS.nameChars,
  client_id: LIMITS.nameChars,
  requestor: LIMITS.senderChars,
  executor: LIMITS.senderChars,
  intent: LIMITS.intentChars,
  superseded_by: LIMITS.targetChars,
  delegated_to: LIMITS.targetChars,
} as const;
const TEXT_KEYS = Object.keys(MAX_CHARS) as (keyof typeof MAX_CHARS)[];
const TIME_KEYS = ["created", "updated", "expires"] as const;
const LIST_KEYS = ["batch", "blocked_by"] as const;

const KNOWN_KEYS: readonly string[] = [
  ...TEXT_KEYS,
  ...TIME_KEYS,
  ...LIST_KEYS,
  "status",
  "priority",
  "history",
];

const includesKey = <T extends string>(list: readonly T[], key: string): key is T =>
  list.some((one) => one === key);

/** Reads an envelope. `differences` receives a text for every value that was left out. */
export function readEnvelope(value: JsonMap, differences: string[]): PartialEnvelope {
  const envelope: PartialEnvelope = {};
  const extra: JsonMap = {};
  const reportUnreadable = (key: string) =>
    differences.push(`${key}: the envelope's value is invalid and left out`);
  for (const [key, field] of Object.entries(value)) {
    const text = toScalarText(field);
    if (field === null && KNOWN_KEYS.includes(key)) continue;
    if (includesKey(TEXT_KEYS, key)) {
      if (text === undefined || text.length > MAX_CHARS[key]) reportUnreadable(key);
      else envelope[key] = text;
    } else if (includesKey(TIME_KEYS, key)) {
      if (isTime(text)) envelope[key] = text;
      else reportUnreadable(key);
    } else if (includesKey(LIST_KEYS, key)) {
      const texts = Array.isArray(field)
        ? field.map((one) => readShortText(one, LIMITS.targetChars))
        : [];
      if (Array.isArray(field) && texts.every((one) => one !== undefined)) envelope[key] = texts;
      else reportUnreadable(key);
    } else if (key === "status") {
      const status = text === undefined ? undefined : readStatus(text);
      if (status) envelope.status = status;
      else reportUnreadable(key);
    } else if (key === "priority") {
      if (text !== undefined && includesKey(PRIORITIES, text)) envelope.priority = text;
      else reportUnreadable(key);
    } else if (key === "history") {
      envelope.history = Array.isArray(field)
        ? field.flatMap((row, index) => readRow(row, index, differences))
        : [];
      if (!Array.isArray(field)) reportUnreadable(key);
    } else extra[key] = field;
  }
  if (Object.keys(extra).length > 0) envelope.extra = extra;
  return envelope;
}

const readShortText = (value: Json | undefined, maxChars: number): string | undefined => {
  const text = toScalarText(value);
  return text !== undefined && text.length <= maxChars ? text : undefined;
};

/** Normalizes the spelling of a status such as `in-progress` (decision 24); other actions are unchanged. */
function readAction(text: string): string {
  const plain = text
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, "_");
  if (plain === "canceled") return "cancelled";
  return includesKey(STATUSES, plain) ? plain : text.trim();
}

function readRow(row: Json, index: number, differences: string[]): HistoryEntry[] {
  const { action, at, by, ref, note, ...otherFields } = isMap(row) ? row : {};
  const actionText = readShortText(action, LIMITS.statusChars);
  const timeText = readShortText(at, LIMITS.timeChars);
  const senderText = readShortText(by, LIMITS.senderChars);
  const refText = readShortText(ref, LIMITS.targetChars);
  const noteText = readShortText(note, LIMITS.freeTextChars);
  if (actionText === undefined || senderText === undefined || !isTime(timeText)) {
    differences.push(`history[${index}]: not a valid entry, left out`);
    return [];
  }
  const unknown = Object.keys(otherFields);
  if (unknown.length > 0) differences.push(`history[${index}]: ${unknown.join(", ")} left out`);
  return [
    {
      action: readAction(actionText),
      at: timeText,
      by: senderText,
      ...defined({ ref: refText, note: noteText }),
    },
  ];
}
