/**
 * RPC surface of the household for message sources: which sources there are, the owner's policy and rules, notices, and
 * who may read what. Types only.
 */
import type { Principal } from "../auth/principal.ts";
import type { Outcome } from "../mess/errors.ts";
import type { JsonMap } from "../mess/json.ts";
import type { SourceKindName, Tier, Urgency } from "../mess/sources/vocabulary.ts";
import type { ClassifierRule } from "../mess/sources/rules.ts";
import type { SourceRecord } from "./sources.ts";

/** A source in the list of its readers. */
export interface SourceListing {
  name: string;
  kind: SourceKindName;
  title?: string;
  status: "connected" | "disconnected";
  can_send: boolean;
  /** Where messages are sent to: a mail address, or the URL of its webhook. */
  address?: string;
}

/** The access of a caller to a source (`auth/message-paths.ts`). */
export type SourceAccess = "read" | "draft" | "classify";

/** A source that the caller may see, and everything that it may do with it. */
export interface VisibleSource {
  name: string;
  accesses: SourceAccess[];
}

export interface PolicyVersion {
  version: number;
  text: string;
  /** Member who wrote it; `exchange` for the one that ships. */
  author: string;
  /** ISO 8601. */
  created: string;
}

/** A correction by a person, shown to the classifier as an example. */
export interface ClassifierExample {
  source: string;
  /** Id of the message: a second correction of it replaces the first. */
  message: string;
  sender: string;
  subject?: string;
  excerpt: string;
  /** `List-Id` of the mailing list that sent it. */
  list?: string;
  tier: Tier;
}

export type ClassifierConfig =
  | { kind: "workers_ai"; model: string }
  | { kind: "openai" | "anthropic"; url: string; model: string; api_key: string }
  /** A connected agent takes unclassified messages as work. */
  | { kind: "agent" };

/** Everything that a source needs to classify messages. Contains the opened key: never stored. */
export interface ClassificationContext {
  rules: ClassifierRule[];
  policy: PolicyVersion;
  examples: ClassifierExample[];
  classifier?: ClassifierConfig;
  /** Names by which the household is known, for the classifier. */
  household_name?: string;
  zone: string;
}

/** A message of which the owner must hear, or which appears in the next digest. */
export interface MessageNotice {
  source: string;
  /** Id of the message. */
  message: string;
  tier: Tier;
  urgency: Urgency;
  /** `URGENT email from Ann: Water in the cellar`. */
  text: string;
  /** Milliseconds since 1970. */
  at: number;
}

export interface NoticeView extends Omit<MessageNotice, "at"> {
  /** Position; cursors are positions. */
  seq: number;
  at: string;
}

/** A source with its opened secrets: never stored, never logged. */
export interface OpenedSource {
  record: SourceRecord;
  /** Settings of its kind, with their secrets filled in. */
  settings: JsonMap;
  /**
   * Fingerprints of these settings, which decide where messages go: the current one, and during a rotation the former.
   * An approval names the one under which it was given.
   */
  routes: string[];
}

export interface SourcesRpc {
  /** The sources that the caller may read. */
  list(caller: Principal): Promise<Outcome<SourceListing[]>>;
  /** The sources with which the caller may do anything, by name. */
  listVisible(caller: Principal): Promise<Outcome<VisibleSource[]>>;
  /** Refuses with `not_found` a source that does not exist or that the caller may not see, and else with `wrong_role`. */
  authorize(
    caller: Principal,
    source: string,
    access: SourceAccess,
  ): Promise<Outcome<SourceListing>>;
  /** Registers a source, or changes its settings; owners only. */
  register(caller: Principal, name: string, settings: JsonMap): Promise<Outcome<SourceListing>>;
  setStatus(
    caller: Principal,
    name: string,
    status: SourceRecord["status"],
  ): Promise<Outcome<SourceListing>>;
  /** Deletes the source with its messages; owners only. */
  remove(caller: Principal, name: string): Promise<Outcome<true>>;
  /** For the source's own object and for ingress; null for an unknown source, and while a secret of it is not set. */
  openSettings(name: string): Promise<OpenedSource | null>;
  /** The connected source of the kind, for messages that arrive through a channel of the household; null if there is none. */
  findByKind(kind: SourceKindName): Promise<string | null>;
  listNames(): Promise<string[]>;

  getPolicy(caller: Principal): Promise<Outcome<PolicyVersion>>;
  listPolicies(caller: Principal): Promise<Outcome<PolicyVersion[]>>;
  setPolicy(caller: Principal, text: string): Promise<Outcome<PolicyVersion>>;
  listRules(caller: Principal): Promise<Outcome<ClassifierRule[]>>;
  setRules(caller: Principal, rules: ClassifierRule[]): Promise<Outcome<ClassifierRule[]>>;
  getClassification(): Promise<ClassificationContext>;
  /**
   * Keeps a person's correction as an example for the classifier, once for each message, and puts the rule that
   * `learnRule` derives from it before the other rules.
   */
  addExample(example: ClassifierExample): Promise<void>;

  /** Stores the notice once for each message, and wakes those who wait. */
  postNotice(notice: MessageNotice): Promise<void>;
  /** NOTIFY notices after the position, oldest first, of sources that the caller may read. */
  listNotices(
    caller: Principal,
    after: number | undefined,
    limit: number,
  ): Promise<Outcome<{ notices: NoticeView[]; cursor: number }>>;
}
