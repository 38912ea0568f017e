/**
 * The interface of a kind of message source. Each kind has a folder here: its settings, and how messages come in and go
 * out. A kind stores nothing and reads no clock. To add one, add its line to `registry.ts`.
 */
import type * as z from "zod";
import type { ChannelKind } from "../channels/channel.ts";
import type { InboundRequest } from "../channels/inbound.ts";
import type { IncomingSourceMessage } from "../contracts/sources.ts";
import type { Egress } from "../egress/egress.ts";
import type { Outcome } from "../mess/errors.ts";
import type { Json, JsonMap } from "../mess/json.ts";

/** Everything that a kind may use. */
export interface KindContext<Settings> {
  readonly household: string;
  /** Name of the source. */
  readonly source: string;
  /** With secrets. */
  readonly settings: Settings;
  readonly egress: Egress;
  readonly env: Env;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** The parts of a source's address. */
export interface AddressParts {
  readonly household: string;
  /** Name of the source. */
  readonly source: string;
  /** `PUBLIC_ORIGIN`; undefined where it is not set. */
  readonly origin: string | undefined;
}

/** A message before its bytes are in R2. */
export interface ParsedMessage extends Omit<IncomingSourceMessage, "attachments" | "raw"> {
  attachments: { name: string; mime: string; bytes: Uint8Array }[];
  raw?: { mime: string; bytes: Uint8Array };
}

export interface PollResult {
  messages: ParsedMessage[];
  /** Kept for the next poll, together with the messages. At most 64 KB of JSON. */
  state: Json;
  /** There are more messages: poll again at once. */
  more?: true;
  /** Of kinds that set `setsPollTime`. */
  pollAt?: PollTime;
}

/** When the next poll could find something, in milliseconds since 1970; null: not before another request changes the state. */
export type PollTime = number | null;

/** The content of a request to the source's own webhook. */
export interface ReceivedContent {
  messages: ParsedMessage[];
  /** Kept for the next request and poll, together with the messages. */
  state?: Json;
  /** Together with `state`, of kinds that set `setsPollTime`. */
  pollAt?: PollTime;
}

/** A failure in one line, which the owner sees. Never contains a secret or the other side's body. */
export interface KindFailure {
  reason: string;
  /** From the provider, such as `Retry-After`. */
  retryAfterSeconds?: number;
  /** Trying again is useless until the owner changes the settings: a wrong password, a removed account. */
  isPermanent?: true;
}

export type PollOutcome = ({ ok: true } & PollResult) | ({ ok: false } & KindFailure);

export interface OutgoingMessage {
  /** The owner who approved it. */
  approved_by?: string;
  /** The same at each attempt, for providers that can tell a repeated message. */
  key: string;
  to: readonly string[];
  subject?: string;
  body: string;
  /** The message that it answers. */
  answers?: {
    external_id: string;
    references: readonly string[];
    subject?: string;
    channel: string;
    headers: readonly (readonly [name: string, value: string])[];
  };
  attachments: readonly { name: string; mime: string; bytes: Uint8Array }[];
}

export type SourceSendResult =
  | {
      ok: true;
      /** The provider's id. */
      external_id?: string;
    }
  | ({
      ok: false;
      /** The connection ended before the provider answered, and it cannot tell a repeated message: it may be sent. */
      mayBeSent?: true;
    } & KindFailure);

export interface SourceKind<Settings = unknown> {
  /**
   * The channel of the household by which messages come and go. Its settings take the place of the source's own.
   */
  readonly channel?: ChannelKind;
  /** A household has at most one source of the kind, because a second one would get the same messages. */
  readonly isSingle?: true;
  /** Schema of the source's settings with their secrets filled in; `kind` and `title` are not among them. */
  readonly settings: z.ZodType<Settings>;
  /** Keys that hold secrets: sealed, and exported as `${NAME}`. */
  readonly secrets: readonly string[];
  /**
   * The servers that get the secrets, and the account there, of settings that have references in place of secrets. Where
   * it differs, a stored secret is not used: the owner writes it again. Undefined for settings that name no server.
   */
  getLogin?(settings: JsonMap): Json | undefined;
  /**
   * Why a source with these settings cannot send, in one sentence for people; undefined where it can. The household
   * stores it in the source's record.
   */
  explainCannotSend(settings: Settings): string | undefined;
  /** Longest name of a source of the kind in the household, where its address has a limit. */
  getMaxNameChars?(household: string): number;
  /** Where messages are sent to: a mail address, or the URL of its webhook. Absent where nobody can send to it. */
  getAddress?(settings: Settings, place: AddressParts): string | undefined;
  /**
   * Tries the settings with the provider when an owner saves them. Returns what is wrong and how to correct it, in
   * sentences without a full stop; they are warnings, since a server may be down for a while.
   */
  check?(context: KindContext<Settings>): Promise<string[]>;
  /**
   * True where the provider recognizes a repeated `key` and sends once: an attempt that was cut short is tried again.
   * Otherwise such a draft fails with a warning that it may have been sent.
   */
  readonly detectsRepeats?: true;
  /** Exists if any settings let the kind send. Called only where `explainCannotSend` is undefined. */
  send?(context: KindContext<Settings>, message: OutgoingMessage): Promise<SourceSendResult>;
  /**
   * Fetches new messages; called by alarm, at most once at a time.
   * @param state of the last poll; undefined at the first one. It may belong to an account or address that the owner has
   * replaced since, so it names its own.
   */
  poll?(context: KindContext<Settings>, state: Json | undefined): Promise<PollOutcome>;
  /** Time between polls, while somebody waits for a message and else. */
  readonly pollIntervalMs?: { readonly waiting: number; readonly idle: number };
  /** Each poll and request names the time of the next poll, which does not come earlier while somebody waits. */
  readonly setsPollTime?: true;
  /** `receive` needs the state that it kept last. */
  readonly keepsState?: true;
  /**
   * Verifies a request to the source's own webhook, and reads its messages. Undefined if it is not authentic, which
   * must take as long for a source that does not exist (`settings` null). Runs again with the newer state if another
   * request has changed it in the meantime.
   * @param state what this kind kept last (a sensor's thresholds), stored with the messages
   */
  receive?(
    context: Omit<KindContext<Settings>, "settings"> & { settings: Settings | null },
    request: InboundRequest,
    state: Json | undefined,
  ): Promise<Outcome<ReceivedContent> | undefined>;
  /**
   * Answers a service's check of the webhook's address, a GET request: the text of the response. Undefined if it is not
   * authentic, which must take as long for a source that does not exist (`settings` null).
   */
  answerHandshake?(
    settings: Settings | null,
    parameters: URLSearchParams,
  ): Promise<string | undefined>;
}
