/** Maps the JSON of a request onto the fields of a message, by the paths of the settings. */
import { defined } from "../../mess/defined.ts";
import { isMap, type Json } from "../../mess/json.ts";
import { toOneLine } from "../../mess/one-line.ts";
import type { Urgency } from "../../mess/sources/vocabulary.ts";
import type { WebhookSourceSettings } from "./config.ts";
import { readPath, toText } from "./json-path.ts";
import { parseTime } from "./read-time.ts";

/** The fields that the JSON decides. */
export interface MappedMessage {
  /** Replaces the id of the signature. */
  id?: string;
  sender: string;
  subject?: string;
  body: string;
  urgency?: Urgency;
  timestamp: number;
}

/** Keys in which services name what a request is about. */
const SUBJECT_KEYS = ["subject", "title", "summary", "name", "event", "type"];
const MAX_DEFAULT_SUBJECT_CHARS = 200;
const DAY_MS = 86_400_000;

const URGENCY_WORDS: readonly (readonly [Urgency, RegExp])[] = [
  [3, /^(?:emergency|critical|fatal|high|urgent|alert|error|disaster|page|p0|p1|sev-?[01])$/i],
  [2, /^(?:warning|warn|major|medium|normal|average|firing|p2|sev-?2)$/i],
  [1, /^(?:low|info|information|notice|minor|debug|ok|resolved|none|p[3-5]|sev-?[3-5])$/i],
];

/** @param now milliseconds since 1970 */
export function mapMessage(
  { map = {}, sender: defaultSender }: Pick<WebhookSourceSettings, "map" | "sender">,
  json: Json,
  source: string,
  now: number,
): MappedMessage {
  const read = (path: string | undefined) =>
    path === undefined ? undefined : readPath(json, path);
  const id = toText(read(map.id));
  const subject = map.subject === undefined ? findSubject(json) : toText(read(map.subject));
  return {
    ...defined({ id: id === undefined ? undefined : `id:${id}` }),
    sender: toOneLine(toText(read(map.sender)) ?? defaultSender ?? source),
    ...defined({ subject: subject === undefined ? undefined : toOneLine(subject) }),
    body: toText(read(map.body)) ?? JSON.stringify(json, null, 2).toWellFormed(),
    ...defined({ urgency: readUrgency(read(map.urgency)) }),
    timestamp: readTimestamp(read(map.timestamp), now),
  };
}

function findSubject(json: Json): string | undefined {
  if (!isMap(json)) return undefined;
  for (const key of SUBJECT_KEYS) {
    const value = Object.hasOwn(json, key) ? json[key] : undefined;
    if (typeof value !== "string" || value.length > MAX_DEFAULT_SUBJECT_CHARS) continue;
    if (value.trim() !== "") return value;
  }
  return undefined;
}

function readUrgency(value: Json | undefined): Urgency | undefined {
  const text = toText(value);
  if (text === undefined) return undefined;
  if (/^[0-3]$/.test(text)) return Number(text) as Urgency;
  return URGENCY_WORDS.find(([, words]) => words.test(text))?.[0];
}

/** The time of the sender, unless it is missing or in the future. */
function readTimestamp(value: Json | undefined, now: number): number {
  const text = toText(value);
  const time = text === undefined ? undefined : parseTime(text);
  return time === undefined || time > now + DAY_MS ? now : time;
}
