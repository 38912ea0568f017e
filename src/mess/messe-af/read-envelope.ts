/** Document 1 of a thread's file: what is ours of it, typed, and the rest, kept (decision 37). */
import { type Envelope, type HistoryEntry, PRIORITIES } from "../envelope.ts";
import { isMap, type Json, type JsonMap } from "../json.ts";
import { LIMITS } from "../limits.ts";
import { readStatus, STATUSES } from "../status.ts";
import { isTime, scalarText } from "./read-document.ts";

/** An envelope that may lack anything: what is missing or unreadable, the messages tell. */
export type PartialEnvelope = Partial<Envelope>;

/** The texts of an envelope with the most characters that each may have. */
const MAX_CHARS = {
  ref: LIMITS.name,
  client_id: LIMITS.name,
  requestor: LIMITS.senderChars,
  executor: LIMITS.senderChars,
  intent: LIMITS.intent,
  superseded_by: LIMITS.targetChars,
  delegated_to: LIMITS.targetChars,
} as const;
const TEXTS = Object.keys(MAX_CHARS) as (keyof typeof MAX_CHARS)[];
const TIMES = ["created", "updated", "expires"] as const;
const LISTS = ["batch", "blocked_by"] as const;

const OURS: readonly string[] = [...TEXTS, ...TIMES, ...LISTS, "status", "priority", "history"];

const has = <T extends string>(list: readonly T[], key: string): key is T =>
  list.some((one) => one === key);

/** @param differences told of every value that could not be kept */
export function readEnvelope(value: JsonMap, differences: string[]): PartialEnvelope {
  const envelope: PartialEnvelope = {};
  const extra: JsonMap = {};
  const lost = (key: string) =>
    differences.push(`${key}: the envelope's value has the wrong form and is left out`);
  for (const [key, field] of Object.entries(value)) {
    const text = scalarText(field);
    if (field === null && OURS.includes(key)) continue;
    if (has(TEXTS, key)) {
      if (text === undefined || text.length > MAX_CHARS[key]) lost(key);
      else envelope[key] = text;
    } else if (has(TIMES, key)) {
      if (isTime(text)) envelope[key] = text;
      else lost(key);
    } else if (has(LISTS, key)) {
      const texts = Array.isArray(field)
        ? field.map((one) => shortText(one, LIMITS.targetChars))
        : [];
      if (Array.isArray(field) && texts.every((one) => one !== undefined)) envelope[key] = texts;
      else lost(key);
    } else if (key === "status") {
      const status = text === undefined ? undefined : readStatus(text);
      if (status) envelope.status = status;
      else lost(key);
    } else if (key === "priority") {
      if (text !== undefined && has(PRIORITIES, text)) envelope.priority = text;
      else lost(key);
    } else if (key === "history") {
      envelope.history = Array.isArray(field)
        ? field.flatMap((row, index) => readRow(row, index, differences))
        : [];
      if (!Array.isArray(field)) lost(key);
    } else extra[key] = field;
  }
  if (Object.keys(extra).length > 0) envelope.extra = extra;
  return envelope;
}

const shortText = (value: Json | undefined, maxChars: number): string | undefined => {
  const text = scalarText(value);
  return text !== undefined && text.length <= maxChars ? text : undefined;
};

/** `canceled` and `in-progress` in the written spelling (decision 24); actions that are no status as they are. */
function readAction(text: string): string {
  const plain = text
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, "_");
  if (plain === "canceled") return "cancelled";
  return has(STATUSES, plain) ? plain : text.trim();
}

function readRow(row: Json, index: number, differences: string[]): HistoryEntry[] {
  const { action, at, by, ref, note, ...rest } = isMap(row) ? row : {};
  const did = shortText(action, LIMITS.statusChars);
  const when = shortText(at, LIMITS.timeChars);
  const who = shortText(by, LIMITS.senderChars);
  const message = shortText(ref, LIMITS.targetChars);
  const said = shortText(note, LIMITS.freeTextChars);
  if (did === undefined || who === undefined || !isTime(when)) {
    differences.push(`history[${index}]: not an entry, left out`);
    return [];
  }
  const unknown = Object.keys(rest);
  if (unknown.length > 0) differences.push(`history[${index}]: ${unknown.join(", ")} left out`);
  return [
    {
      action: readAction(did),
      at: when,
      by: who,
      ...(message === undefined ? {} : { ref: message }),
      ...(said === undefined ? {} : { note: said }),
    },
  ];
}
