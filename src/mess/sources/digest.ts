/** Builds the request that lists, by source and sender, the messages that could wait. Pure. */
import type { Request } from "../wire/schema.ts";
import type { Tier } from "./vocabulary.ts";

/** Messages that are listed; of the others the number is stated. */
const MAX_LISTED_MESSAGES = 60;

export interface DigestEntry {
  source: string;
  tier: Tier;
  /** `email from Ann: Water in the cellar`, in one line. */
  text: string;
}

const countMessages = (count: number): string => (count === 1 ? "1 message" : `${count} messages`);

/** @param titles of the sources, by name */
export function buildDigest(
  entries: readonly DigestEntry[],
  titles: ReadonlyMap<string, string>,
): Request {
  const names = [...new Set(entries.map(({ source }) => source))].toSorted();
  const lines: string[] = [];
  let left = MAX_LISTED_MESSAGES;
  for (const name of names) {
    // A text begins with the sender, so that sorting brings the messages of one sender together.
    const own = entries
      .filter(({ source }) => source === name)
      .toSorted((a, b) => (a.text < b.text ? -1 : a.text > b.text ? 1 : 0));
    const shown = own.slice(0, left);
    left -= shown.length;
    lines.push(
      `${titles.get(name) ?? name}: ${countMessages(own.length)}`,
      ...shown.map(({ tier, text }) => `• ${text}${tier === "DECLINE" ? " (to decline)" : ""}`),
      ...(shown.length < own.length ? [`• and ${own.length - shown.length} more`] : []),
    );
  }
  return {
    intent: `Look through ${countMessages(entries.length)} that could wait`,
    context: [...lines, "Nothing was sent. The drafts are under Messages."],
    priority: "normal",
    coalesce: false,
  };
}
