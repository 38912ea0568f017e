/** The subject of a reply: that of the message, with one `Re:`. */
import { SOURCE_LIMITS } from "./vocabulary.ts";

/** Prefixes of mail programs in other languages, with the counters of some: `Re[2]:`, `AW:`, `SV:`. */
const PREFIX_PATTERN = /^(?:re|aw|antw|sv|vs|rv|rif|ynt|odp|回复|答复)(?:\[\d{1,3}\])?\s?[:：]/i;

/** Longest prefix that is looked for; subjects may be long. */
const MAX_PREFIX_CHARS = 16;

/** The subject without prefixes of replies. */
export function stripReplyPrefixes(subject: string): string {
  let rest = subject.trim();
  for (;;) {
    const [prefix] = PREFIX_PATTERN.exec(rest.slice(0, MAX_PREFIX_CHARS)) ?? [];
    if (prefix === undefined) return rest;
    rest = rest.slice(prefix.length).trimStart();
  }
}

/** Undefined or empty subjects have a reply, too. */
export const buildReplySubject = (subject = ""): string =>
  `Re: ${stripReplyPrefixes(subject)}`.trimEnd().slice(0, SOURCE_LIMITS.subjectChars);
