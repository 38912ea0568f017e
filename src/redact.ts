/**
 * Takes out of a text whatever opens something: tokens, keys, codes of links, queries, and all of a foreign address
 * but its origin. `redact("GET /r/home_7_1abc?token=x")` is `GET /r/…?…`.
 */

const END = `\\s"'<>)\\]}`;
/** A path begins here, and not in the middle of another path. */
const START = "(?<![\\w.~%/-])";

type Shown = string | ((whole: string, ...groups: (string | undefined)[]) => string);

/** Two of them match also what they leave as it is: else each part of a long text would be tried as a beginning. */
const REDACTIONS: readonly (readonly [RegExp, Shown])[] = [
  // Channels keep secrets in the user info, the path and the query of an address alike.
  [
    new RegExp(`\\b(https?|wss?)://(?:[^${END}/?#@]*@)?([^${END}/?#@]+)[/?#][^${END}]+`, "gi"),
    "$1://$2/…",
  ],
  [new RegExp(`\\b(https?|wss?)://[^${END}/?#@]*@`, "gi"), "$1://"],
  [
    new RegExp(`(${START}/[^${END}?#]*)(\\?[^${END}]+)?`, "g"),
    (whole, path, query) => (query === undefined ? whole : `${path}?…`),
  ],
  [new RegExp(`${START}/r/[^${END}/?#]+`, "g"), "/r/…"],
  [new RegExp(`(${START}/hooks/[^${END}/?#]+)/[^${END}?#]+`, "g"), "$1/…"],
  // Signed and encrypted tokens.
  [/\beyJ[\w-]*(\.[\w-]*\.[\w.-]*)?/g, (whole, rest) => (rest === undefined ? whole : "…")],
  [/\bmess_[a-z0-9-]+_[0-9a-f]{16,}/g, "mess_…"],
  [/\bwhsec_[\w+/=-]+/g, "whsec_…"],
  [/\b(bearer|basic) [^\s"',]{8,}/gi, "$1 …"],
  // Random secrets in hex, and codes of short links where they stand alone.
  [/(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])/gi, "…"],
  [/(?<![\w.:-])[a-z0-9-]{1,63}_[A-Za-z0-9][\w.:-]{0,127}_[0-9a-z]{17,22}(?![\w.:-])/g, "…"],
];

export const redact = (text: string): string =>
  REDACTIONS.reduce(
    // The types of replaceAll know one kind of replacement at a time.
    (rest, [secret, shown]) => rest.replaceAll(secret, shown as string),
    text,
  );
