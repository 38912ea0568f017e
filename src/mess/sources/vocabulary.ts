/** The words and limits of message sources, which the routes, the tools and the objects share (decision 79). */

export const SOURCE_KINDS = [
  "email",
  "mailbox",
  "telegram",
  "slack",
  "sms",
  "whatsapp",
  "webhook",
  "sensor",
  "feed",
  "mess",
] as const;
export type SourceKindName = (typeof SOURCE_KINDS)[number];

/** The treatment of a message: nothing, a drafted refusal, a drafted reply, or a drafted reply and an interruption. */
export const TIERS = ["IGNORE", "DECLINE", "DEFER", "NOTIFY"] as const;
export type Tier = (typeof TIERS)[number];

/** The tier of a message that could not be classified (decision 71). */
export const FALLBACK_TIER: Tier = "DEFER";

export const SOURCE_MESSAGE_STATUSES = [
  "new",
  "classified",
  "drafted",
  "sent",
  "archived",
] as const;
export type SourceMessageStatus = (typeof SOURCE_MESSAGE_STATUSES)[number];

/** 0 unknown, 1 low, 2 normal, 3 high. */
export type Urgency = 0 | 1 | 2 | 3;

/** Mail that no person wrote. It is never answered automatically. */
export const AUTOMATIC_KINDS = ["auto_reply", "bounce", "list", "bulk"] as const;
export type AutomaticKind = (typeof AUTOMATIC_KINDS)[number];

/** The origin of the tier of a message. */
export const CLASSIFIED_BY = ["rule", "classifier", "agent", "person", "fallback"] as const;
export type ClassifiedBy = (typeof CLASSIFIED_BY)[number];

/** Author of drafts that the classifier suggested. */
export const AUTOMATIC_AUTHOR = "watcher";

export const DRAFT_STATES = [
  "draft",
  "approval_requested",
  "approved",
  "sent",
  "failed",
  "discarded",
] as const;
export type DraftState = (typeof DRAFT_STATES)[number];

/** Marks that a reader sets on a message. */
export const MESSAGE_MARKS = ["seen", "unseen", "flag", "unflag", "archive", "unarchive"] as const;
export type MessageMark = (typeof MESSAGE_MARKS)[number];

export const SOURCE_LIMITS = {
  nameChars: 32,
  titleChars: 100,
  sourcesPerHousehold: 50,
  messagesPerSource: 200_000,
  /** An address or name of a sender or recipient. */
  addressChars: 320,
  /** The provider's id of a message. */
  externalIdChars: 998,
  subjectChars: 998,
  /** Longer bodies are cut; the raw message in R2 is whole. */
  bodyChars: 200_000,
  headers: 200,
  headerChars: 2_000,
  /** Provider ids of earlier messages, the nearest first. */
  references: 100,
  attachments: 100,
  fileNameChars: 255,
  /** A mail with attachments, as Email Routing accepts it. */
  messageBytes: 25 * 1024 * 1024,
  recipientsPerDraft: 50,
  draftChars: 50_000,
  revisionsPerDraft: 50,
  openDraftsPerSource: 1_000,
  reasonChars: 500,
  policyChars: 20_000,
  rules: 500,
  examples: 50,
  /** Messages of one page, and the default. */
  pageMessages: 100,
  defaultPageMessages: 20,
  excerptChars: 200,
  /** After an approval, for this long it can be undone. */
  undoMs: 10_000,
} as const;

/** A dry run shows what a policy would have done to so many messages. */
export const MAX_DRY_RUN_MESSAGES = 100;

/** The name of a source: `email`, `alerts-home`. It is a part of paths and mail addresses. */
const SOURCE_NAME_PATTERN = /^[a-z][a-z0-9-]{0,31}$/;
/** Names that the tree and the routes use for other things. */
const RESERVED_NAMES: readonly string[] = [
  "sources",
  "ctl",
  "notify",
  "notices",
  "digest",
  "drafts",
  "outbox",
  "policy",
  "rules",
  "search",
  "classify",
];
export const isSourceName = (name: string): boolean =>
  SOURCE_NAME_PATTERN.test(name) && !RESERVED_NAMES.includes(name);
