/** Every size and count that the core enforces. Bytes unless the name says otherwise. */
export const LIMITS = {
  /** A whole body of `POST /mess`, inline data included. */
  bodyBytes: 4 * 1024 * 1024,
  /** YAML or JSON text outside data URIs. */
  textBytes: 256 * 1024,
  documents: 64,
  /** Nesting of maps and lists. */
  depth: 32,
  /** Tokens of YAML text, white space included: bounds the parser's time. JSON has no such bound. */
  yamlTokens: 20_000,
  /** Payloads of one body, all documents together. */
  blocks: 64,
  /** Errors reported for one body; the rest is counted. */
  reportedErrors: 10,
  /** One data URI as it stands in the message (decision 60). */
  inlineDataBytes: 768 * 1024,
  /** A data URI longer than this is written as an attachment (decision 60). */
  attachAboveBytes: 4 * 1024,
  /** One MESSE-AF file, and so one message (decision 64). */
  fileBytes: 1024 * 1024,
  /** One uploaded file. */
  uploadBytes: 100 * 1024 * 1024,
  attachmentsPerMessage: 20,
  requestsPerBatch: 32,
  /** Targets of one `re: [a, b]` (decision 2). */
  targetsPerMessage: 32,
  messagesPerThread: 10_000,
  /** All messages of one thread: it is read, exported and imported whole. */
  threadBytes: 16 * 1024 * 1024,
  /** Items of one list in a payload: questions, capabilities, hints. */
  listItems: 64,
  intentChars: 4_000,
  /** Characters of a client id, actor id, capability or any other name. */
  nameChars: 128,
  slugChars: 32,

  // Characters of a field as it was sent, checked before a regex or a parser meets it.
  /** Words, notes, reasons: as many as a body may have outside data URIs. */
  freeTextChars: 256 * 1024,
  /** One text inside JSON that the exchange stores but does not interpret: as long as its message may be. */
  jsonTextChars: 1024 * 1024,
  /** A key of a map. It can be a whole intent: `Fetch the post: it is in the box`. */
  keyChars: 4_000,
  durationChars: 64,
  timeChars: 64,
  timeZoneChars: 64,
  /** Opening hours, such as `08:00-22:00`. */
  hoursChars: 64,
  cronChars: 128,
  statusChars: 64,
  /** One word of a fixed list, yes and no included. */
  wordChars: 64,
  /** A number that is sent as a text. */
  numberChars: 64,
  versionChars: 64,
  mimeTypeChars: 255,
  /** Two names and a slash: `{thread}/{message}`. */
  targetChars: 257,
  /** Who wrote a message, as a thread file from elsewhere names them. */
  senderChars: 256,
  /** The id of a member or of a household. */
  actorIdChars: 64,
  /** `content://{thread}/{message}/{file}`. */
  resourceChars: 525,
  /** The address of a service that the exchange calls. */
  urlChars: 2_048,
  /** A link in a message, which only people and agents open. Signed links carry tokens of several KB. */
  linkChars: 8_192,
  /** What a channel calls a message of ours. */
  handleChars: 1_024,
  /** A signed token: of a link, of a callback. */
  tokenChars: 4_096,
  /** An email address (RFC 5321). */
  emailChars: 254,
  /** A phone number, with its spaces and brackets. */
  phoneChars: 64,
} as const;

/** What bounds a text that is read as YAML, so that no parser is kept busy by a stranger. */
export interface TextLimits {
  readonly bodyBytes: number;
  readonly textBytes: number;
  readonly documents: number;
  readonly depth: number;
  readonly yamlTokens: number;
}

/**
 * Bounds of a thread's file, which holds many messages, each within LIMITS. A history alone may outgrow a file's
 * 1 MB, and documents nest their messages deeper than a body does.
 */
export const FILE_LIMITS: TextLimits = {
  bodyBytes: 25 * 1024 * 1024,
  textBytes: 4 * LIMITS.fileBytes,
  documents: 4 * LIMITS.messagesPerThread,
  depth: LIMITS.depth + 4,
  yamlTokens: 500_000,
};
