/**
 * Removes secrets from a text: tokens, keys, link codes, queries, and everything but the origin of other servers'
 * URLs. `redact("GET /r/home_7_1abc?token=x")` is `GET /r/…?…`.
 */

const URL_END_CHARACTERS = `\\s"'<>)\\]}`;
/** The start of a path, not the middle of another path. */
const PATH_START_PATTERN = "(?<![\\w.~%/-])";

type RedactionReplacement = string | ((whole: string, ...groups: (string | undefined)[]) => string);

/** Two patterns also match text that they do not change, since otherwise long text would cause quadratic time. */
const REDACTIONS: readonly (readonly [RegExp, RedactionReplacement])[] = [
  // Channels put secrets in the user info, the path and the query of a URL.
  [
    new RegExp(
      `\\b(https?|wss?)://(?:[^${URL_END_CHARACTERS}/?#@]*@)?([^${URL_END_CHARACTERS}/?#@]+)[/?#][^${URL_END_CHARACTERS}]+`,
      "gi",
    ),
    "$1://$2/…",
  ],
  [new RegExp(`\\b(https?|wss?)://[^${URL_END_CHARACTERS}/?#@]*@`, "gi"), "$1://"],
  [
    new RegExp(
      `(${PATH_START_PATTERN}/[^${URL_END_CHARACTERS}?#]*)(\\?[^${URL_END_CHARACTERS}]+)?`,
      "g",
    ),
    (whole, path, query) => (query === undefined ? whole : `${path}?…`),
  ],
  [new RegExp(`${PATH_START_PATTERN}/r/[^${URL_END_CHARACTERS}/?#]+`, "g"), "/r/…"],
  [
    new RegExp(
      `(${PATH_START_PATTERN}/hooks/[^${URL_END_CHARACTERS}/?#]+)/[^${URL_END_CHARACTERS}?#]+`,
      "g",
    ),
    "$1/…",
  ],
  // Signed and encrypted tokens.
  [/\beyJ[\w-]*(\.[\w-]*\.[\w.-]*)?/g, (whole, rest) => (rest === undefined ? whole : "…")],
  [/\bmess_[a-z0-9-]+_[0-9a-f]{16,}/g, "mess_…"],
  [/\bwhsec_[\w+/=-]+/g, "whsec_…"],
  [/\b(bearer|basic) [^\s"',]{8,}/gi, "$1 …"],
  // Random secrets in hex, and separate codes of short links.
  [/(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])/gi, "…"],
  [/(?<![\w.:-])[a-z0-9-]{1,63}_[A-Za-z0-9][\w.:-]{0,127}_[0-9a-z]{17,22}(?![\w.:-])/g, "…"],
];

export const redact = (text: string): string =>
  REDACTIONS.reduce(
    // The overloads of replaceAll accept a string or a function, but not their union.
    (redacted, [secret, replacement]) => redacted.replaceAll(secret, replacement as string),
    text,
  );
