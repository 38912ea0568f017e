/** RSS and Atom feeds, whose new entries are messages. */
import * as z from "zod";
import { hashSha256 } from "../../auth/hash.ts";
import type { Json } from "../../mess/json.ts";
import { boundedTextSchema } from "../../mess/lengths.ts";
import type { KindContext, ParsedMessage, PollOutcome, SourceKind } from "../source-kind.ts";
import { parseTime } from "../webhook/read-time.ts";
import { type FeedSettings, feedSettingsSchema } from "./config.ts";
import { fetchFeed, MAX_VALIDATOR_CHARS } from "./fetch-feed.ts";
import { type Feed, type FeedEntry, parseFeed } from "./parse-feed.ts";

/** Of a feed that is read for the first time; the earlier entries are no news. */
const MAX_FIRST_ENTRIES = 10;
const MAX_ENTRIES_PER_POLL = 50;
/** Also of entries that have left the feed, since some come back. */
const MAX_SEEN_IDS = 2_000;
/** Longer ids are replaced by their hash. */
const MAX_ID_CHARS = 500;
const HASH_CHARS = 16;
const DAY_MS = 86_400_000;

const stateSchema = z.object({
  /** Hash of the address, which may be secret. */
  feed: boundedTextSchema(HASH_CHARS),
  etag: boundedTextSchema(MAX_VALIDATOR_CHARS).exactOptional(),
  modified: boundedTextSchema(MAX_VALIDATOR_CHARS).exactOptional(),
  /** Hashes of the ids of entries that were read. */
  seen: z.array(boundedTextSchema(HASH_CHARS)),
});

interface IdentifiedEntry extends FeedEntry {
  id: string;
  /** In milliseconds since 1970. */
  time: number | undefined;
  hash: string;
}

async function pollFeed(
  { settings, source, egress, now }: KindContext<FeedSettings>,
  kept: Json | undefined,
): Promise<PollOutcome> {
  const name = await toShortHash(settings.url);
  const read = stateSchema.safeParse(kept);
  const known = read.success && read.data.feed === name ? read.data : undefined;
  const fetched = await fetchFeed(egress, settings.url, known ?? {}, now);
  if (!fetched.ok) return fetched;
  // An unconditional request is not answered by 304; the next one is tried as if it were the first.
  if (!fetched.changed) return { ok: true, messages: [], state: known ?? null };
  const feed = parseFeed(fetched.xml);
  if (!feed) return { ok: false, reason: "the address has neither RSS nor Atom" };
  const entries = await identifyEntries(feed, now);
  const fresh = known ? entries.filter(({ hash }) => !known.seen.includes(hash)) : entries;
  const sorted = sortNewestFirst(fresh);
  const taken = known ? sorted.slice(-MAX_ENTRIES_PER_POLL) : sorted.slice(0, MAX_FIRST_ENTRIES);
  const hasMore = known !== undefined && taken.length < fresh.length;
  const done = hasMore ? taken : entries;
  const hashes = new Set([...done.map(({ hash }) => hash), ...(known?.seen ?? [])]);
  return {
    ok: true,
    messages: taken.toReversed().map((entry) => buildMessage(source, feed, entry, now)),
    state: {
      feed: name,
      // With more to come, the same version is fetched again.
      ...(hasMore ? {} : fetched.version),
      seen: [...hashes].slice(0, MAX_SEEN_IDS),
    },
    ...(hasMore ? { more: true as const } : {}),
  };
}

const toShortHash = async (text: string): Promise<string> =>
  (await hashSha256(text)).slice(0, HASH_CHARS);

/** Each entry once. One without an id or a link is known by its text. */
async function identifyEntries({ entries }: Feed, now: number): Promise<IdentifiedEntry[]> {
  const found = new Map<string, IdentifiedEntry>();
  for (const entry of entries) {
    const { id: given, title, date, body } = entry;
    const id =
      given !== undefined && given.length <= MAX_ID_CHARS
        ? given
        : `sha256:${await hashSha256(given ?? JSON.stringify([title, date, body]))}`;
    const hash = await toShortHash(id);
    const time = date === undefined ? undefined : parseTime(date);
    const isPast = time !== undefined && time <= now + DAY_MS;
    if (!found.has(hash)) found.set(hash, { ...entry, id, hash, time: isPast ? time : undefined });
  }
  return [...found.values()];
}

/** By their times if all have one, else as the feed has them. */
const sortNewestFirst = (entries: readonly IdentifiedEntry[]): readonly IdentifiedEntry[] =>
  entries.every(({ time }) => time !== undefined)
    ? entries.toSorted((a, b) => b.time! - a.time!)
    : entries;

function buildMessage(
  source: string,
  feed: Feed,
  { id, title, link, author, time, body, categories, xml }: IdentifiedEntry,
  now: number,
): ParsedMessage {
  const name = feed.title || source;
  const headers: [string, string][] = [
    ["Feed", name],
    ...(link === undefined ? [] : [["Link", link] as [string, string]]),
    ...categories.map((one): [string, string] => ["Category", one]),
  ];
  return {
    external_id: id,
    sender: name,
    ...(author === undefined ? {} : { sender_name: author }),
    recipient: source,
    ...(title === undefined ? {} : { subject: title }),
    body: [body, link].filter(Boolean).join("\n\n"),
    timestamp: time ?? now,
    headers,
    channel: link ?? source,
    attachments: [],
    raw: { mime: "application/xml", bytes: new TextEncoder().encode(xml) },
  };
}

export const feedKind: SourceKind<FeedSettings> = {
  settings: feedSettingsSchema,
  secrets: [],
  explainCannotSend: () => "A feed cannot be answered: it is only read.",
  poll: pollFeed,
  pollIntervalMs: { waiting: 5 * 60_000, idle: 30 * 60_000 },
};
