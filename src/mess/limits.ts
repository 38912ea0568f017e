/** Every size and count that the core enforces, in bytes unless the name says otherwise. */
export const LIMITS = {
  /** A whole body of `POST /mess`, inline data included. */
  bodyBytes: 4 * 1024 * 1024,
  /** YAML or JSON text outside data URIs. */
  textBytes: 256 * 1024,
  documents: 64,
  /** Nesting of maps and lists. */
  depth: 32,
  /** Tokens of YAML text, including white space; bounds the parser's time. Does not apply to JSON. */
  yamlTokens: 20_000,
  /** Payloads of one body, over all documents. */
  blocks: 64,
  /** Errors reported for one body; further errors are only counted. */
  reportedErrors: 10,
  /** One data URI inside the message (decision 60). */
  inlineDataBytes: 768 * 1024,
  /** A longer data URI is stored as an attachment (decision 60). */
  attachAboveBytes: 4 * 1024,
  /** One MESSE-AF file and therefore one message (decision 64). */
  fileBytes: 1024 * 1024,
  /** One uploaded file. */
  uploadBytes: 100 * 1024 * 1024,
  attachmentsPerMessage: 20,
  requestsPerBatch: 32,
  /** Targets of one `re: [a, b]` (decision 2). */
  targetsPerMessage: 32,
  messagesPerThread: 10_000,
  /** All messages of one thread, since a thread is read, exported and imported whole. */
  threadBytes: 16 * 1024 * 1024,
  /** Items of one list in a payload: questions, capabilities, hints. */
  listItems: 64,
  intentChars: 4_000,
  /** Characters of a client id, actor id, capability or any other name. */
  nameChars: 128,
  slugChars: 32,

  // Characters of a field as the sender wrote it, checked before any regex or parser runs on it.
  /** Free text, notes, reasons: as long as the text of a whole body. */
  freeTextChars: 256 * 1024,
  /** One text inside JSON that the exchange stores but does not interpret: as long as a message. */
  jsonTextChars: 1024 * 1024,
  /** A key of a map. A key can be a whole intent: `Fetch the post: it is in the box`. */
  keyChars: 4_000,
  durationChars: 64,
  timeChars: 64,
  timeZoneChars: 64,
  /** Opening hours, such as `08:00-22:00`. */
  hoursChars: 64,
  cronChars: 128,
  statusChars: 64,
  /** One word of a fixed list, including yes and no. */
  wordChars: 64,
  /** A number that is sent as text. */
  numberChars: 64,
  versionChars: 64,
  mimeTypeChars: 255,
  /** `{thread}/{message}`: two names and a slash. */
  targetChars: 257,
  /** The sender of a message in an imported thread file. */
  senderChars: 256,
  /** The id of a member or of a household. */
  actorIdChars: 64,
  /** `content://{thread}/{message}/{file}`. */
  resourceChars: 525,
  /** The URL of a service that the exchange calls. */
  urlChars: 2_048,
  /** A link in a message, which only people and agents open. Signed links contain tokens of several KB. */
  linkChars: 8_192,
  /** A channel's id for a message that the exchange sent. */
  handleChars: 1_024,
  /** A signed token of a link or a callback. */
  tokenChars: 4_096,
  /** An email address (RFC 5321). */
  emailChars: 254,
  /** A phone number with spaces and brackets. */
  phoneChars: 64,
} as const;

/** Limits of a text that is read as YAML, so that an untrusted sender cannot make the parser run long. */
export interface TextLimits {
  readonly bodyBytes: number;
  readonly textBytes: number;
  readonly documents: number;
  readonly depth: number;
  readonly yamlTokens: number;
}

/**
 * Limits of a thread's file, which holds many messages, each within LIMITS. The history alone may exceed 1 MB,
 * and messages are nested deeper in a document than in a body.
 */
export const FILE_LIMITS: TextLimits = {
  bodyBytes: 25 * 1024 * 1024,
  textBytes: 4 * LIMITS.fileBytes,
  documents: 4 * LIMITS.messagesPerThread,
  depth: LIMITS.depth + 4,
  yamlTokens: 500_000,
};
