/**
 * Takes out of a text whatever opens something: tokens, keys, codes of links, queries, and all of a foreign address
 * but its origin. `redact("GET /r/home_7_1abc?token=x")` is `GET /r/…?…`.
 */

const END = `\\s"'<>)\\]}`;
/** A path begins here, and not in the middle of another path. */
const START = "(?<![\\w.~%/-])";

const REDACTIONS: readonly (readonly [RegExp, string])[] = [
  // Channels keep secrets in the user info, the path and the query of an address alike.
  [
    new RegExp(`\\b(https?|wss?)://(?:[^${END}/?#@]*@)?([^${END}/?#@]+)[/?#][^${END}]+`, "gi"),
    "$1://$2/…",
  ],
  [new RegExp(`\\b(https?|wss?)://[^${END}/?#@]*@`, "gi"), "$1://"],
  [new RegExp(`(${START}/[^${END}?#]*)\\?[^${END}]+`, "g"), "$1?…"],
  [new RegExp(`${START}/r/[^${END}/?#]+`, "g"), "/r/…"],
  [new RegExp(`(${START}/hooks/[^${END}/?#]+)/[^${END}?#]+`, "g"), "$1/…"],
  // Signed and encrypted tokens.
  [/\beyJ[\w-]*\.[\w-]*\.[\w.-]*/g, "…"],
  [/\bmess_[a-z0-9-]+_[0-9a-f]{16,}/g, "mess_…"],
  [/\bwhsec_[\w+/=-]+/g, "whsec_…"],
  [/\b(bearer|basic) [^\s"',]{8,}/gi, "$1 …"],
  // Random secrets in hex, and codes of short links where they stand alone.
  [/(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])/gi, "…"],
  [/(?<![\w.:-])[a-z0-9-]{1,63}_[A-Za-z0-9][\w.:-]{0,127}_[0-9a-z]{17,22}(?![\w.:-])/g, "…"],
];

export const redact = (text: string): string =>
  REDACTIONS.reduce((rest, [secret, shown]) => rest.replaceAll(secret, shown), text);
